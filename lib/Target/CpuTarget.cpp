// What dispatch may ask of processors, and a processor as an attribute.

#include "heddle/Target/CpuTarget.h"

#include "dialects/Kernel/Composites.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/MatrixPlanes.h"
#include "dialects/Kernel/Packing.h"
#include "dialects/Kernel/TermRuns.h"
#include "lib/Target/Fields.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace heddle {

KernelStage CpuTarget::kernelStage() {
  auto isAt = [](ModuleOp module) {
    return llvm::any_of(*module.getBody(), [](Operation &op) {
      return op.hasAttr(kernel::kScratchAttrName);
    });
  };
  return {"heddle-kernel-cpu",
          "the kernels as vectors and loops over flat buffers", isAt};
}

/// Types that the emitters of passes/Kernel/Cpu take. They are the same for all
/// processors, for kernels are made of vectors that LLVM fits to registers.
static std::vector<KernelTypes> kernelTypes() {
  using Kind = ElementKind;
  std::vector<KernelTypes> all;
  auto add = [&](KernelFamily family, Kind element, Kind accumulator) {
    all.push_back({family, element, element, accumulator});
  };
  for (KernelFamily family :
       {KernelFamily::Contraction, KernelFamily::Convolution}) {
    add(family, Kind::F64, Kind::F64);
    add(family, Kind::F32, Kind::F32);
    add(family, Kind::BF16, Kind::F32);
    add(family, Kind::F16, Kind::F32);
    // Where the left operand is widened once for many readers.
    all.push_back({family, Kind::F32, Kind::BF16, Kind::F32});
    all.push_back({family, Kind::F32, Kind::F16, Kind::F32});
    add(family, Kind::I8, Kind::I32);
    add(family, Kind::I16, Kind::I32);
    add(family, Kind::I32, Kind::I32);
    add(family, Kind::I64, Kind::I64);
  }
  // Contractions know of all signs, convolutions of these.
  for (Kind element : {Kind::I1, Kind::UI8, Kind::UI16, Kind::UI32})
    add(KernelFamily::Contraction, element, Kind::I32);
  for (KernelFamily family :
       {KernelFamily::Contraction, KernelFamily::Convolution})
    all.push_back({family, Kind::UI8, Kind::I8, Kind::I32});
  // Weights that kernels widen, in units of a scale for each block of terms.
  for (Kind weight : {Kind::I4, Kind::I8})
    all.push_back({KernelFamily::Contraction, Kind::F32, weight, Kind::F32});
  add(KernelFamily::Attention, Kind::F32, Kind::F32);
  return all;
}

