// A context that outlives a session: loading its dialects takes as long as
// compiling a small kernel, and a process may compile many small programs.

#ifndef HEDDLE_LIB_DRIVER_KEPTCONTEXT_H
#define HEDDLE_LIB_DRIVER_KEPTCONTEXT_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace heddle {

/// While one lives, it owns the context of the session that this thread makes
/// after it, which must end before it does. The context is one that an earlier
/// program left, if there is one.
class KeptContext {
public:
  KeptContext();
  ~KeptContext();
  KeptContext(const KeptContext &) = delete;
  KeptContext &operator=(const KeptContext &) = delete;

  /// Of this thread; null if there is none.
  static KeptContext *current();

  /// Null before `set`, and if no program left one.
  mlir::MLIRContext *get() const { return context.get(); }
  void set(std::unique_ptr<mlir::MLIRContext> made) {
    context = std::move(made);
  }
  /// Whether it has the handler of the session. It is erased with the session.
  bool hasHandler() const { return handler != 0; }
  void setHandler(mlir::DiagnosticEngine::HandlerID id) { handler = id; }

  /// When the session is over, and all IR is gone: leaves the context to a
  /// later program. Not one that holds weights, whose names would be taken, nor
  /// one used often: what a context has once made unique stays in it.
  void leave();

private:
  std::unique_ptr<mlir::MLIRContext> context;
  unsigned uses = 0;
  mlir::DiagnosticEngine::HandlerID handler = 0;
  bool isLeft = false;
};

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_KEPTCONTEXT_H
