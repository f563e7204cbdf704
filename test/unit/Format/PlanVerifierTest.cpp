// Plans with one fault each, which the verifier names.

#include "FaultyPlans.h"

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

namespace {
LaunchT &launchAt(Model &model, size_t command, size_t block = 0) {
  return *model.program().blocks[block]->commands[command]->action.AsLaunch();
}
} // namespace

// The addition's first program: buffers 0 left, 1 right, 2 bias (weight),
// 3 first, 4 second (arena, the same place), 5 sum.
Model additionOnly() {
  Model model = additionModel();
  model.manifest.entries.pop_back();
  model.plan.programs.pop_back();
  return model;
}

TEST(PlanVerifier, GoodPlans) {
  for (Model (*make)() :
       {additionModel, controlModel, customModel, dynamicModel, countedModel,
        countedTwoModel, countedPlacedModel})
    EXPECT_EQ(verify(make()), "");
}

TEST(PlanVerifier, Buffers) {
  check(
      {
          {"no proper size",
           [](Model &m) { m.program().buffers[3]->size = 9999; }},
          {"no proper size",
           [](Model &m) { m.program().buffers[3]->size = m.constant(-64); }},
          {"lies outside its memory",
           [](Model &m) { m.program().buffers[3]->offset = m.constant(8192); }},
          {"lies outside its memory", // not a multiple of 64
           [](Model &m) { m.program().buffers[3]->offset = m.constant(32); }},
          {"lies outside its memory",
           [](Model &m) { m.program().arenas[0]->size = m.constant(3999); }},
          {"no proper arena size",
           [](Model &m) { m.program().arenas[0]->size = m.constant(-1); }},
          {"unknown device",
           [](Model &m) { m.program().buffers[3]->device = 1; }},
          {"stands for something unknown",
           [](Model &m) { m.program().buffers[0]->index = 2; }},
          {"stands for something unknown",
           [](Model &m) { m.program().buffers[2]->index = 2; }},
          {"has 4000 bytes, what it stands for 12",
           [](Model &m) { m.program().buffers[2]->index = 1; }},
          {"for an unknown entry", [](Model &m) { m.program().entry = 5; }},
      },
      additionOnly);
}

TEST(PlanVerifier, Launches) {
  check(
      {
          {"unknown kernel", [](Model &m) { launchAt(m, 0).kernel = 1; }},
          {"binds 2 buffers instead of 3",
           [](Model &m) { launchAt(m, 0).bindings.pop_back(); }},
          {"passes 1 integers instead of 2",
           [](Model &m) { launchAt(m, 0).integers.pop_back(); }},
          {"unknown integer",
           [](Model &m) { launchAt(m, 0).integers[0] = none; }},
          {"no proper tile count",
           [](Model &m) { launchAt(m, 0).tiles = m.constant(-1); }},
          {"no proper tile count",
           [](Model &m) { launchAt(m, 0).chunk = m.constant(0); }},
          {"unknown buffer",
           [](Model &m) {
             launchAt(m, 0).bindings[0] = m.bind(77, Access::read);
           }},
          {"beyond the end",
           [](Model &m) {
             launchAt(m, 0).bindings[0] =
                 Binding(0, m.constant(64), m.constant(3968), Access::read);
           }},
          {"beyond the end",
           [](Model &m) {
             launchAt(m, 0).bindings[0] =
                 Binding(0, m.constant(-1), none, Access::read);
           }},
          {"for nothing",
           [](Model &m) {
             launchAt(m, 0).bindings[0] = m.bind(0, Access::none);
           }},
          {"can only be read", // an input
           [](Model &m) {
             launchAt(m, 0).bindings[2] = m.bind(0, Access::write);
           }},
          {"can only be read", // a weight
           [](Model &m) {
             launchAt(m, 0).bindings[2] = m.bind(2, Access::write);
           }},
          {"unknown node",
           [](Model &m) { m.program().blocks[0]->commands[0]->nodes = {3}; }},
          {"unknown queue",
           [](Model &m) { m.program().blocks[0]->commands[0]->queue = 1; }},
          {"no action",
           [](Model &m) {
             m.program().blocks[0]->commands[0]->action.Reset();
           }},
      },
      additionOnly);
}

