// Finds products and estimates their time by the target's rates.

#include "Candidates.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Driver/DiagnosticPrinter.h"
#include "heddle/Support/Precision.h"
#include "heddle/Support/TensorTypes.h"
#include "heddle/Target/Target.h"
#include "passes/Precision/AskedProducts.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

/// The type of factors at a place in `kFactorTypes`.
static FloatType factorType(MLIRContext *context, unsigned choice) {
  if (choice == 0)
    return Float32Type::get(context);
  return choice == 1 ? FloatType(BFloat16Type::get(context))
                     : FloatType(Float16Type::get(context));
}

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

/// Of a product with factors of `factor`, of which kernels read both and write
/// the sums.
static double productNanoseconds(const Target &target, Operation *op,
                                 FloatType factor) {
  double factorBytes = factor.getWidth() / 8.0;
  double results = typeOf(op->getResult(0)).getNumElements();
  Work work;
  work.operations = 2 * results * termsOf(op);
  work.accumulator = elementOf(op->getResult(0));
  work.factor = factor;
  work.bytes = results * 4;
  for (Value operand : op->getOperands())
    work.bytes += typeOf(operand).getNumElements() * factorBytes;
  return target.nanoseconds(work);
}

/// A cast is fused with what makes the value: it takes an operation an element,
/// and writes the narrower one.
static double castNanoseconds(const Target &target, Value value,
                              FloatType factor) {
  Work work;
  work.operations = typeOf(value).getNumElements();
  work.accumulator = elementOf(value);
  work.bytes = work.operations * (factor.getWidth() / 8.0);
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
    for (unsigned choice = 0; choice < kFactorTypes.size(); ++choice) {
      FloatType factor = factorType(op->getContext(), choice);
      candidate.nanoseconds[choice] = productNanoseconds(target, op, factor);
      if (choice == 0)
        continue;
      // A value that is both factors is cast once.
      for (OpOperand &operand : op->getOpOperands()) {
        Value value = operand.get();
        if (constants.contains(value) ||
            (operand.getOperandNumber() == 1 && value == op->getOperand(0)))
          continue;
        SharedCast &cast = casts[{value, choice}];
        cast.nanoseconds = castNanoseconds(target, value, factor);
        cast.users.emplace_back(unsigned(number), choice);
      }
    }
    found.products.push_back(std::move(candidate));
  }
  for (auto &[key, cast] : casts)
    found.casts.push_back(std::move(cast));
  return found;
}

void heddle::assignFactors(ModuleOp copy, ArrayRef<unsigned> choices) {
  for (auto [op, choice] :
       llvm::zip_equal(findAskedProducts(copy).products, choices))
    if (choice != 0)
      op->setAttr(kFactorsAttrName,
                  StringAttr::get(op->getContext(), kFactorTypes[choice]));
}
