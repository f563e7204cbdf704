// Regions on scalars (of reduce, scatter, sort, linalg.generic and the like)
// compiled to a list of element functions, which then run on many elements at
// once. A region that is more than that runs operation by operation.

#ifndef HEDDLE_LIB_REFERENCE_PAYLOAD_H
#define HEDDLE_LIB_REFERENCE_PAYLOAD_H

#include "Evaluator.h"
#include "Lanes.h"

namespace heddle::reference {

/// A function from scalars to scalars, applied to up to kLanes elements.
class Payload {
public:
  /// `arguments` are the kinds that the block's arguments are given in. Values
  /// from outside the block are taken from the evaluator's frame now.
  static llvm::FailureOr<Payload>
  compile(Evaluator &evaluator, mlir::Block &block,
          llvm::ArrayRef<ElementKind> arguments);

  Lanes &argument(unsigned i) { return slots[i]; }
  const Lanes &result(unsigned i) const { return slots[results[i]]; }
  unsigned numResults() const { return results.size(); }
  /// Lanes of `linalg.index`: to be filled with the index along `dimension`.
  llvm::ArrayRef<std::pair<unsigned, unsigned>> indexSlots() const {
    return indices;
  }
  Lanes &slot(unsigned i) { return slots[i]; }

  llvm::LogicalResult run(size_t count);

private:
  struct Step {
    ElementFunction function;
    llvm::SmallVector<unsigned, 3> operands;
    unsigned result;
    /// Bits of the result.
    unsigned width;
  };

  llvm::LogicalResult addOperation(mlir::Operation &op);
  /// The slot of a value, made for what comes from outside.
  llvm::FailureOr<unsigned> slotOf(mlir::Value value, mlir::Operation *user);
  llvm::LogicalResult addConstant(mlir::Value value, const HostTensor &tensor);
  llvm::LogicalResult addGather(mlir::Operation &op);
  llvm::LogicalResult runGeneral(size_t count);

  Evaluator *evaluator = nullptr;
  mlir::Block *block = nullptr;
  /// Set where the region is interpreted operation by operation.
  bool general = false;
  std::vector<Lanes> slots;
  std::vector<Step> steps;
  llvm::SmallVector<unsigned> results;
  llvm::SmallVector<std::pair<unsigned, unsigned>> indices;
  llvm::DenseMap<mlir::Value, unsigned> slotOfValue;
};

} // namespace heddle::reference

#endif // HEDDLE_LIB_REFERENCE_PAYLOAD_H