static DispatchFacts factsOf(const Machine &machine) {
  DispatchFacts facts;
  facts.kernels = kernelTypes();
  facts.composites = {kernel::kAttentionName.str()};
  facts.attentionOptions = {AttentionOption::Lengths, AttentionOption::Window,
                            AttentionOption::Sink, AttentionOption::LogSumExp};
  // A panel's columns are what kernels go through with each element of the left
  // operand, which they widen each time: one instruction more per element and
  // panel. Widening in memory reads two bytes and writes four, as long as four
  // such instructions.
  facts.readsWorthWidening = 4 * machine.panelColumns;
  facts.packing.matrix = kernel::matrixPanels(machine.panelColumns);
  // With quads of rows every processor multiplies bytes at least as fast as
  // f32 (passes/Kernel/Cpu/IntegerQuads.h), and all of them read one form of a
  // weight.
  facts.packing.quads = kernel::matrixQuads(machine.panelColumns);
  facts.packing.filterQuads =
      kernel::filterQuads(machine.panelColumns, /*groups=*/1);
  // So it is with pairs of bf16 (passes/Kernel/Cpu/FloatPairs.h): a pair of a
  // row and one of each column are taken apart, or multiplied as they are.
  facts.packing.pairs = kernel::matrixPairs(machine.panelColumns);
  facts.packing.filterPairs =
      kernel::filterPairs(machine.panelColumns, /*groups=*/1);
  for (KernelFamily family :
       {KernelFamily::Contraction, KernelFamily::Convolution})
    facts.quantizedProducts.push_back(
        {family, ElementKind::UI8, ElementKind::I8, ElementKind::I32});
  facts.packing.filter =
      kernel::filterPanels(machine.panelColumns, /*groups=*/1);
  // Panels of groups are filled up with zeros. Measured with `heddle bench` on
  // x86-64-v3 and -v4 (8 groups, 28 x 28 points, windows of 3 x 3, 8 to 24
  // channels a group): packed filters save 0 to 8 % of the time, and from here
  // on take at most 2.7 times the bytes.
  facts.packing.leastChannels = 12;
  // Each input wants an address register, of which x86-64 has 15 and AArch64
  // more. A longer payload spills registers and saves little traffic: how long,
  // and how often a value may be computed again, was found by trying.
  facts.fusion.maximumInputs = 12;
  facts.fusion.maximumCost = 512;
  facts.fusion.maximumRecomputed = 2;
  // Found by trying: code grows with each part of a concatenation.
  facts.fusion.maximumParts = 64;
  // A softmax or a norm has about ten, and several of these joined are within
  // the bound, which was found by trying. Each result of a kernel wants an
  // address that is kept on the stack while the others are computed, and what
  // LLVM takes grows faster than the kernel.
  facts.fusion.maximumRowOperations = 64;
  // Measured with `heddle bench` on x86-64-v3 and -v4 (windows of 1 to 4
  // points, dilations of 2 and 4, 4 to 512 channels, 0.06 to 67 million
  // products, the least of many calls): a kernel that steps over zeros takes
  // 0.65 to 1.05 of the time of the phases, and is one kernel to compile, but
  // for large filters over few points, which it does not pack: with 34 million
  // products of 8 MB of weights 1.27 on v3. Below four channels, where most
  // lanes are idle either way, both take the same.
  facts.dilation.leastProducts = 30000000;
  facts.dilation.leastChannels = 4;
  facts.dilation.maximumPhases = 16;
  return facts;
}

CpuTarget::CpuTarget(const Machine &machine)
    : CpuTarget(machine, factsOf(machine)) {}

CpuTarget::CpuTarget(Machine machine, DispatchFacts facts)
    : Target(kindName, machine.name), processor(std::move(machine)),
      facts(std::move(facts)) {}

StringRef CpuTarget::nameFor(ModuleOp dispatched) const {
  if (processor.plainName.empty())
    return name();
  const PackingFacts &packing = facts.packing;
  llvm::StringSet<> packings, inMatrices;
  bool pairsActivations = false;
  dispatched.walk([&](Operation *op) {
    if (auto contract = dyn_cast<kernel::ContractOp>(op)) {
      packings.insert(contract.getRhsPacking().value_or(""));
      if (kernel::hasMatrixRows(contract, processor.rowsWorthMatrices))
        inMatrices.insert(contract.getRhsPacking().value_or(""));
      pairsActivations |= kernel::mayPairActivations(contract);
    } else if (auto convolution = dyn_cast<kernel::ConvolutionOp>(op)) {
      if (auto text = convolution.getWeightsPacking()) {
        std::string plain = kernel::withGroups(*text, /*groups=*/1);
        packings.insert(plain);
        if (kernel::hasMatrixRows(convolution, processor.rowsWorthMatrices) ||
            kernel::hasMatrixPlanes(convolution, processor.rowsWorthMatrices,
                                    matrixSteps))
          inMatrices.insert(plain);
      }
      pairsActivations |= kernel::mayPairActivations(convolution);
    }
  });
  auto quadsIn = [&](const llvm::StringSet<> &set) {
    return set.contains(packing.quads) || set.contains(packing.filterQuads);
  };
  auto pairsIn = [&](const llvm::StringSet<> &set) {
    return set.contains(packing.pairs) || set.contains(packing.filterPairs);
  };
  bool usesPairs = pairsActivations || pairsIn(packings);
  auto lacks = [&](const Machine &plain, StringRef feature) {
    return processor.hasFeature(feature) && !plain.hasFeature(feature);
  };
  const Machine *named = &processor;
  for (const Machine *plain = findMachine(processor.plainName); plain;
       plain = findMachine(plain->plainName)) {
    bool lacksQuads = processor.byteQuadProduct() != plain->byteQuadProduct();
    if ((quadsIn(packings) && lacksQuads) ||
        (quadsIn(inMatrices) && lacks(*plain, kMatrixQuadFeature)) ||
        (pairsIn(inMatrices) && lacks(*plain, kMatrixPairFeature)))
      break;
    // One between may multiply pairs otherwise than this and the plainer ones.
    if (!usesPairs || processor.floatPairProduct() == plain->floatPairProduct())
      named = plain;
  }
  return named->name;
}

