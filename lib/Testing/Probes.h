// Intermediate values of a model: which there are, and programs that return or
// take them.

#ifndef HEDDLE_LIB_TESTING_PROBES_H
#define HEDDLE_LIB_TESTING_PROBES_H

#include "heddle/Support/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace heddle {

/// A value of the entry function that a program could return.
struct Probe {
  /// Position of its operation in the entry block, and of the result in it.
  unsigned operation = 0;
  unsigned result = 0;
  mlir::RankedTensorType type;
  /// The node's name in the model, else where it stands or what it is.
  std::string name;
};

/// The tensors that the entry function computes, in its order; constants are
/// none.
std::vector<Probe> listProbes(mlir::func::FuncOp entry);

/// A copy of the module whose entry function returns the probes, and nothing
/// else.
mlir::OwningOpRef<mlir::ModuleOp> returningProbes(mlir::ModuleOp module,
                                                  llvm::ArrayRef<Probe> probes);

/// A program cut out of another.
struct Slice {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// For each argument of its entry: the argument (operation is none) or the
  /// probe of the whole program whose value it takes.
  struct Source {
    std::optional<Probe> probe;
    unsigned argument = 0;
  };
  std::vector<Source> sources;
  unsigned operations = 0;
};

/// The operations at the positions `kept` and the constants they use; what
/// others compute becomes arguments. The entry returns `target`. No module if a
/// value that is no tensor would have to be an argument.
Slice cutOut(mlir::ModuleOp module, llvm::ArrayRef<unsigned> kept,
             const Probe &target);

} // namespace heddle

#endif // HEDDLE_LIB_TESTING_PROBES_H
