// What dispatch may ask of graphics processors, and one as an attribute.

#include "heddle/Target/GpuTarget.h"

#include "dialects/Kernel/Composites.h"
#include "dialects/Kernel/GridKernels.h"
#include "lib/Target/Fields.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <limits>

using namespace mlir;

namespace heddle {

KernelStage GpuTarget::kernelStage() {
  auto isAt = [](ModuleOp module) {
    return llvm::any_of(*module.getBody(), [](Operation &op) {
      return op.hasAttr(kernel::kThreadsAttrName);
    });
  };
  return {"heddle-kernel-gpu",
          "the kernels as loops of one thread over flat buffers", isAt};
}

/// Types that the emitters of passes/Kernel/Gpu take: they read an element and
/// widen it to the type of the sum. Attention is done by tensor cores alone:
/// its weights are rounded to what values are.
static std::vector<KernelTypes> kernelTypes() {
  using Kind = ElementKind;
  std::vector<KernelTypes> all;
  for (KernelFamily family :
       {KernelFamily::Contraction, KernelFamily::Convolution}) {
    auto add = [&](Kind lhs, Kind rhs, Kind accumulator) {
      all.push_back({family, lhs, rhs, accumulator});
    };
    add(Kind::F64, Kind::F64, Kind::F64);
    for (Kind lhs : {Kind::F32, Kind::BF16, Kind::F16})
      for (Kind rhs : {Kind::F32, Kind::BF16, Kind::F16})
        add(lhs, rhs, Kind::F32);
    for (Kind element : {Kind::I1, Kind::I8, Kind::UI8, Kind::I16, Kind::UI16,
                         Kind::I32, Kind::UI32})
      add(element, element, Kind::I32);
    add(Kind::I64, Kind::I64, Kind::I64);
  }
  for (Kind element : {Kind::BF16, Kind::F16})
    all.push_back({KernelFamily::Attention, element, element, Kind::F32,
                   elementName(element).str()});
  return all;
}

static DispatchFacts factsOf() {
  constexpr int64_t never = std::numeric_limits<int64_t>::max();
  DispatchFacts facts;
  facts.kernels = kernelTypes();
  facts.composites = {kernel::kAttentionName.str()};
  facts.attentionOptions = {AttentionOption::Lengths, AttentionOption::Window,
                            AttentionOption::Sink};
  // Threads widen what they read in a register.
  facts.readsWorthWidening = never;
  // Weights lie as the model has them: the texts of `packing` stay empty.
  // Each input is 8 bytes of the kernel's parameters. The bounds of fusion are
  // those of processors (CpuTarget.cpp), and were not measured here.
  facts.fusion.maximumInputs = 12;
  facts.fusion.maximumCost = 512;
  facts.fusion.maximumRecomputed = 2;
  // Not measured either. Each part is a branch that a thread goes through.
  facts.fusion.maximumParts = 16;
  // A thread computes one element of a result and sees no other, so that a row
  // is never kept: each reduction is a kernel.
  facts.fusion.maximumRowOperations = 1;
  // Zeros between points cost a comparison.
  facts.dilation.leastProducts = never;
  facts.dilation.leastChannels = 1;
  facts.dilation.maximumPhases = 1;
  return facts;
}

GpuTarget::GpuTarget(const GpuMachine &machine)
    : GpuTarget(machine, factsOf()) {}

GpuTarget::GpuTarget(GpuMachine machine, DispatchFacts facts)
    : Target(kindName, machine.name), processor(std::move(machine)),
      facts(std::move(facts)), otherNames{processor.chip} {}

LoaderNeeds GpuTarget::loaderNeeds() const {
  return {{kindName.str()}, processor.chip, {}};
}

double GpuTarget::nanoseconds(const Work &work) const {
  const GpuRates &rates = processor.rates;
  double perNs = rates.flopsPerNsF32;
  if (work.accumulator && work.accumulator.isF64())
    perNs = rates.flopsPerNsF64;
  else if (work.accumulator && work.accumulator.isInteger())
    perNs = rates.operationsPerNsInteger;
  return rates.launchNs +
         std::max(work.operations / perNs, work.bytes / rates.bytesPerNs);
}

std::string GpuTarget::describe() const {
  return "NVIDIA, " + std::to_string(processor.mostBlockSharedBytes / 1024) +
         " KiB of shared memory a block, PTX " +
         std::to_string(processor.ptxVersion / 10) + "." +
         std::to_string(processor.ptxVersion % 10);
}

// The entries of the attribute, by the kind of their values.
static const Field<GpuMachine, std::string> texts[] = {
    {"name", &GpuMachine::name},
    {"chip", &GpuMachine::chip},
    {"host", &GpuMachine::host},
};

static const Field<GpuMachine, int64_t> numbers[] = {
    {"ptx_version", &GpuMachine::ptxVersion},
    {"multiprocessors", &GpuMachine::multiprocessors},
    {"warp_threads", &GpuMachine::warpThreads},
    {"most_block_threads", &GpuMachine::mostBlockThreads},
    {"most_threads", &GpuMachine::mostThreads},
    {"registers", &GpuMachine::registers},
    {"most_thread_registers", &GpuMachine::mostThreadRegisters},
    {"shared_bytes", &GpuMachine::sharedBytes},
    {"most_block_shared_bytes", &GpuMachine::mostBlockSharedBytes},
    {"static_shared_bytes", &GpuMachine::staticSharedBytes},
    {"most_parameter_bytes", &GpuMachine::mostParameterBytes},
    {"block_threads", &GpuMachine::blockThreads},
};

// Of units that not all of them have, 0 elsewhere.
static const Field<GpuMachine, int64_t> units[] = {
    {"warpgroup_threads", &GpuMachine::warpgroupThreads},
    {"most_box_extent", &GpuMachine::mostBoxExtent},
};

static LogicalResult readUnits(DictionaryAttr from, GpuMachine &machine) {
  for (const auto &field : units) {
    auto number = from.getAs<IntegerAttr>(field.key);
    if (!number || !number.getType().isInteger(64) || number.getInt() < 0)
      return failure();
    machine.*field.member = number.getInt();
  }
  return success();
}

static const Field<GpuRates, double> rates[] = {
    {"flops_per_ns_f32", &GpuRates::flopsPerNsF32},
    {"flops_per_ns_f64", &GpuRates::flopsPerNsF64},
    {"operations_per_ns_integer", &GpuRates::operationsPerNsInteger},
    {"bytes_per_ns", &GpuRates::bytesPerNs},
    {"products_per_load", &GpuRates::productsPerLoad},
    {"launch_ns", &GpuRates::launchNs},
};

DictionaryAttr GpuTarget::toAttr(MLIRContext *context) const {
  NamedAttrList list;
  list.set("kind", StringAttr::get(context, kind()));
  writeFields(texts, processor, context, list);
  writeFields(numbers, processor, context, list);
  writeFields(units, processor, context, list);
  NamedAttrList costs;
  writeFields(rates, processor.rates, context, costs);
  list.set("rates", costs.getDictionary(context));
  list.set("dispatch", facts.toAttr(context));
  return list.getDictionary(context);
}

std::shared_ptr<const Target> GpuTarget::fromAttr(DictionaryAttr dictionary) {
  GpuMachine machine;
  if (failed(readFields(texts, dictionary, machine)) ||
      failed(readFields(numbers, dictionary, machine)) ||
      failed(readUnits(dictionary, machine)))
    return nullptr;
  auto costs = dictionary.getAs<DictionaryAttr>("rates");
  auto dispatch = dictionary.getAs<DictionaryAttr>("dispatch");
  std::optional<DispatchFacts> facts =
      dispatch ? DispatchFacts::fromAttr(dispatch) : std::nullopt;
  if (!costs || !facts || failed(readFields(rates, costs, machine.rates)) ||
      machine.warpThreads != warpThreadsOfPtx ||
      (machine.warpgroupThreads &&
       machine.warpgroupThreads != warpgroupThreadsOfPtx) ||
      machine.mostBlockThreads > machine.mostThreads ||
      machine.mostBlockSharedBytes > machine.sharedBytes ||
      machine.blockThreads > machine.mostBlockThreads ||
      machine.blockThreads % machine.warpThreads != 0)
    return nullptr;
  return std::make_shared<GpuTarget>(std::move(machine), std::move(*facts));
}

} // namespace heddle