LoaderNeeds CpuTarget::loaderNeeds() const {
  // The simulated accelerator runs what the processor runs.
  return {{"cpu", "sim"}, processor.architecture, processor.features};
}

unsigned CpuTarget::queues(StringRef device) const {
  // The processor's workers walk one queue. The simulated accelerator takes
  // turns between its own: what one holds up goes on in a second, and a third
  // would wait for the same thread.
  return device == "sim" ? 2 : 1;
}

double CpuTarget::nanoseconds(const Work &work) const {
  int64_t terms = processor.termsAtOnce(work.accumulator, work.factor);
  // Most of what may be in matrix registers is.
  bool inMatrices =
      terms > 1 && !processor.matrixProduct(work.accumulator).empty();
  double rate = inMatrices
                    ? processor.rates.flopsPerUsMatrix
                    : processor.flopsPerUs(work.accumulator, work.factor);
  return 1e3 * std::max(work.operations / terms / rate,
                        work.bytes / processor.rates.bytesPerUs);
}

std::string CpuTarget::describe() const {
  return std::to_string(processor.vectorBits) + "-bit vectors";
}

// The entries of the attribute, by the kind of their values.
static const Field<Machine, std::string> texts[] = {
    {"name", &Machine::name},         {"architecture", &Machine::architecture},
    {"triple", &Machine::triple},     {"cpu", &Machine::cpu},
    {"routines", &Machine::routines},
};

static const Field<Machine, int64_t> numbers[] = {
    {"vector_bits", &Machine::vectorBits},
    {"vector_registers", &Machine::vectorRegisters},
    {"panel_columns", &Machine::panelColumns},
    {"multiply_adds_in_flight", &Machine::multiplyAddsInFlight},
    {"most_tile_rows", &Machine::mostTileRows},
    {"most_sized_tile_rows", &Machine::mostSizedTileRows},
    {"most_tile_vectors", &Machine::mostTileVectors},
    {"most_tile_elements", &Machine::mostTileElements},
    {"page_bytes", &Machine::pageBytes},
    {"l1_bytes", &Machine::l1Bytes},
    {"l2_bytes", &Machine::l2Bytes},
    {"rows_worth_packing", &Machine::rowsWorthPacking},
    {"rows_worth_streaming", &Machine::rowsWorthStreaming},
    {"rows_worth_panels", &Machine::rowsWorthPanels},
    {"rows_worth_rereading", &Machine::rowsWorthRereading},
    {"rows_worth_keys", &Machine::rowsWorthKeys},
    {"rows_worth_matrices", &Machine::rowsWorthMatrices},
    {"groups_worth_widening", &Machine::groupsWorthWidening},
    {"groups_worth_copies", &Machine::groupsWorthCopies},
    {"channels_worth_addresses", &Machine::channelsWorthAddresses},
    {"longest_payload_of_four", &Machine::longestPayloadOfFour},
    {"longest_payload_of_two", &Machine::longestPayloadOfTwo},
    {"few_passes", &Machine::fewPasses},
    {"prefetched_passes", &Machine::prefetchedPasses},
    {"fourier_interleaved", &Machine::fourierInterleaved},
    {"fourier_apart", &Machine::fourierApart},
};

