// Plans for several devices: what is right passes, and each fault that could
// make an answer wrong is found before anything runs.

#include "FaultyPlans.h"
#include "runtime/format/ArtifactReader.h"

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

namespace {
/// Writing verifies; nothing gets a name.
Error write(const Model &model) {
  static const KernelImage image = KernelImage::read(HEDDLE_TEST_KERNELS);
  ArtifactWriter writer;
  if (Error error = writer.openTemporary(nullptr))
    return error;
  return model.write(image, writer);
}

std::vector<std::unique_ptr<CommandT>> &commands(Model &model) {
  return model.program().blocks[0]->commands;
}
LaunchT &launchAt(Model &model, size_t command) {
  return *commands(model)[command]->action.AsLaunch();
}
CopyT &copyAt(Model &model, size_t command) {
  return *commands(model)[command]->action.AsCopy();
}

/// A command that fills `buffer`, on the queue of that number.
std::unique_ptr<CommandT> fill(Model &model, uint32_t buffer, uint32_t queue) {
  FillT fill;
  fill.target = std::make_unique<Binding>(model.bind(buffer, Access::write));
  auto command = std::make_unique<CommandT>();
  command->queue = queue;
  command->action.Set(std::move(fill));
  return command;
}
} // namespace

TEST(Devices, GoodPlans) {
  EXPECT_EQ(write(placedModel()).message(), "");
  EXPECT_EQ(write(laidOutModel()).message(), "");
  EXPECT_EQ(write(stateModel()).message(), "");
}