TEST(PlanVerifier, Values) {
  check(
      {
          {"do not hold that buffer's value", // read before written
           [](Model &m) {
             launchAt(m, 0).bindings[0] = m.bind(3, Access::read);
           }},
          {"do not hold that buffer's value", // 3 was replaced in place by 4
           [](Model &m) {
             launchAt(m, 2).bindings[0] = m.bind(3, Access::read);
           }},
          {"do not hold that buffer's value", // 5 is read while 3 is alive
           [](Model &m) {
             launchAt(m, 1).bindings[1] = m.bind(5, Access::read);
           }},
          {"overlaps binding", // in place, which this kernel no longer allows
           [](Model &m) { m.kernels[0].inPlace.clear(); }},
          {"overlaps binding", // in place with a shift
           [](Model &m) { m.program().buffers[4]->offset = m.constant(64); }},
          {"", // apart: no overlap at all
           [](Model &m) {
             m.kernels[0].inPlace.clear();
             m.program().buffers[4]->offset = m.constant(4032);
           }},
          {"output 'sum' unwritten",
           [](Model &m) { m.program().blocks[0]->commands.pop_back(); }},
          {"output 'sum' unwritten",
           [](Model &m) {
             launchAt(m, 2).bindings[2] =
                 Binding(5, m.constant(4), none, Access::write);
           }},
          {"never enters block 1",
           [](Model &m) {
             m.program().blocks.push_back(std::make_unique<BlockT>());
           }},
      },
      additionOnly);
}

/// Two queues: first = left + right and second = right + bias at once, then
/// sum = first + second.
static Model twoQueues() {
  Model model = additionOnly();
  model.current = model.plan.programs.front().get();
  model.plan.queues.push_back(std::make_unique<QueueT>());
  ProgramT &program = model.program();
  program.events = 2;
  program.buffers[4]->offset = model.constant(4032);
  launchAt(model, 1).bindings[0] = model.bind(1, Access::read);
  launchAt(model, 2).bindings[1] = model.bind(3, Access::read);
  auto &commands = program.blocks[0]->commands;
  commands[1]->queue = 1;
  commands[1]->signals = {1};
  commands[2]->waits = {1};
  return model;
}

TEST(PlanVerifier, Queues) {
  check(
      {
          {"", [](Model &) {}},
          {"touches bytes",
           [](Model &m) { m.program().blocks[0]->commands[2]->waits.clear(); }},
          {"touches bytes", // both write the same place at once
           [](Model &m) { m.program().buffers[4]->offset = m.constant(0); }},
          {"touches bytes", // one of two waits is missing
           [](Model &m) {
             m.program().blocks[0]->commands[2]->queue = 1;
             m.program().blocks[0]->commands[2]->waits = {};
           }},
          {"", // on the second queue it must wait for the first
           [](Model &m) {
             auto &commands = m.program().blocks[0]->commands;
             commands[0]->signals = {0};
             commands[2]->queue = 1;
             commands[2]->waits = {0};
           }},
          {"no command before it signals", // a cycle cannot be written down
           [](Model &m) {
             auto &commands = m.program().blocks[0]->commands;
             commands[2]->signals = {0};
             commands[0]->waits = {0};
           }},
          {"signals event 1 again",
           [](Model &m) { m.program().blocks[0]->commands[2]->signals = {1}; }},
          {"unknown event",
           [](Model &m) { m.program().blocks[0]->commands[2]->signals = {2}; }},
      },
      twoQueues);
}

