// Finds products and estimates their time by the target's rates.

#include "Candidates.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Driver/DiagnosticPrinter.h"
#include "heddle/Support/Precision.h"
#include "heddle/Support/TensorTypes.h"
#include "heddle/Target/Target.h"
#include "passes/Precision/AskedProducts.h"
#include "passes/Precision/FactorFormat.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle;

/// Rows of the first factor that meet a weight's integers each time that these
/// are widened, in about all kernels.
static constexpr double kRowsOfWidening = 8;

/// What making a byte of a number takes, in operations of f32's rate: a
/// division, ten cycles for 16 numbers (docs/decisions/quantization.md), in
/// which 330 others would be done, and eight instructions that round, move,
/// clamp and convert.
static constexpr double kOperationsOfQuantize = 29;

/// The values that are computed from constants alone, which the packer does
/// when compiling.
static llvm::DenseSet<Value> findConstantValues(ModuleOp graph) {
  llvm::DenseSet<Value> constant;
  // Operands are met before what they are operands of.
  graph.walk([&](Operation *op) {
    if (op->getNumRegions() == 0 &&
        (op->hasTrait<OpTrait::ConstantLike>() ||
         (op->getNumOperands() != 0 &&
          llvm::all_of(op->getOperands(),
                       [&](Value v) { return constant.contains(v); }))))
      constant.insert(op->result_begin(), op->result_end());
  });
  return constant;
}

/// Of a product as the model says it: kernels read both factors and write the
/// sums, all in f32.
static Work workOf(Operation *op) {
  double results = typeOf(op->getResult(0)).getNumElements();
  Work work;
  work.operations = 2 * results * termsOf(op);
  work.accumulator = elementOf(op->getResult(0));
  work.factor = work.accumulator;
  work.bytes = results * 4;
  return work;
}

static double elementsOf(Operation *op, unsigned factor) {
  return typeOf(op->getOperand(factor)).getNumElements();
}

static double exactNanoseconds(const Target &target, Operation *op) {
  Work work = workOf(op);
  work.bytes += 4 * (elementsOf(op, 0) + elementsOf(op, 1));
  return target.nanoseconds(work);
}

/// Infinite if kernels do not read its second factor, or both, in integers.
static double productNanoseconds(const Target &target, Operation *op,
                                 const FactorFormat &format) {
  Work work = workOf(op);
  for (unsigned factor : {0, 1})
    work.bytes += elementsOf(op, factor) * format.bitsOf(factor) / 8;
  if (format.type) {
    work.factor = format.type;
  } else if (format.isBytes) {
    if (!channelAxis(op))
      return std::numeric_limits<double>::infinity();
    Builder builder(op->getContext());
    work.accumulator = builder.getI32Type();
    work.factor = builder.getI8Type();
  } else if (weightAxis(op, format.weights)) {
    double rows = elementsOf(op, 0) / termsOf(op);
    work.operations += elementsOf(op, 1) * std::ceil(rows / kRowsOfWidening);
  } else {
    return std::numeric_limits<double>::infinity();
  }
  return target.nanoseconds(work);
}

/// A cast is fused with what makes the value: it takes an operation an element,
/// or those of a quantization, and writes the narrower one.
static double castNanoseconds(const Target &target, Value value,
                              const FactorFormat &format) {
  double elements = typeOf(value).getNumElements();
  Work work;
  work.operations = elements * (format.isBytes ? kOperationsOfQuantize : 1);
  work.accumulator = elementOf(value);
  work.bytes = elements * format.bitsOf(0) / 8;
  return target.nanoseconds(work);
}

static std::string labelOf(Operation *op, size_t number) {
  PlaceInModel place = describeLocation(op->getLoc());
  if (!place.nodes.empty())
    return llvm::join(place.nodes, "+");
  if (place.line)
    return ("line " + Twine(place.line)).str();
  return ("product " + Twine(number)).str();
}

PrecisionCandidates heddle::findCandidates(ModuleOp graph,
                                           const Target &target) {
  AskedProducts asked = findAskedProducts(graph);
  PrecisionCandidates found;
  found.all = asked.all;
  llvm::DenseSet<Value> constants = findConstantValues(graph);
  // By value and choice, in the order in which they are first read.
  llvm::MapVector<std::pair<Value, unsigned>, SharedCast> casts;
  for (auto [number, op] : llvm::enumerate(asked.products)) {
    PrecisionCandidate candidate;
    candidate.op = op;
    PlaceInModel place = describeLocation(op->getLoc());
    candidate.nodes.assign(place.nodes.begin(), place.nodes.end());
    candidate.label = labelOf(op, number);
    candidate.kind =
        isa<stablehlo::ConvolutionOp>(op) ? "convolution" : "contraction";
    candidate.nanoseconds[0] = exactNanoseconds(target, op);
    for (unsigned choice = 1; choice < kFactorTypes.size(); ++choice) {
      FactorFormat format =
          *FactorFormat::parse(kFactorTypes[choice], op->getContext());
      candidate.nanoseconds[choice] = productNanoseconds(target, op, format);
      if (!format.type && !format.isBytes)
        continue;
      // A value that is both factors is cast once.
      for (OpOperand &operand : op->getOpOperands()) {
        Value value = operand.get();
        if (constants.contains(value) ||
            (operand.getOperandNumber() == 1 && value == op->getOperand(0)))
          continue;
        SharedCast &cast = casts[{value, choice}];
        cast.nanoseconds = castNanoseconds(target, value, format);
        cast.users.emplace_back(unsigned(number), choice);
      }
    }
    found.products.push_back(std::move(candidate));
  }
  for (auto &[key, cast] : casts)
    found.casts.push_back(std::move(cast));
  return found;
}

void heddle::assignFactors(ModuleOp copy, ArrayRef<unsigned> choices,
                           ArrayRef<ByteScale> scales) {
  Builder builder(copy.getContext());
  for (auto [op, choice, scale] :
       llvm::zip_equal(findAskedProducts(copy).products, choices, scales)) {
    if (choice == 0)
      continue;
    op->setAttr(kFactorsAttrName, builder.getStringAttr(kFactorTypes[choice]));
    if (choice != kBytesChoice)
      continue;
    op->setAttr(kFirstScaleAttrName, builder.getF32FloatAttr(scale.scale));
    op->setAttr(kFirstZeroPointAttrName,
                builder.getI64IntegerAttr(scale.zeroPoint));
  }
}