// Commands of the placed model: 0 and 1 copies to sim:0, 2 and 3 additions
// there, 4 back to the process (signals 0); 5 a copy to sim:1, 6 an addition
// there, 7 a copy to it (waits for 0), 8 an addition, 9 back (signals 1);
// 10 an addition on the cpu (waits for 1).
TEST(Devices, Mutants) {
  check(
      {
          // Order.
          {"command 7: touches bytes", // use before arrival
           [](Model &m) { commands(m)[7]->waits.clear(); }},
          {"command 10: touches bytes",
           [](Model &m) { commands(m)[10]->waits.clear(); }},
          {"command 10: touches bytes", // the wrong event
           [](Model &m) { commands(m)[10]->waits = {0}; }},
          {"command 8: touches bytes", // early reuse, after it was read there
           [](Model &m) {
             auto &list = commands(m);
             list.insert(list.begin() + 8, fill(m, placedHostSum, 0));
           }},
          {"do not hold", // early reuse, before it was read
           [](Model &m) {
             auto &list = commands(m);
             list.insert(list.begin() + 7, fill(m, placedHostSum, 0));
             list[7]->waits = {0};
           }},
          {"command 5: touches bytes", // of device memory, by another queue
           [](Model &m) {
             auto queue = std::make_unique<QueueT>();
             queue->device = 1;
             m.plan.queues.push_back(std::move(queue));
             auto &list = commands(m);
             list.insert(list.begin() + 5, fill(m, placedFirst0, 3));
           }},
          {"signals event 0 again",
           [](Model &m) { commands(m)[9]->signals = {0, 1}; }},
          {"which no command before it signals", // never fired
           [](Model &m) {
             m.program().events = 3;
             commands(m)[10]->waits = {1, 2};
           }},
          {"which no command before it signals",
           [](Model &m) { commands(m)[4]->signals.clear(); }},
          {"which no command before it signals", // each waits for the other
           [](Model &m) { commands(m)[0]->waits = {1}; }},
          {"signals an unknown event",
           [](Model &m) { commands(m)[3]->signals = {2}; }},
          // Places.
          {"runs on sim:1, which cannot reach buffer 5",
           [](Model &m) { commands(m)[2]->queue = 2; }},
          {"runs on cpu, which cannot reach buffer 5",
           [](Model &m) { commands(m)[2]->queue = 0; }},
          {"runs on sim:0, which cannot reach buffer 0, in host memory of cpu",
           [](Model &m) {
             launchAt(m, 2).bindings[0] = m.bind(placedLeft, Access::read);
           }},
          {"runs on cpu, which cannot reach buffer 13, in device memory of "
           "sim:1",
           [](Model &m) {
             launchAt(m, 10).bindings[0] = m.bind(placedSum1, Access::read);
           }},
          {"runs on sim:0, which cannot reach buffer 3",
           [](Model &m) {
             launchAt(m, 3).bindings[1] = m.bind(placedBias, Access::read);
           }},
          {"is a weight on sim:0, where init has to copy it first",
           [](Model &m) {
             m.program().buffers[placedBias]->device = 1;
             m.program().buffers[placedBias]->space = MemorySpace::device;
           }},
          {"runs on sim:1, which cannot reach buffer 8", // no way between them
           [](Model &m) {
             *copyAt(m, 7).source = m.bind(placedSecond0, Access::read);
           }},
          {"runs on cpu, which cannot reach buffer 5", // the cpu copies nothing
           [](Model &m) { commands(m)[0]->queue = 0; }},
          {"on a queue of sim:0, its code for cpu",
           [](Model &m) { launchAt(m, 2).kernel = launchAt(m, 10).kernel; }},
          {"on a queue of cpu, its code for sim",
           [](Model &m) { launchAt(m, 10).kernel = launchAt(m, 2).kernel; }},
          {"runs on cpu, which cannot reach buffer 11", // a flag over there
           [](Model &m) {
             BranchT branch;
             branch.selector = std::make_unique<Binding>(
                 placedDouble1, m.constant(0), m.constant(4), Access::read);
             m.block();
             branch.blocks = {1};
             auto command = std::make_unique<CommandT>();
             command->action.Set(std::move(branch));
             commands(m).push_back(std::move(command));
           }},
          {"is on another device than its memory",
           [](Model &m) { m.program().buffers[placedFirst0]->device = 2; }},
          {"is in a space that its device does not have",
           [](Model &m) {
             m.program().buffers[placedFirst0]->space = MemorySpace::host;
           }},
          {"is in an unknown memory",
           [](Model &m) { m.program().buffers[placedFirst0]->index = 3; }},
          {"lies outside its memory",
           [](Model &m) { m.program().arenas[1]->size = m.constant(8192); }},
          {"two arenas in one memory of sim:0",
           [](Model &m) { m.program().arenas[2]->device = 1; }},
          {"'main' is on another device than before", // two homes of an input
           [](Model &m) { m.buffer(BufferKind::input, 0, 4000, 0, 1); }},
          {"queue 2 is on an unknown device",
           [](Model &m) { m.plan.queues[2]->device = 3; }},
          // Values.
          {"do not hold", // init did not bring the weight
           [](Model &m) { m.plan.init->blocks[0]->commands.clear(); }},
          {"do not hold", // two values that are needed in one place
           [](Model &m) {
             m.program().buffers[placedRight0]->offset = m.constant(0);
           }},
          {"is a 'Send', which this version of heddle does not have",
           [](Model &m) {
             auto command = std::make_unique<CommandT>();
             command->action.Set(SendT());
             commands(m).push_back(std::move(command));
           }},
          {"is a 'Receive', which this version of heddle does not have",
           [](Model &m) {
             auto command = std::make_unique<CommandT>();
             command->action.Set(ReceiveT());
             commands(m).push_back(std::move(command));
           }},
      },
      placedModel);
}

