// Explores the states of a protocol, the first that was met first.

#include "dialects/Ws/Protocol.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_set>

namespace heddle::ws {
namespace {

struct BarrierState {
  int64_t pending, bytes, phase;
};

/// All that differs between two moments: how far each role is, the barriers,
/// and which copies of those that were started have not ended.
struct State {
  std::vector<uint32_t> at;
  std::vector<BarrierState> barriers;
  /// Role and step of a copy.
  std::vector<std::pair<uint32_t, uint32_t>> copies;

  /// Equal for equal states alone: of two of one protocol, the parts before the
  /// last have the same lengths.
  std::string key() const {
    std::string text;
    auto add = [&](auto number) {
      text.append(reinterpret_cast<const char *>(&number), sizeof number);
    };
    for (uint32_t number : at)
      add(static_cast<uint16_t>(number));
    for (const BarrierState &barrier : barriers) {
      add(static_cast<int16_t>(barrier.pending));
      add(static_cast<int32_t>(barrier.bytes));
      add(static_cast<uint16_t>(barrier.phase));
    }
    for (auto [role, step] : copies) {
      add(static_cast<uint16_t>(role));
      add(static_cast<uint16_t>(step));
    }
    return text;
  }
};

class Explorer {
public:
  explicit Explorer(const Protocol &protocol);
  std::string run(uint64_t &explored, uint64_t mostStates);

private:
  using Step = ProtocolStep;
  /// What a role has done with a slot, by the number of its steps done.
  struct SlotHistory {
    /// Copies that were started, reads that were started and that ended.
    std::vector<uint32_t> copies, reads, ended;
  };

  const Step &step(uint32_t role, uint32_t number) const {
    return protocol.roles[role].steps[number];
  }
  void buildHistory(uint32_t role);
  bool canRun(const State &state, uint32_t role) const;
  std::string runStep(State &state, uint32_t role) const;
  std::string startCopy(State &state, uint32_t role) const;
  std::string startRead(const State &state, uint32_t role) const;
  std::string settle(State &state, size_t barrier) const;
  std::string finishCopy(State &state, size_t which) const;
  std::string whoWaits(const State &state) const;
  std::string name(uint32_t role) const { return protocol.roles[role].name; }