static const Field<MachineRates, double> rates[] = {
    {"flops_per_us_f32", &MachineRates::flopsPerUsF32},
    {"flops_per_us_f64", &MachineRates::flopsPerUsF64},
    {"flops_per_us_integer", &MachineRates::flopsPerUsInteger},
    {"flops_per_us_bf16", &MachineRates::flopsPerUsBf16},
    {"flops_per_us_f16", &MachineRates::flopsPerUsF16},
    {"flops_per_us_matrix", &MachineRates::flopsPerUsMatrix},
    {"bytes_per_us", &MachineRates::bytesPerUs},
    {"output_ns", &MachineRates::outputNs},
    {"loop_operand_ns", &MachineRates::loopOperandNs},
    {"loop_instruction_ns", &MachineRates::loopInstructionNs},
    {"gather_ns", &MachineRates::gatherNs},
    {"copy_start_ns", &MachineRates::copyStartNs},
    {"copy_byte_ns", &MachineRates::copyByteNs},
    {"scalar_element_ns", &MachineRates::scalarElementNs},
    {"dependent_element_ns", &MachineRates::dependentElementNs},
    {"routine_start_ns", &MachineRates::routineStartNs},
    {"routine_blocked_ns", &MachineRates::routineBlockedNs},
    {"routine_row_ns", &MachineRates::routineRowNs},
    {"fourier_point_ns", &MachineRates::fourierPointNs},
    {"shortest_piece_us", &MachineRates::shortestPieceUs},
    {"longest_piece_us", &MachineRates::longestPieceUs},
    {"wanted_pieces", &MachineRates::wantedPieces},
    {"tile_ns", &MachineRates::tileNs},
    {"brief_ns", &MachineRates::briefNs},
    {"tiny_ns", &MachineRates::tinyNs},
};

DictionaryAttr CpuTarget::toAttr(MLIRContext *context) const {
  auto string = [&](StringRef value) -> Attribute {
    return StringAttr::get(context, value);
  };
  NamedAttrList list;
  list.set("kind", string(kind()));
  writeFields(texts, processor, context, list);
  writeFields(numbers, processor, context, list);
  list.set("dispatch", facts.toAttr(context));
  list.set("fma", BoolAttr::get(context, processor.hasFma));
  SmallVector<Attribute> features;
  for (const std::string &feature : processor.features)
    features.push_back(string(feature));
  list.set("features", ArrayAttr::get(context, features));
  NamedAttrList costs;
  writeFields(rates, processor.rates, context, costs);
  list.set("rates", costs.getDictionary(context));
  return list.getDictionary(context);
}

std::shared_ptr<const Target> CpuTarget::fromAttr(DictionaryAttr dictionary) {
  Machine machine;
  if (failed(readFields(texts, dictionary, machine)) ||
      failed(readFields(numbers, dictionary, machine)))
    return nullptr;
  auto fma = dictionary.getAs<BoolAttr>("fma");
  auto features = dictionary.getAs<ArrayAttr>("features");
  auto costs = dictionary.getAs<DictionaryAttr>("rates");
  auto dispatch = dictionary.getAs<DictionaryAttr>("dispatch");
  std::optional<DispatchFacts> facts =
      dispatch ? DispatchFacts::fromAttr(dispatch) : std::nullopt;
  if (!fma || !features || !costs || !facts ||
      failed(readFields(rates, costs, machine.rates)))
    return nullptr;
  machine.hasFma = fma.getValue();
  for (Attribute feature : features) {
    auto value = dyn_cast<StringAttr>(feature);
    if (!value)
      return nullptr;
    machine.features.push_back(value.str());
  }
  return std::make_shared<CpuTarget>(std::move(machine), std::move(*facts));
}

} // namespace heddle
