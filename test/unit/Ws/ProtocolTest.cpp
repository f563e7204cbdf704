// The protocol of a ring is sound, and each mutant of it is found to be wrong
// in its own way.

#include "dialects/Ws/Protocol.h"

#include "gtest/gtest.h"

#include <functional>

using namespace heddle::ws;

namespace {

using Step = ProtocolStep;
constexpr uint64_t kDepth = 3;
constexpr int64_t kBytes = 128;

uint64_t full(uint64_t stage) { return stage; }
uint64_t empty(uint64_t stage) { return kDepth + stage; }

/// A producer and two consumers that go round a ring of three slots twice and
/// two steps further. What a step reads is in use until the next has started.
Protocol ring() {
  Protocol protocol;
  ProtocolRole producer{"producer", {}};
  for (uint64_t stage = 0; stage < kDepth; ++stage) {
    protocol.barriers.push_back({full(stage), 1});
    protocol.barriers.push_back({empty(stage), 2});
  }
  constexpr uint64_t steps = 2 * kDepth + 2;
  for (uint64_t step = 0; step < steps; ++step) {
    uint64_t stage = step % kDepth;
    int64_t parity = int64_t(step / kDepth % 2);
    producer.steps.push_back({Step::Wait, empty(stage), 0, 1 - parity});
    producer.steps.push_back({Step::Arrive, full(stage), 0, kBytes});
    producer.steps.push_back({Step::Copy, full(stage), stage, kBytes});
  }
  protocol.roles.push_back(producer);
  for (const char *name : {"first consumer", "second consumer"}) {
    ProtocolRole consumer{name, {}};
    for (uint64_t step = 0; step < steps; ++step) {
      uint64_t stage = step % kDepth;
      int64_t parity = int64_t(step / kDepth % 2);
      consumer.steps.push_back({Step::Wait, full(stage), 0, parity});
      consumer.steps.push_back({Step::Read, 0, stage, 0});
      consumer.steps.push_back({Step::FinishReads, 0, 0, 1});
      if (step)
        consumer.steps.push_back(
            {Step::Arrive, empty((step - 1) % kDepth), 0, 0});
    }
    consumer.steps.push_back({Step::FinishReads, 0, 0, 0});
    consumer.steps.push_back({Step::Arrive, empty((steps - 1) % kDepth), 0, 0});
    protocol.roles.push_back(consumer);
  }
  return protocol;
}

TEST(Protocol, RingIsSound) {
  uint64_t states = 0;
  EXPECT_EQ(checkProtocol(ring(), &states), "");
  EXPECT_GT(states, 1000u);
  EXPECT_NE(checkProtocol(ring(), nullptr, 1000).find("more than 1000 states"),
            std::string::npos);
}

/// The first step of `kind` in `role` from `from` on.
Step &find(Protocol &protocol, size_t role, Step::Kind kind, size_t from = 0) {
  auto &steps = protocol.roles[role].steps;
  while (steps[from].kind != kind)
    ++from;
  return steps[from];
}

void erase(Protocol &protocol, size_t role, Step::Kind kind, size_t from = 0) {
  auto &steps = protocol.roles[role].steps;
  while (steps[from].kind != kind)
    ++from;
  steps.erase(steps.begin() + ptrdiff_t(from));
}

TEST(Protocol, MutantsAreFound) {
  struct Mutant {
    const char *name;
    std::function<void(Protocol &)> change;
    const char *report;
  };
  const Mutant mutants[] = {
      {"the producer waits for the wrong parity",
       [](Protocol &p) { find(p, 0, Step::Wait).number ^= 1; },
       "nobody can go on"},
      {"the producer does not wait for an empty slot",
       [](Protocol &p) { erase(p, 0, Step::Wait, 3 * kDepth); },
       "more arrivals come to a barrier"},
      {"the producer waits for a phase too early",
       [](Protocol &p) { find(p, 0, Step::Wait, 3 * kDepth).number ^= 1; },
       "more arrivals come to a barrier"},
      {"a consumer does not wait for a full slot",
       [](Protocol &p) { erase(p, 1, Step::Wait); },
       "first consumer reads a slot before it is f"},
      {"a consumer waits for the wrong parity",
       [](Protocol &p) { find(p, 1, Step::Wait).number ^= 1; },
       "first consumer reads a slot before it is f"},
      {"fewer bytes are expected than come",
       [](Protocol &p) { find(p, 0, Step::Arrive).number = kBytes / 2; },
       "nobody can go on"},
      {"more bytes are expected than come",
       [](Protocol &p) { find(p, 0, Step::Arrive).number = 2 * kBytes; },
       "nobody can go on"},
      {"no bytes are expected",
       [](Protocol &p) { find(p, 0, Step::Arrive).number = 0; },
       "consumer reads a slot before it is f"},
      {"a slot is given back while it is read",
       [](Protocol &p) {
         for (size_t role : {1, 2})
           for (Step &step : p.roles[role].steps)
             if (step.kind == Step::FinishReads && step.number == 1)
               step.number = 2;
       },
       "producer fills a slot that first consumer still reads"},
      {"a slot is given back before it is read",
       [](Protocol &p) {
         for (size_t role : {1, 2}) {
           erase(p, role, Step::Arrive);
           auto &steps = p.roles[role].steps;
           steps.insert(steps.begin() + 1, {Step::Arrive, empty(0), 0, 0});
         }
       },
       "producer fills a slot that"},
      {"a slot is not given back",
       [](Protocol &p) { erase(p, 2, Step::Arrive); }, "nobody can go on"},
      {"a barrier is made for fewer arrivals",
       [](Protocol &p) { p.barriers[1].arrivals = 1; },
       "producer fills a slot"},
      {"a barrier is made for more arrivals",
       [](Protocol &p) { p.barriers[1].arrivals = 3; }, "nobody can go on"},
      {"a barrier is not made",
       [](Protocol &p) { p.barriers.erase(p.barriers.begin()); },
       "uses a barrier that nobody made"},
      {"a copy counts at another slot's barrier",
       [](Protocol &p) { find(p, 0, Step::Copy).barrier = full(1); },
       "nobody can go on"},
  };
  for (const Mutant &mutant : mutants) {
    Protocol protocol = ring();
    mutant.change(protocol);
    std::string found = checkProtocol(protocol);
    EXPECT_NE(found.find(mutant.report), std::string::npos)
        << mutant.name << ": " << found;
  }
}

} // namespace