TEST(PlanVerifier, Control) {
  // Blocks of the control model: 1 counted body, 2 condition, 3 body, 4 to 6
  // branches; the commands of block 0: 3 the counted loop, 4 the conditional
  // one, 5 the branch.
  auto loop = [](Model &m, size_t command) -> LoopT & {
    return *m.program().blocks[0]->commands[command]->action.AsLoop();
  };
  auto branch = [](Model &m) -> BranchT & {
    return *m.program().blocks[0]->commands[5]->action.AsBranch();
  };
  check(
      {
          {"unknown block", [&](Model &m) { loop(m, 3).body = 77; }},
          {"entered twice", [&](Model &m) { loop(m, 3).body = 3; }},
          {"entered twice", [&](Model &m) { branch(m).blocks[1] = 4; }},
          {"entered twice", [&](Model &m) { loop(m, 3).body = 0; }},
          {"branches to nothing",
           [&](Model &m) {
             branch(m).blocks.clear();
             m.program().blocks.resize(4);
           }},
          {"no integer",
           [&](Model &m) {
             *branch(m).selector =
                 Binding(1, m.constant(0), m.constant(2), Access::read);
           }},
          {"no boolean",
           [&](Model &m) { *loop(m, 4).flag = m.bind(0, Access::read); }},
          {"unknown number of times",
           [&](Model &m) { loop(m, 3).trips = m.constant(-1); }},
          {"do not hold", // the flag is set by the condition only
           [&](Model &m) { m.program().blocks[2]->commands.clear(); }},
          {"output 'chosen' unwritten", // by one branch of three
           [&](Model &m) { m.program().blocks[5]->commands.clear(); }},
          {"do not hold", // reads what init did not write
           [&](Model &m) { m.plan.init->blocks[0]->commands.clear(); }},
          {"can only be read", // persistent memory, outside init
           [&](Model &m) {
             launchAt(m, 6).bindings[0] = m.bind(7, Access::read_write);
           }},
      },
      controlModel);
}

TEST(PlanVerifier, Loops) {
  check(
      {
          {"", [](Model &) {}},
          {"do not hold", // good in the first round only: then it is replaced
           [](Model &m) {
             // Another owner of the place that `left` has.
             uint32_t other = m.buffer(BufferKind::arena, 0, 64, 0);
             FillT fill;
             fill.target =
                 std::make_unique<Binding>(m.bind(other, Access::write));
             auto command = std::make_unique<CommandT>();
             command->action.Set(std::move(fill));
             m.program().blocks[3]->commands.push_back(std::move(command));
           }},
          {"copies between parts",
           [](Model &m) {
             *m.program().blocks[0]->commands[2]->action.AsCopy()->source =
                 Binding(0, m.constant(0), m.constant(3), Access::read);
           }},
          {"pattern that does not fit",
           [](Model &m) {
             m.program()
                 .blocks[0]
                 ->commands[0]
                 ->action.AsFill()
                 ->pattern_bytes = 3;
           }},
      },
      controlModel);
}

TEST(PlanVerifier, Depth) {
  EXPECT_EQ(verify(deepModel()), "");
  Model model = additionOnly();
  model.current = model.plan.programs.front().get();
  ProgramT &program = model.program();
  for (uint32_t i = 0; i < maximumBlockDepth; ++i) {
    auto command = std::make_unique<CommandT>();
    LoopT loop;
    loop.trips = model.constant(1);
    loop.body = i + 1;
    command->action.Set(std::move(loop));
    program.blocks.back()->commands.push_back(std::move(command));
    model.block();
  }
  EXPECT_NE(verify(model).find("nested too deeply"), std::string::npos);
}

// Kernels: 0 affine, 1 step (an alias), 2 finish. Buffers: 0 x, 1 sum, 2 signs,
// 3 state, 4 nothing. Block 0: affine, loop, finish; block 1: step.
TEST(PlanVerifier, CustomCallBindings) {
  check(
      {
          {"", [](Model &) {}},
          {"binds operand 0 to 0 bytes, its type has 24",
           [](Model &m) {
             launchAt(m, 2).bindings[0] = m.bind(4, Access::read);
           }},
          {"binds result 0 to 24 bytes, its type has 48",
           [](Model &m) {
             m.kernels[0].customCall->results[0]->dtype = DataType::f64;
           }},
          {"binds operand 0 for another use than its own",
           [](Model &m) {
             launchAt(m, 0).bindings[0] = m.bind(
                 m.buffer(BufferKind::arena, 0, 24, 64), Access::read_write);
           }},
          {"binds result 1 for another use than its own",
           [](Model &m) {
             launchAt(m, 2).bindings[2] = m.bind(2, Access::read_write);
           }},
          {"binds result 0 to other memory than its operand",
           [](Model &m) {
             launchAt(m, 0, 1).bindings[2] =
                 m.bind(m.buffer(BufferKind::arena, 0, 24, 64), Access::write);
           }},
          {"overlaps binding", // in place without saying so
           [](Model &m) {
             launchAt(m, 0).bindings[1] = m.bind(3, Access::write);
             launchAt(m, 0).bindings[0] = m.bind(3, Access::read);
           }},
          {"where its elements are not aligned",
           [](Model &m) {
             m.program().arenas[0]->size = m.constant(256);
             launchAt(m, 2).bindings[0] =
                 Binding(m.buffer(BufferKind::arena, 0, 64, 128), m.constant(2),
                         m.constant(24), Access::read);
           }},
          {"where its elements are not aligned", // the caller's may not be
           [](Model &m) {
             m.manifest.entries[0]->inputs[0]->dtype = DataType::i8;
             m.manifest.entries[0]->inputs[0]->shape = {m.extent(24)};
           }},
          {"custom call of more than one tile",
           [](Model &m) { launchAt(m, 0).tiles = m.constant(2); }},
          {"which loading cannot do",
           [](Model &m) {
             m.plan.init = std::make_unique<ProgramT>();
             m.plan.init->entry = none;
             m.current = m.plan.init.get();
             m.memory(m.plan.init->arenas, 128);
             m.block();
             uint32_t a = m.buffer(BufferKind::arena, 0, 24);
             uint32_t b = m.buffer(BufferKind::arena, 0, 24, 64);
             m.launch(0, {m.bind(a, Access::read), m.bind(b, Access::write)},
                      {}, 1);
           }},
      },
      customModel);
}