/// What init does with a weight before programs read it. Commands: 0 a copy to
/// an arena of sim:0, 1 zeros beside it, 2 an addition to what is kept.
TEST(Devices, MutantsOfInit) {
  auto commands = [](Model &m) -> auto & {
    return m.plan.init->blocks[0]->commands;
  };
  auto copy = [=](Model &m) -> CopyT & {
    return *commands(m)[0]->action.AsCopy();
  };
  auto launch = [=](Model &m) -> LaunchT & {
    return *commands(m)[2]->action.AsLaunch();
  };
  auto buffer = [](Model &m, uint32_t number) -> BufferT & {
    return *m.plan.init->buffers[number];
  };
  auto firstHalf = [](Model &m, const Binding &whole) {
    return Binding(whole.buffer(), whole.offset(), m.constant(2000),
                   whole.access());
  };
  check(
      {
          {"the plan of init: block 0, command 1: launch of 'add' reads bytes "
           "[0, 4000) of an arena, which do not hold", // nothing is brought
           [=](Model &m) { commands(m).erase(commands(m).begin()); }},
          {"do not hold", // the kernel is before the copy
           [=](Model &m) { std::swap(commands(m)[0], commands(m)[2]); }},
          {"do not hold", // half is brought
           [=](Model &m) {
             *copy(m).source = firstHalf(m, *copy(m).source);
             *copy(m).target = firstHalf(m, *copy(m).target);
           }},
          {"do not hold", // the zeros are where the weight was brought
           [=](Model &m) { buffer(m, laidOutZeros).offset = m.constant(64); }},
          {"writes binding 2, which overlaps binding 0", // and not what is kept
           [=](Model &m) {
             launch(m).bindings[2] = m.bind(laidOutBrought, Access::write);
           }},
          {"do not hold", // nothing is laid out
           [=](Model &m) { commands(m).pop_back(); }},
          {"do not hold", // half of what is kept is written
           [=](Model &m) {
             Binding &kept = launch(m).bindings[2];
             kept = firstHalf(m, kept);
           }},
          {"lies outside its memory",
           [=](Model &m) { m.plan.init->arenas[0]->size = m.constant(4096); }},
          {"lies outside its memory",
           [=](Model &m) { m.plan.persistent[0]->size = m.constant(64); }},
          {"is in an unknown memory",
           [=](Model &m) { m.plan.init->arenas.clear(); }},
          {"has 4096 bytes, what it stands for 4000",
           [=](Model &m) { buffer(m, laidOutBias).size = m.constant(4096); }},
          {"copies", // to less than there is
           [=](Model &m) {
             buffer(m, laidOutBrought).size = m.constant(3000);
           }},
          {"runs on cpu, which cannot reach buffer 2",
           [=](Model &m) { commands(m)[2]->queue = 0; }},
          {"cannot reach buffer 0, in host memory of cpu",
           [=](Model &m) {
             launch(m).bindings[0] = m.bind(laidOutBias, Access::read);
           }},
          {"on a queue of sim:0, its code for cpu",
           [=](Model &m) { launch(m).kernel = m.kernel("add", 3, 2); }},
          {"command 2: touches bytes", // on another queue, without a wait
           [=](Model &m) {
             auto queue = std::make_unique<QueueT>();
             queue->device = 1;
             m.plan.queues.push_back(std::move(queue));
             commands(m)[2]->queue = 3;
           }},
          {"stands for something unknown", // init has no caller
           [=](Model &m) { buffer(m, laidOutBias).kind = BufferKind::input; }},
      },
      laidOutModel);
}

/// Nothing in the plan is there in vain: whichever command, wait or signal is
/// taken away, the rest is refused.
TEST(Devices, EachPartIsNeeded) {
  size_t count = 0;
  {
    Model model = placedModel();
    count = commands(model).size();
  }
  for (size_t i = 0; i < count; ++i) {
    Model model = placedModel();
    commands(model).erase(commands(model).begin() + ptrdiff_t(i));
    EXPECT_EQ(write(model).code(), HEDDLE_PLAN_INVALID) << "command " << i;
    for (auto list : {&CommandT::waits, &CommandT::signals}) {
      Model other = placedModel();
      std::vector<uint32_t> &events = (*commands(other)[i]).*list;
      if (events.empty())
        continue;
      events.clear();
      EXPECT_EQ(write(other).code(), HEDDLE_PLAN_INVALID) << "events of " << i;
    }
  }
}

TEST(Devices, Tables) {
  check(
      {
          {"does not begin its devices with a cpu",
           [](Model &m) {
             m.changeVariant = [](VariantT &v) { v.devices.clear(); };
           }},
          {"has a second cpu",
           [](Model &m) {
             m.changeVariant = [](VariantT &v) {
               v.devices[2]->kind = DeviceKind::cpu;
             };
           }},
          {"has the device sim:0 twice",
           [](Model &m) {
             m.changeVariant = [](VariantT &v) { v.devices[2]->ordinal = 0; };
           }},
          {"does not begin its code with that for the cpu",
           [](Model &m) {
             m.changeVariant = [](VariantT &v) {
               std::swap(v.images[0], v.images[1]);
             };
           }},
          {"has code of the format 'ptx' for a device of kind 'sim'",
           [](Model &m) {
             m.changeVariant = [](VariantT &v) {
               v.images[1]->format = CodeFormat::ptx;
             };
           }},
          {"has an image that is no code",
           [](Model &m) {
             m.changeVariant = [](VariantT &v) {
               v.images[1]->section = v.plan;
             };
           }},
          {"is in an unknown image",
           [](Model &m) {
             m.changeVariant = [](VariantT &v) { v.kernels[0]->image = 2; };
           }},
          {"lies outside the code",
           [](Model &m) {
             m.changeVariant = [](VariantT &v) {
               v.kernels[0]->launch.Set(GpuLaunchT());
             };
           }},
          {"places 1 states of 0",
           [](Model &m) { m.plan.states.emplace_back(0, MemorySpace::host); }},
      },
      placedModel);
}

