// Which values are computed from constants alone, and what that takes.

#ifndef HEDDLE_PASSES_LOWER_WEIGHTS_STOREDVALUES_H
#define HEDDLE_PASSES_LOWER_WEIGHTS_STOREDVALUES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace heddle {

/// A value that is computed in so many steps, for several readers, is computed
/// once: programs that began with it each would be as long as all before them.
inline constexpr uint64_t kLongProgramSteps = 16;

/// Finds the operations whose results can be stored as weights: constants that
/// are no splats, and what the packer can compute from them.
class StoredValues {
public:
  /// Operands have to be classified before their readers.
  void classify(mlir::Operation *op);
  /// Takes `op` for a constant, which it is to become.
  void addConstant(mlir::Operation *op);

  bool contains(mlir::Operation *op) const {
    return op && programs.contains(op);
  }
  /// How many operations the packer goes through for an element of the result:
  /// one that several read counts for each.
  uint64_t steps(mlir::Operation *op) const {
    return programs.find(op)->second.steps;
  }
  /// In the order in which they were classified.
  llvm::SmallVector<mlir::Operation *> operations() const {
    return llvm::to_vector(llvm::make_first_range(programs));
  }

private:
  struct Program {
    uint64_t steps = 1;
    /// Bytes of constants that it reads, or fewer.
    uint64_t sourceBytes = 0;
  };
  /// What says nothing beyond its type: splats and what is made of them.
  struct Repetition {
    uint64_t steps = 1;
    /// Whether it begins with what is long and has several readers.
    bool sharesLong = false;
  };

  std::optional<Repetition> repetition(mlir::Value value) const;
  bool growsTooLarge(mlir::Operation *op, Program &program) const;

  llvm::MapVector<mlir::Operation *, Program> programs;
  llvm::DenseMap<mlir::Operation *, Repetition> repetitions;
};

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_WEIGHTS_STOREDVALUES_H
