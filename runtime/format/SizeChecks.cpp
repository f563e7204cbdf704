// Lists the comparisons that a program needs at each new choice of sizes, and
// makes them.

#include "runtime/format/SizeChecks.h"

#include "runtime/format/Counts.h"
#include "runtime/format/Scratch.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace heddle;
using namespace heddle::format;

namespace heddle::format {
class SizeCheckMaker {
public:
  explicit SizeCheckMaker(const ProgramView &view)
      : view(view), counts(view.plan, view.program),
        lives(length(view.program.buffers())) {}

  bool run();
  SizeChecks checks;

private:
  struct Life {
    int64_t first = INT64_MAX, last = -1;
  };
  struct Loop {
    int64_t first, last;
  };

  bool isFixed(uint32_t expression) const {
    return view.plan.expressions()->Get(expression)->kind() ==
           ExpressionKind::constant;
  }
  void bound(uint32_t expression, int64_t least, int64_t most) {
    if (!isFixed(expression))
      checks.ranges.push_back({expression, least, most});
  }
  const Buffer &bufferOf(const Binding &binding) const {
    return *view.program.buffers()->Get(binding.buffer());
  }
  bool touch(const Binding *binding);
  bool touchFixed(const Binding *binding) {
    return touch(binding) && isFixed(bufferOf(*binding).size());
  }
  bool launch(const Launch &launch, uint32_t queue);
  bool fill(const Fill &fill);
  bool command(const Command &command);
  bool block(uint32_t index);
  bool buffer(const Buffer &buffer);
  void replaced();
  bool order();

  const ProgramView &view;
  PassedCounts counts;
  std::vector<Life> lives; ///< By buffer.
  std::vector<Loop> loops;
  int64_t now = 0;
  std::vector<uint32_t> partOf; ///< By buffer; `none` without.
};
} // namespace heddle::format

bool SizeCheckMaker::touch(const Binding *binding) {
  if (!binding || binding->size() != none || !isFixed(binding->offset()) ||
      view.values[binding->offset()] != 0)
    return false;
  Life &life = lives[binding->buffer()];
  life.first = std::min(life.first, now);
  life.last = std::max(life.last, now);
  return true;
}

bool SizeCheckMaker::launch(const Launch &launch, uint32_t queue) {
  auto isPlain = [&](uint32_t kernel) {
    return !view.variant.kernels()->Get(kernel)->custom_call();
  };
  if (!isPlain(launch.kernel()))
    return false;
  for (uint32_t i = 0; i < length(launch.alternatives()); ++i)
    if (!isPlain(launch.alternatives()->Get(i)))
      return false;
  // What follows from counts before is checked for these.
  auto boundTold = [&](uint32_t number, int64_t least) {
    if (!counts.isTold(number, queue))
      bound(number, least, maximumBytes);
  };
  boundTold(launch.tiles(), 0);
  boundTold(launch.chunk(), 1);
  if (launch.scratch() != none)
    bound(launch.scratch(), 0, int64_t(mostScratch(launch, view.variant)));
  for (uint32_t i = 0; i < length(launch.bindings()); ++i)
    if (!touch(launch.bindings()->Get(i)))
      return false;
  return true;
}

bool SizeCheckMaker::fill(const Fill &fill) {
  if (!touch(fill.target()))
    return false;
  uint32_t size = bufferOf(*fill.target()).size();
  if (!isFixed(size) && fill.pattern_bytes() > 1)
    checks.multiples.push_back({size, fill.pattern_bytes()});
  if (fill.value() == none)
    return true;
  int64_t most = fill.pattern_bytes() == 8
                     ? INT64_MAX
                     : (int64_t(1) << (8 * fill.pattern_bytes() - 1)) - 1;
  bound(fill.value(), -most - 1, most);
  return true;
}

bool SizeCheckMaker::command(const Command &command) {
  ++now;
  if (const Launch *action = command.action_as_Launch())
    return launch(*action, command.queue());
  if (const Fill *action = command.action_as_Fill())
    return fill(*action);
  if (const Copy *copy = command.action_as_Copy()) {
    if (!touch(copy->source()) || !touch(copy->target()))
      return false;
    checks.equals.push_back(
        {bufferOf(*copy->source()).size(), bufferOf(*copy->target()).size()});
    return true;
  }
  if (const Count *count = command.action_as_Count())
    return counts.pass(count->symbol(), command.queue()) &&
           touchFixed(count->source());
  if (const Branch *branch = command.action_as_Branch()) {
    if (branch->selector() && !touchFixed(branch->selector()))
      return false;
    for (uint32_t i = 0; i < length(branch->blocks()); ++i)
      if (!block(branch->blocks()->Get(i)))
        return false;
    return true;
  }
  if (const format::Loop *loop = command.action_as_Loop()) {
    int64_t first = now;
    if (loop->trips() != none) {
      if (!isFixed(loop->trips()))
        return false;
    } else {
      if (!block(loop->condition()))
        return false;
      ++now;
      if (!touchFixed(loop->flag()))
        return false;
    }
    if (!block(loop->body()))
      return false;
    loops.push_back({first, now});
    return true;
  }
  return false;
}

bool SizeCheckMaker::block(uint32_t index) {
  const auto *commands = view.program.blocks()->Get(index)->commands();
  for (uint32_t i = 0; i < length(commands); ++i)
    if (!command(*commands->Get(i)))
      return false;
  return true;
}