/// A tensor map of binding 0, by which a kernel of a device copies boxes.
static DescriptorT boxes() {
  DescriptorT map;
  map.dtype = DataType::bf16;
  map.extents = {512, 4096};
  map.strides = {1024};
  map.box = {64, 128};
  map.swizzle = 128;
  return map;
}

/// Makes the kernels of the second image those of a device with grids, which
/// copy boxes by `map`.
static void copyBoxes(VariantT &variant, const DescriptorT &map) {
  for (auto &device : variant.devices)
    if (device->kind == DeviceKind::sim)
      device->kind = DeviceKind::cuda;
  variant.images[1]->device = DeviceKind::cuda;
  variant.images[1]->format = CodeFormat::ptx;
  for (auto &kernel : variant.kernels)
    if (kernel->image == 1) {
      GpuLaunchT launch;
      launch.block = {384};
      launch.descriptors.push_back(std::make_unique<DescriptorT>(map));
      kernel->launch.Set(std::move(launch));
    }
}

TEST(Devices, TensorMaps) {
  Model good = placedModel();
  good.changeVariant = [](VariantT &v) { copyBoxes(v, boxes()); };
  EXPECT_EQ(write(good).message(), "");
  auto with = [](std::function<void(DescriptorT &)> change) {
    return [change](Model &m) {
      m.changeVariant = [change](VariantT &v) {
        DescriptorT map = boxes();
        change(map);
        copyBoxes(v, map);
      };
    };
  };
  const char *improper = "has no proper tensor map";
  check(
      {
          {"names unknown buffers",
           with([](DescriptorT &map) { map.binding = 99; })},
          {improper, with([](DescriptorT &map) { map.extents.clear(); })},
          {improper, with([](DescriptorT &map) { map.extents[0] = 0; })},
          {improper, with([](DescriptorT &map) { map.strides.clear(); })},
          {improper, with([](DescriptorT &map) { map.strides[0] = 1020; })},
          {improper, with([](DescriptorT &map) { map.box.push_back(1); })},
          {improper, with([](DescriptorT &map) { map.box[1] = 257; })},
          {improper, with([](DescriptorT &map) { map.offset = 8; })},
          {improper, with([](DescriptorT &map) { map.swizzle = 48; })},
      },
      placedModel);
}

TEST(Devices, States) {
  auto state = [](Model &m) -> StateT & { return *m.manifest.states[0]; };
  auto use = [](Model &m, size_t entry) -> StateUseT & {
    return *m.manifest.entries[entry]->states[0];
  };
  check(
      {
          {"which can only be read",
           [&](Model &m) {
             use(m, 0).writes = false;
             use(m, 0).length = none;
           }},
          {"gives a length to a state that takes none",
           [&](Model &m) { use(m, 1).length = use(m, 0).length; }},
          {"gives a length to a state that takes none",
           [&](Model &m) { use(m, 0).length = 99; }},
          {"is a state that the entry does not use",
           [](Model &m) { m.manifest.entries[1]->states.clear(); }},
          {"uses an unknown state", [&](Model &m) { use(m, 0).state = 1; }},
          {"uses a state twice",
           [&](Model &m) {
             m.manifest.entries[0]->states.push_back(
                 std::make_unique<StateUseT>(use(m, 0)));
           }},
          {"finds a state of another rank",
           [&](Model &m) { use(m, 0).shape = {m.extent(1), m.extent(8)}; }},
          {"finds a state of an unknown extent",
           [&](Model &m) { use(m, 0).shape = {99}; }},
          {"has no proper type",
           [&](Model &m) { state(m).shape = {m.extent(-1)}; }},
          {"has no proper type", [&](Model &m) { state(m).shape = {99}; }},
          {"has an unknown length",
           [&](Model &m) {
             m.manifest.symbols[0]->source = SymbolSource::input;
             state(m).length = 1;
           }},
          {"is the length of no state",
           [&](Model &m) { state(m).length = none; }},
          {"a length that is no state's from 0 on",
           [&](Model &m) { m.manifest.symbols[0]->minimum = 1; }},
          {"a length that is no state's from 0 on",
           [&](Model &m) {
             m.manifest.symbols[0]->source = SymbolSource::input;
           }},
          {"a length of more than its dimension holds",
           [&](Model &m) { state(m).dimension = 1; }},
          {"a length of more than its dimension holds",
           [&](Model &m) {
             state(m).dimension = 0;
             m.manifest.symbols[0]->maximum = 9;
           }},
          {"has a dimension for a length that it lacks",
           [&](Model &m) {
             m.manifest.symbols[0]->source = SymbolSource::input;
             state(m).length = none;
             state(m).dimension = 0;
             use(m, 0).length = none;
           }},
          {"has 16 bytes, what it stands for 32",
           [](Model &m) { m.program().buffers[0]->size = m.constant(16); }},
          {"is on an unknown device",
           [](Model &m) { m.plan.states[0] = Home(1, MemorySpace::device); }},
          {"places 0 states of 1", [](Model &m) { m.plan.states.clear(); }},
          {"comes from 'rank', which this version of heddle does not have",
           [](Model &m) {
             m.manifest.symbols[0]->source = SymbolSource::rank;
           }},
      },
      stateModel);
}

