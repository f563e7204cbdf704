// What the packer cannot evaluate piece by piece is evaluated here as a whole,
// if it is small enough for that: a call should not do what never changes. So
// is what many weights would compute anew each.

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Size/Expression.h"
#include "dialects/StableHlo/ReplicaGroups.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Support/Weights.h"
#include "passes/Graph/OperandSlice.h"
#include "passes/Lower/Passes.h"
#include "passes/Lower/Weights/StoredValues.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

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
    llvm::SetVector<Operation *> candidates;
    for (func::FuncOp entry : kernel::entryFunctions(getOperation()))
      findCandidates(entry, candidates);
    int64_t left = maxTotalBytes;
    for (Operation *op : candidates) {
      std::optional<uint64_t> result = bytesOf(op->getResult(0));
      std::optional<HostTensor> value;
      if (result && int64_t(*result) <= left && !(value = evaluate(op)))
        refused.insert(op);
      if (!value) {
        if (isEvaluated(op))
          remark::missed(op->getLoc(),
                         remark::RemarkOpts::name("NotEvaluated")
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
  /// Adds what is evaluated here to `candidates`.
  void findCandidates(func::FuncOp entry,
                      llvm::SetVector<Operation *> &candidates) {
    SmallVector<Operation *> order;
    entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isKnown(op))
        return;
      known.insert(op);
      order.push_back(op);
    });
    StoredValues stored;
    auto add = [&](Operation *op) {
      candidates.insert(op);
      if (bytesOf(op->getResult(0)))
        stored.addConstant(op);
    };
    for (Operation *op : order) {
      if (isEvaluated(op)) {
        add(op);
        continue;
      }
      stored.classify(op);
      if (!isLongAndShared(op, stored))
        continue;
      // A repeated constant is never stored.
      Operation *source = op;
      while (isa<stablehlo::BroadcastInDimOp>(source))
        source = source->getOperand(0).getDefiningOp();
      if (stored.steps(source) == 1)
        continue;
      add(source);
      if (source != op)
        stored.classify(op);
    }
  }

  /// Whether a long program computes the result for several readers, of which
  /// some compute with it what is stored.
  bool isLongAndShared(Operation *op, const StoredValues &stored) {
    return stored.contains(op) && stored.steps(op) > kLongProgramSteps &&
           !op->hasOneUse() &&
           llvm::any_of(op->getUsers(),
                        [&](Operation *user) { return known.contains(user); });
  }

  /// Whether the results depend on constants alone. Operands are asked before
  /// their readers.
  bool isKnown(Operation *op) {
    // What has the sizes of a call is known by the call: also a constant, of
    // which a sum is as large as there are elements.
    if (llvm::any_of(op->getResultTypes(), size::hasExtents))
      return false;
    if (op->hasTrait<OpTrait::ConstantLike>())
      return true;
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) {
                          return known.contains(operand.getDefiningOp());
                        }) &&
           (op->getNumRegions() == 0 || isEvaluated(op)) &&
           !isa<stablehlo::CustomCallOp>(op) && !stablehlo::isDistributed(op) &&
           isInterpretable(op) && isMemoryEffectFree(op);
  }

  /// The result, if it and all that it is computed from are small enough. What
  /// several operations use is computed once, and held as long as they need it.
  std::optional<HostTensor> evaluate(Operation *op) {
    auto isSmall = [&](Operation *step) {
      if (step->getNumResults() != 1 || refused.contains(step))
        return false;
      std::optional<uint64_t> bytes = bytesOf(step->getResult(0));
      return bytes && int64_t(*bytes) <= maxBytes;
    };
    std::optional<llvm::SetVector<Operation *>> steps =
        operandSlice(op, isSmall);
    if (!steps)
      return std::nullopt;
    llvm::DenseMap<Value, unsigned> readers;
    for (Operation *step : *steps)
      for (Value operand : step->getOperands())
        ++readers[operand];
    llvm::DenseMap<Value, HostTensor> values;
    for (Operation *step : *steps) {
      ElementsAttr constant;
      std::optional<HostTensor> value;
      if (matchPattern(step, m_Constant(&constant))) {
        value = HostTensor::fromAttribute(constant);
      } else {
        SmallVector<HostTensor> operands;
        for (Value operand : step->getOperands()) {
          auto held = values.find(operand);
          if (--readers[operand] > 0) {
            operands.push_back(held->second);
          } else {
            operands.push_back(std::move(held->second));
            values.erase(held);
          }
        }
        auto results = interpretOp(step, operands);
        if (succeeded(results))
          value = std::move(results->front());
      }
      if (!value)
        return std::nullopt;
      values.insert({step->getResult(0), std::move(*value)});
    }
    return std::move(values.find(op->getResult(0))->second);
  }

  llvm::DenseSet<Operation *> known;
  /// What could not be evaluated, so that nothing computed from it can.
  llvm::DenseSet<Operation *> refused;
};
} // namespace
} // namespace heddle