bool SizeCheckMaker::buffer(const Buffer &buffer) {
  partOf.push_back(none);
  bound(buffer.size(), 0, maximumBytes);
  switch (buffer.kind()) {
  case BufferKind::arena: {
    uint32_t memory = view.program.arenas()->Get(buffer.index())->size();
    partOf.back() = static_cast<uint32_t>(checks.parts.size());
    checks.parts.push_back({buffer.offset(), buffer.size(), memory});
    return true;
  }
  case BufferKind::input:
    checks.wholes.push_back(
        {buffer.size(), view.entry->inputs()->Get(buffer.index())});
    return true;
  case BufferKind::output:
    checks.wholes.push_back(
        {buffer.size(), view.entry->outputs()->Get(buffer.index())});
    return true;
  default:
    return isFixed(buffer.size()) && isFixed(buffer.offset());
  }
}

/// Of outputs that have other extents than the inputs that they replace: those
/// of the same have the same bytes at all sizes.
void SizeCheckMaker::replaced() {
  for (uint32_t i = 0; i < view.outputs(); ++i) {
    const Tensor &output = *view.entry->outputs()->Get(i);
    if (output.alias() == none)
      continue;
    const Tensor &input = *view.entry->inputs()->Get(output.alias());
    bool same = length(output.shape()) == length(input.shape());
    for (uint32_t j = 0; same && j < length(output.shape()); ++j)
      same = output.shape()->Get(j) == input.shape()->Get(j);
    if (!same)
      checks.replaced.push_back({&output, &input});
  }
}

/// Which parts of an arena end before others begin: neighbours among those that
/// are in use at once, which says it of all of them.
bool SizeCheckMaker::order() {
  struct Event {
    int64_t time;
    bool ends;
    uint32_t part;
    bool operator<(const Event &other) const {
      return std::make_tuple(time, ends, part) <
             std::make_tuple(other.time, other.ends, other.part);
    }
  };
  std::vector<Event> events;
  for (uint32_t i = 0; i < lives.size(); ++i) {
    if (partOf[i] == none || lives[i].last < 0)
      continue;
    uint32_t size = checks.parts[partOf[i]].size;
    if (view.values[size] == 0) {
      if (!isFixed(size))
        return false;
      continue;
    }
    Life wide = lives[i];
    for (const Loop &loop : loops)
      if (lives[i].first <= loop.last && lives[i].last >= loop.first &&
          (lives[i].first < loop.first || lives[i].last > loop.last)) {
        wide.first = std::min(wide.first, loop.first);
        wide.last = std::max(wide.last, loop.last);
      }
    events.push_back({wide.first, false, partOf[i]});
    events.push_back({wide.last, true, partOf[i]});
  }
  std::sort(events.begin(), events.end());
  std::set<std::pair<int64_t, uint32_t>> active;
  std::set<std::pair<uint32_t, uint32_t>> known;
  auto add = [&](uint32_t first, uint32_t second) {
    if (known.emplace(first, second).second)
      checks.orders.push_back({first, second});
  };
  for (const Event &event : events) {
    std::pair<int64_t, uint32_t> key = {
        view.values[checks.parts[event.part].offset], event.part};
    if (!event.ends) {
      auto at = active.insert(key).first;
      if (at != active.begin())
        add(std::prev(at)->second, event.part);
      if (std::next(at) != active.end())
        add(event.part, std::next(at)->second);
      continue;
    }
    auto next = active.erase(active.find(key));
    if (next != active.begin() && next != active.end())
      add(std::prev(next)->second, next->second);
  }
  return true;
}

bool SizeCheckMaker::run() {
  if (!view.entry || length(view.plan.queues()) > 1 ||
      length(view.variant.devices()) > 1)
    return false;
  for (uint32_t i = 0; i < length(view.program.arenas()); ++i)
    bound(view.program.arenas()->Get(i)->size(), 0, maximumBytes);
  for (uint32_t i = 0; i < length(view.program.buffers()); ++i)
    if (!buffer(*view.program.buffers()->Get(i)))
      return false;
  replaced();
  return block(view.program.body()) && order() &&
         checks.hold(view.values, view.manifestValues);
}

std::optional<SizeChecks> SizeChecks::make(const ProgramView &view) {
  SizeCheckMaker maker(view);
  if (!maker.run())
    return std::nullopt;
  return std::move(maker.checks);
}

bool SizeChecks::hold(const std::vector<int64_t> &values,
                      const std::vector<int64_t> &manifestValues) const {
  for (const Range &range : ranges)
    if (values[range.expression] < range.least ||
        values[range.expression] > range.most)
      return false;
  for (const Part &part : parts) {
    int64_t offset = values[part.offset], size = values[part.size];
    if (offset < 0 || offset % int64_t(weightAlignment) || size < 0 ||
        offset > values[part.memory] || size > values[part.memory] - offset)
      return false;
  }
  for (const Order &order : orders)
    if (values[parts[order.first].offset] + values[parts[order.first].size] >
        values[parts[order.second].offset])
      return false;
  for (const Pair &pair : equals)
    if (values[pair.left] != values[pair.right])
      return false;
  for (const Pair &pair : multiples)
    if (values[pair.left] % pair.right)
      return false;
  for (const Whole &whole : wholes)
    if (values[whole.size] != tensorBytes(*whole.tensor, manifestValues))
      return false;
  for (const Replaced &pair : replaced)
    if (tensorBytes(*pair.output, manifestValues) !=
        tensorBytes(*pair.input, manifestValues))
      return false;
  return true;
}