  const Protocol &protocol;
  std::map<uint64_t, size_t> numbers; // of barriers, by address
  std::vector<std::map<uint64_t, SlotHistory>> history; // by role
};

} // namespace

Explorer::Explorer(const Protocol &protocol)
    : protocol(protocol), history(protocol.roles.size()) {
  for (size_t i = 0; i < protocol.barriers.size(); ++i)
    numbers[protocol.barriers[i].address] = i;
  for (uint32_t role = 0; role < protocol.roles.size(); ++role)
    buildHistory(role);
}

void Explorer::buildHistory(uint32_t role) {
  const auto &steps = protocol.roles[role].steps;
  auto &slots = history[role];
  for (const Step &each : steps)
    if (each.kind == Step::Copy || each.kind == Step::Read) {
      SlotHistory &slot = slots[each.slot];
      slot.copies.assign(steps.size() + 1, 0);
      slot.reads = slot.ended = slot.copies;
    }
  std::deque<uint64_t> underWay;
  for (size_t i = 0; i < steps.size(); ++i) {
    for (auto &[address, slot] : slots) {
      slot.copies[i + 1] = slot.copies[i];
      slot.reads[i + 1] = slot.reads[i];
      slot.ended[i + 1] = slot.ended[i];
    }
    if (steps[i].kind == Step::Copy) {
      ++slots[steps[i].slot].copies[i + 1];
    } else if (steps[i].kind == Step::Read) {
      ++slots[steps[i].slot].reads[i + 1];
      underWay.push_back(steps[i].slot);
    }
    while (steps[i].kind == Step::FinishReads &&
           static_cast<int64_t>(underWay.size()) > steps[i].number) {
      ++slots[underWay.front()].ended[i + 1];
      underWay.pop_front();
    }
  }
}

bool Explorer::canRun(const State &state, uint32_t role) const {
  uint32_t number = state.at[role];
  if (number == protocol.roles[role].steps.size())
    return false;
  const Step &next = step(role, number);
  if (next.kind != Step::Wait)
    return true;
  // The phase with this parity is over when the one that runs has the other.
  return state.barriers[numbers.at(next.barrier)].phase % 2 != next.number;
}

/// Ends the phase of a barrier where all that it waits for has come.
std::string Explorer::settle(State &state, size_t barrier) const {
  BarrierState &at = state.barriers[barrier];
  if (at.pending < 0)
    return "more arrivals come to a barrier than it was made for";
  if (at.pending == 0 && at.bytes == 0) {
    at.pending = protocol.barriers[barrier].arrivals;
    // Two phases are told from each other by their parity alone.
    ++at.phase;
  }
  return {};
}

std::string Explorer::startCopy(State &state, uint32_t role) const {
  const Step &copy = step(role, state.at[role]);
  uint32_t round = history[role].at(copy.slot).copies[state.at[role]];
  for (auto [other, number] : state.copies)
    if (step(other, number).slot == copy.slot)
      return name(role) + " fills a slot that a copy under way fills";
  for (uint32_t other = 0; other < protocol.roles.size(); ++other) {
    auto found = history[other].find(copy.slot);
    if (found == history[other].end() || !found->second.reads.back())
      continue;
    uint32_t ended = found->second.ended[state.at[other]];
    uint32_t started = found->second.reads[state.at[other]];
    if (ended < round)
      return name(role) + " fills a slot that " + name(other) +
             (started > ended ? " still reads" : " has yet to read");
  }
  state.copies.push_back({role, state.at[role]});
  std::sort(state.copies.begin(), state.copies.end());
  return {};
}

std::string Explorer::startRead(const State &state, uint32_t role) const {
  const Step &read = step(role, state.at[role]);
  uint32_t round = history[role].at(read.slot).reads[state.at[role]] + 1;
  uint32_t filled = 0;
  for (uint32_t other = 0; other < protocol.roles.size(); ++other)
    if (auto found = history[other].find(read.slot);
        found != history[other].end())
      filled += found->second.copies[state.at[other]];
  for (auto [other, number] : state.copies)
    if (step(other, number).slot == read.slot)
      return name(role) + " reads a slot before it is full";
  if (filled < round)
    return name(role) + " reads a slot before it is filled";
  if (filled > round)
    return name(role) + " reads a slot that has been filled again";
  return {};
}

std::string Explorer::runStep(State &state, uint32_t role) const {
  const Step &next = step(role, state.at[role]);
  std::string wrong;
  if (next.kind == Step::Arrive) {
    size_t barrier = numbers.at(next.barrier);
    state.barriers[barrier].bytes += next.number;
    --state.barriers[barrier].pending;
    wrong = settle(state, barrier);
  } else if (next.kind == Step::Copy) {
    wrong = startCopy(state, role);
  } else if (next.kind == Step::Read) {
    wrong = startRead(state, role);
  }
  ++state.at[role];
  return wrong;
}

std::string Explorer::finishCopy(State &state, size_t which) const {
  auto [role, number] = state.copies[which];
  state.copies.erase(state.copies.begin() + static_cast<long>(which));
  const Step &copy = step(role, number);
  size_t barrier = numbers.at(copy.barrier);
  state.barriers[barrier].bytes -= copy.number;
  return settle(state, barrier);
}

std::string Explorer::whoWaits(const State &state) const {
  std::string text = "nobody can go on";
  for (uint32_t role = 0; role < protocol.roles.size(); ++role) {
    uint32_t number = state.at[role];
    if (number < protocol.roles[role].steps.size())
      text += "; " + name(role) + " waits for barrier " +
              std::to_string(step(role, number).barrier);
  }
  return text;
}

std::string Explorer::run(uint64_t &explored, uint64_t mostStates) {
  State first;
  first.at.resize(protocol.roles.size());
  for (const ProtocolBarrier &barrier : protocol.barriers)
    first.barriers.push_back({barrier.arrivals, 0, 0});
  std::unordered_set<std::string> known = {first.key()};
  std::deque<State> open = {first};
  while (!open.empty()) {
    State state = std::move(open.front());
    open.pop_front();
    explored = known.size();
    if (explored > mostStates)
      return "there are more than " + std::to_string(mostStates) + " states";
    bool goesOn = false;
    auto visit = [&](State next, const std::string &wrong) {
      goesOn = true;
      if (wrong.empty() && known.insert(next.key()).second)
        open.push_back(std::move(next));
      return wrong;
    };
    for (uint32_t role = 0; role < state.at.size(); ++role)
      if (canRun(state, role)) {
        State next = state;
        std::string wrong = runStep(next, role);
        if (!visit(std::move(next), wrong).empty())
          return wrong;
      }
    for (size_t copy = 0; copy < state.copies.size(); ++copy) {
      State next = state;
      std::string wrong = finishCopy(next, copy);
      if (!visit(std::move(next), wrong).empty())
        return wrong;
    }
    bool isOver = true;
    for (uint32_t role = 0; role < state.at.size(); ++role)
      isOver &= state.at[role] == protocol.roles[role].steps.size();
    if (!goesOn && !isOver)
      return whoWaits(state);
  }
  return {};
}

std::string checkProtocol(const Protocol &protocol, uint64_t *explored,
                          uint64_t mostStates) {
  uint64_t states = 0;
  for (const ProtocolRole &role : protocol.roles)
    for (const ProtocolStep &step : role.steps)
      if (step.kind == ProtocolStep::Wait ||
          step.kind == ProtocolStep::Arrive || step.kind == ProtocolStep::Copy)
        if (std::none_of(protocol.barriers.begin(), protocol.barriers.end(),
                         [&](const ProtocolBarrier &barrier) {
                           return barrier.address == step.barrier;
                         }))
          return role.name + " uses a barrier that nobody made, " +
                 std::to_string(step.barrier);
  std::string wrong = Explorer(protocol).run(states, mostStates);
  if (explored)
    *explored = states;
  return wrong;
}

} // namespace heddle::ws