TEST(PlanVerifier, CustomCallTables) {
  auto call = [](Model &m, size_t kernel) -> CustomCallT & {
    return *m.kernels[kernel].customCall;
  };
  check(
      {
          {"without saying that it needs them",
           [](Model &m) { m.requiredFeatures.clear(); }},
          {"needs 'custom-calls-2'",
           [](Model &m) { m.requiredFeatures.push_back("custom-calls-2"); }},
          {"has no proper name", [&](Model &m) { call(m, 0).target = ""; }},
          {"has no proper name",
           [&](Model &m) { call(m, 0).target = std::string("a\0b", 3); }},
          {"claims to have code", [](Model &m) { m.kernels[0].integers = 1; }},
          {"binds another number of buffers",
           [](Model &m) { m.kernels[0].bindings = 3; }},
          {"has a tensor that has an unknown extent",
           [&](Model &m) { call(m, 0).operands[0]->shape[0] = 99999; }},
          {"has a tensor that has no proper type",
           [&](Model &m) { call(m, 0).results[0]->dtype = DataType::none; }},
          {"has a tensor that has more than 64 dimensions",
           [&](Model &m) { call(m, 0).results[0]->shape.resize(65, 0); }},
          {"an operand that shares memory",
           [&](Model &m) { call(m, 1).operands[0]->alias = 1; }},
          {"share memory with no operand of theirs",
           [&](Model &m) { call(m, 1).results[0]->alias = 0; }},
          {"share memory with no operand of theirs",
           [&](Model &m) { call(m, 1).results[0]->alias = 2; }},
          {"share memory with no operand of theirs",
           [&](Model &m) { call(m, 1).results[0]->alias = none; }},
          {"share memory with no operand of theirs",
           [](Model &m) { m.kernels[1].inPlace.clear(); }},
          {"an attribute without a proper name",
           [&](Model &m) { call(m, 0).attributes[0]->name = ""; }},
          {"'bias' of no known kind",
           [&](Model &m) {
             call(m, 0).attributes[0]->kind = AttributeKind::none;
           }},
          {"'bias' of no known kind",
           [&](Model &m) {
             call(m, 0).attributes[0]->kind = AttributeKind::text;
           }},
          {"'bias' that is not one value",
           [&](Model &m) { call(m, 0).attributes[0]->reals.clear(); }},
          {"'exact' that is neither true nor false",
           [&](Model &m) { call(m, 0).attributes[1]->integers = {2}; }},
          {"'list' that is not one value",
           [&](Model &m) { call(m, 0).attributes[3]->is_array = false; }},
      },
      customModel);
}

