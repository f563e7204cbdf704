// What the packer cannot evaluate piece by piece is evaluated here as a whole,
// if it is small enough for that: a call should not do what never changes.

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Support/Weights.h"
#include "passes/Lower/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_EVALUATECONSTANTS
#include "passes/Lower/Passes.h.inc"

/// Operations that take about as much work as their operands have elements, and
/// that weight programs do not hold.
static bool isEvaluated(Operation *op) {
  return isa<stablehlo::GatherOp, stablehlo::ReduceOp,
             stablehlo::DynamicSliceOp>(op) &&
         op->getNumResults() == 1;
}

/// Nothing for types and shapes that are no tensors in memory.
static std::optional<uint64_t> bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? HostTensor::byteSize(type) : std::nullopt;
}

namespace {
struct EvaluateConstants : impl::EvaluateConstantsBase<EvaluateConstants> {
  using EvaluateConstantsBase::EvaluateConstantsBase;

  void runOnOperation() override {
    SmallVector<Operation *> candidates;
    for (func::FuncOp entry : kernel::entryFunctions(getOperation()))
      entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (isEvaluated(op) && isKnown(op->getResult(0)))
          candidates.push_back(op);
      });
    int64_t left = maxTotalBytes;
    for (Operation *op : candidates) {
      std::optional<uint64_t> result = bytesOf(op->getResult(0));
      std::optional<HostTensor> value;
      Evaluated evaluated;
      if (result && int64_t(*result) <= left)
        value = evaluate(op->getResult(0), evaluated);
      if (!value) {
        remark::missed(op->getLoc(), remark::RemarkOpts::name("NotEvaluated")
                                         .category("heddle-evaluate-constants"))
            << "computed from constants in each call: it is larger than what "
               "is evaluated when compiling";
        continue;
      }
      left -= *result;
      ArrayRef<char> bytes = value->bytes();
      OpBuilder builder(op);
      op->replaceAllUsesWith(stablehlo::ConstantOp::create(
          builder, op->getLoc(),
          makeConstant(value->type(), "evaluated",
                       std::vector<char>(bytes.begin(), bytes.end()))));
      op->erase();
    }
  }

private:
  /// Whether the value depends on constants alone.
  bool isKnown(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    auto [entry, isNew] = known.try_emplace(value, false);
    if (!isNew)
      return entry->second;
    bool result = op->hasTrait<OpTrait::ConstantLike>();
    if (!result && isMemoryEffectFree(op) && isInterpretable(op) &&
        !isa<stablehlo::CustomCallOp>(op) &&
        (op->getNumRegions() == 0 || isEvaluated(op)))
      result = llvm::all_of(op->getOperands(),
                            [&](Value operand) { return isKnown(operand); });
    return known[value] = result;
  }

  using Evaluated = llvm::DenseMap<Value, HostTensor>;

  /// The value, if it and all that it is computed from are small enough. What
  /// several operations use is computed once.
  std::optional<HostTensor> evaluate(Value value, Evaluated &evaluated) {
    if (auto found = evaluated.find(value); found != evaluated.end())
      return found->second;
    std::optional<uint64_t> bytes = bytesOf(value);
    Operation *op = value.getDefiningOp();
    if (!bytes || int64_t(*bytes) > maxBytes || op->getNumResults() != 1)
      return std::nullopt;
    ElementsAttr constant;
    if (matchPattern(op, m_Constant(&constant)))
      return HostTensor::fromAttribute(constant);
    SmallVector<HostTensor> operands;
    for (Value operand : op->getOperands()) {
      std::optional<HostTensor> tensor = evaluate(operand, evaluated);
      if (!tensor)
        return std::nullopt;
      operands.push_back(std::move(*tensor));
    }
    auto results = interpretOp(op, operands);
    if (failed(results))
      return std::nullopt;
    return evaluated[value] = std::move(results->front());
  }

  llvm::DenseMap<Value, bool> known;
};
} // namespace
} // namespace heddle
