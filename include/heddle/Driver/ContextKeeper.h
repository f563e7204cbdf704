// Contexts that outlive a program: loading the dialects takes as long as
// compiling a small kernel, and a compiler may get many small programs.

#ifndef HEDDLE_DRIVER_CONTEXTKEEPER_H
#define HEDDLE_DRIVER_CONTEXTKEEPER_H

#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <mutex>

namespace heddle {

/// Keeps the context that one program leaves for the next one that asks. Any
/// thread may call it.
class ContextKeeper {
public:
  struct Kept {
    /// Null if no program left one.
    std::unique_ptr<mlir::MLIRContext> context;
    /// How many programs have used it.
    unsigned uses = 0;
  };

  Kept take();

  /// Takes a context whose program is over and whose IR is gone. It is not
  /// kept when it holds weights, whose names would be taken, nor after many
  /// uses: what a context has once made unique stays in it.
  void leave(Kept left);

private:
  std::mutex mutex;
  Kept kept;
};

} // namespace heddle

#endif // HEDDLE_DRIVER_CONTEXTKEEPER_H