// Commands 0 copies n to the count, 1 counts, 2 adds. Buffers 0 x, 1 n, 2
// count, 3 sum.
TEST(PlanVerifier, Counts) {
  auto countOf = [](Model &m) -> CountT & {
    return *m.program().blocks[0]->commands[1]->action.AsCount();
  };
  check(
      {
          {"counts what is no size that programs compute",
           [&](Model &m) { countOf(m).symbol = 1; }},
          {"counts what is no size that programs compute",
           [&](Model &m) {
             m.manifest.symbols.push_back(sizeSymbol("batch", 1, 4));
             countOf(m).symbol = 1;
           }},
          {"counts a size again",
           [&](Model &m) { m.command().action.Set(CountT(countOf(m))); }},
          {"counts by something that is no integer of 4 bytes",
           [&](Model &m) { *countOf(m).source = m.bind(0, Access::read); }},
          {"counts by something that is no integer of 4 bytes",
           [&](Model &m) {
             *countOf(m).source = m.bind(2, Access::read_write);
           }},
          // Nothing has been written there yet.
          {"do not hold",
           [&](Model &m) {
             std::swap(m.program().blocks[0]->commands[0],
                       m.program().blocks[0]->commands[1]);
           }},
          {"counts within a loop or a branch",
           [&](Model &m) {
             auto count = std::move(m.program().blocks[0]->commands[1]);
             LoopT loop;
             loop.trips = m.constant(1);
             loop.body = 1;
             m.program().blocks[0]->commands.erase(
                 m.program().blocks[0]->commands.begin() + 1);
             m.command().action.Set(std::move(loop));
             m.block();
             m.program().blocks[1]->commands.push_back(std::move(count));
           }},
          {"is about a count on sim:0, of which the variant does not say",
           [&](Model &m) {
             m.program().blocks[0]->commands[1]->queue =
                 m.device(DeviceKind::sim, 0);
           }},
          {"is about a count on sim:0, of which the variant does not say",
           [&](Model &m) {
             m.program().blocks[0]->commands[2]->queue =
                 m.device(DeviceKind::sim, 0);
           }},
          {"launch chooses a custom call by a count",
           [&](Model &m) {
             LaunchT &launch = launchAt(m, 2);
             launch.alternatives = {m.customCall("provided", CustomCallT())};
             launch.selector = m.symbol(0);
           }},
      },
      countedModel);
}

// Commands 0 copies n to the count on the cpu; on sim:0 1 copies x, 2 copies n,
// 3 counts, 4 adds, 5 copies the sum.
TEST(PlanVerifier, CountsOnDevices) {
  auto queueOf = [](Model &m, size_t command) -> uint32_t & {
    return m.program().blocks[0]->commands[command]->queue;
  };
  check({{"", [](Model &) {}},
         {"is about a count on sim:0, of which the variant does not say",
          [](Model &m) { m.requiredFeatures.clear(); }},
         {"is about a count in a second queue of sim:0",
          [&](Model &m) {
            m.plan.queues.push_back(
                std::make_unique<QueueT>(*m.plan.queues[1]));
            queueOf(m, 4) = 2;
          }},
         {"is about a count, which queues of cuda:0 do not read",
          [&](Model &m) {
            queueOf(m, 3) = m.device(DeviceKind::cuda, 0);
            m.grid = std::make_shared<KernelImage>(); // that nobody reads
          }},
         {"counts a size again",
          [](Model &m) {
            auto &commands = m.program().blocks[0]->commands;
            commands.insert(commands.begin() + 4,
                            std::make_unique<CommandT>(*commands[3]));
          }},
         // In front of the count it is what it is by the largest.
         {"launch has no proper tile count",
          [&](Model &m) {
            launchAt(m, 4).tiles =
                m.expression(ExpressionKind::add, m.symbol(0), m.constant(-65));
            auto &commands = m.program().blocks[0]->commands;
            std::swap(commands[3], commands[4]);
          }},
         {"",
          [&](Model &m) {
            launchAt(m, 4).tiles =
                m.expression(ExpressionKind::add, m.symbol(0), m.constant(-65));
          }},
         // Each of two devices counts for itself.
         {"",
          [&](Model &m) {
            uint32_t other = m.device(DeviceKind::sim, 1),
                     n = m.buffer(BufferKind::arena, m.arena(64, other), 4, 0,
                                  other);
            copyWhole(m, 1, n, other);
            m.command().action.Set(
                CountT(*m.program().blocks[0]->commands[3]->action.AsCount()));
            CommandT &count = *m.program().blocks[0]->commands.back();
            count.queue = other;
            *count.action.AsCount()->source = m.bind(n, Access::read);
          }}},
        countedPlacedModel);
}