/// The addition for `batch` rows, and for fewer than 3 another program.
static Model guardedModel() {
  Model model = dynamicModel();
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Program::Pack(builder, model.plan.programs[0].get()));
  auto copy = std::unique_ptr<ProgramT>(
      flatbuffers::GetRoot<Program>(builder.GetBufferPointer())->UnPack());
  copy->guard = model.expression(ExpressionKind::less, model.symbol(0),
                                 model.constant(3));
  model.plan.programs.insert(model.plan.programs.begin(), std::move(copy));
  return model;
}

TEST(Devices, Guards) {
  EXPECT_EQ(write(guardedModel()).message(), "");
  check(
      {
          {"a program after one without a guard",
           [](Model &m) { m.plan.programs[0]->guard = none; }},
          {"no program without a guard",
           [](Model &m) {
             m.plan.programs[1]->guard = m.plan.programs[0]->guard;
           }},
          {"unknown guard", [](Model &m) { m.plan.programs[0]->guard = 999; }},
          {"unwritten", // the one that the least batch takes
           [](Model &m) { m.plan.programs[0]->blocks[0]->commands.clear(); }},
      },
      guardedModel);
}

/// Kernels and blocks that the call's extents select.
TEST(Devices, Selection) {
  check(
      {
          {"has alternatives and selects none",
           [](Model &m) { launchAt(m, 10).alternatives = {0}; }},
          {"selects by an unknown expression",
           [](Model &m) { launchAt(m, 10).selector = 999; }},
          {"launches an unknown kernel",
           [](Model &m) {
             launchAt(m, 10).alternatives = {9};
             launchAt(m, 10).selector = m.constant(0);
           }},
          {"its code for sim", // also what is not taken
           [](Model &m) {
             launchAt(m, 10).alternatives = {0};
             launchAt(m, 10).selector = m.constant(0);
           }},
          {"does not branch on one thing",
           [](Model &m) {
             auto command = std::make_unique<CommandT>();
             command->action.Set(BranchT());
             commands(m).push_back(std::move(command));
           }},
          {"branches on an unknown expression",
           [](Model &m) {
             BranchT branch;
             branch.value = 999;
             auto command = std::make_unique<CommandT>();
             command->action.Set(std::move(branch));
             commands(m).push_back(std::move(command));
           }},
          {"has a grid of its own, which this version of heddle does not run",
           [](Model &m) { launchAt(m, 10).grid = {m.constant(4)}; }},
      },
      placedModel);
  Model model = placedModel();
  model.current = model.plan.programs.front().get();
  launchAt(model, 10).alternatives = {launchAt(model, 10).kernel};
  launchAt(model, 10).selector = model.constant(1);
  EXPECT_EQ(write(model).message(), "");
}

namespace {
/// What the reader says of a variant of each name.
std::string skippedOf(const Model &model, const std::string &name) {
  static const KernelImage image = KernelImage::read(HEDDLE_TEST_KERNELS);
  ArtifactWriter writer;
  ArtifactReader reader;
  if (Error error = writer.openTemporary(nullptr))
    return error.message();
  if (Error error = model.write(image, writer))
    return error.message();
  if (Error error = reader.open(writer.descriptor(), "test"))
    return error.message();
  for (uint32_t i = 0; i < reader.manifest().variants()->size(); ++i)
    if (reader.manifest().variants()->Get(i)->name()->str() == name)
      return reader.skipped(i);
  return "no such variant";
}
} // namespace

/// What a launch on a grid asks for and no driver gives skips the variant, too:
/// a kernel that was run without it would be another one.
TEST(Devices, LaunchDataThatNobodyUses) {
  struct Case {
    const char *reason;
    std::function<void(GpuLaunchT &)> change;
  };
  const Case cases[] = {
      {"", [](GpuLaunchT &) {}},
      {"launches in clusters of blocks",
       [](GpuLaunchT &launch) { launch.cluster = {2, 1, 1}; }},
      {"scratch for a launch on a grid",
       [](GpuLaunchT &launch) { launch.scratch = 64; }},
  };
  for (const Case &test : cases) {
    Model model = placedModel();
    model.changeVariant = [&](VariantT &v) {
      copyBoxes(v, boxes());
      for (auto &kernel : v.kernels)
        if (GpuLaunchT *launch = kernel->launch.AsGpuLaunch();
            launch && v.name == "impossible")
          test.change(*launch);
    };
    EXPECT_EQ(skippedOf(model, "impossible"), test.reason);
    EXPECT_EQ(skippedOf(model, "plain"), "");
  }
}

/// A block of threads as devices have them: drivers divide by their number.
TEST(Devices, BlocksOfThreads) {
  struct Case {
    std::vector<uint32_t> block;
    const char *wanted; ///< In the message; "" where it is right.
  };
  const char *wrong = "has no proper block of threads";
  const Case cases[] = {
      {{}, ""},
      {{1024}, ""},
      {{32, 32}, ""},
      {{1, 1, 64}, ""},
      {{0}, wrong},
      {{32, 0, 1}, wrong},
      {{1025}, wrong},
      {{1, 1, 65}, wrong},
      {{32, 33}, wrong},
      {{1024, 1024, 64}, wrong},
      {{0x80000000u, 2, 1}, wrong},
      {{65536, 65536, 1}, wrong},
      {{1, 1, 1, 1}, wrong},
  };
  for (const Case &test : cases) {
    Model model = placedModel();
    model.changeVariant = [&](VariantT &v) {
      copyBoxes(v, boxes());
      for (auto &kernel : v.kernels)
        if (GpuLaunchT *launch = kernel->launch.AsGpuLaunch())
          launch->block = test.block;
    };
    std::string message = write(model).message();
    if (*test.wanted)
      EXPECT_NE(message.find(test.wanted), std::string::npos) << message;
    else
      EXPECT_EQ(message, "");
  }
  Model model = placedModel();
  model.changeVariant = [&](VariantT &v) {
    copyBoxes(v, boxes());
    for (auto &kernel : v.kernels)
      if (GpuLaunchT *launch = kernel->launch.AsGpuLaunch())
        launch->shared_bytes = 0xffffffffu;
  };
  EXPECT_NE(write(model).message().find("asks for too much shared memory"),
            std::string::npos);
}

/// A variant that needs what the reader does not know is skipped, and nothing
/// in it is believed; the others are read.
TEST(Devices, UnknownVariantsAreSkipped) {
  struct Case {
    const char *reason;
    std::function<void(VariantT &)> change;
  };
  const Case cases[] = {
      {"'time-travel'",
       [](VariantT &v) { v.required_features = {"time-travel"}; }},
      {"kernels of ABI version 9", [](VariantT &v) { v.abi = 9; }},
      {"device kind 77",
       [](VariantT &v) { v.devices[0]->kind = DeviceKind(77); }},
      {"device kind 78",
       [](VariantT &v) { v.images[0]->device = DeviceKind(78); }},
      {"code format 9",
       [](VariantT &v) { v.images[0]->format = CodeFormat(9); }},
  };
  for (const Case &test : cases) {
    Model model = additionModel();
    model.changeVariant = [&](VariantT &v) {
      if (v.name != "impossible")
        return;
      test.change(v);
      v.kernels.clear(); // what would be refused if it were looked at
    };
    EXPECT_EQ(skippedOf(model, "impossible"), test.reason);
    EXPECT_EQ(skippedOf(model, "plain"), "");
    model.changeVariant = test.change;
    Error error = write(model);
    EXPECT_EQ(error.code(), HEDDLE_FEATURE_UNSUPPORTED);
    EXPECT_NE(error.message().find(test.reason), std::string::npos);
  }
}
