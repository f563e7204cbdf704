// Ends a build between two passes when its caller no longer wants it.

#ifndef HEDDLE_LIB_DRIVER_CANCELLEDPASSES_H
#define HEDDLE_LIB_DRIVER_CANCELLEDPASSES_H

#include "heddle/Driver/Session.h"

#include "mlir/IR/Action.h"
#include "mlir/Pass/Pass.h"

#include <functional>

namespace heddle {

/// Whether the caller of a build, who is asked if there is such a function, has
/// cancelled it, which is reported.
inline bool reportIfCancelled(Session &session,
                              const std::function<bool()> &isCancelled) {
  if (!isCancelled || !isCancelled())
    return false;
  session.diagnostics.report(ErrorCode::CompileCancelled,
                             "cancelled by the caller");
  return true;
}

/// Skips the passes that are left once the build is cancelled. Work between
/// passes, and what reads their results, asks `ends`.
class CancelledPasses {
public:
  CancelledPasses(Session &session, mlir::MLIRContext *context,
                  const std::function<bool()> &isCancelled)
      : session(session), context(context), isCancelled(isCancelled) {
    if (isCancelled)
      context->registerActionHandler(
          [&isCancelled](llvm::function_ref<void()> run,
                         const mlir::tracing::Action &action) {
            if (!mlir::isa<mlir::PassExecutionAction>(action) || !isCancelled())
              run();
          });
  }
  ~CancelledPasses() {
    if (isCancelled)
      context->registerActionHandler(nullptr);
  }

  /// Whether the build is cancelled, which it reports once.
  bool ends() {
    if (reported)
      return isCancelled();
    return reported = reportIfCancelled(session, isCancelled);
  }

private:
  Session &session;
  mlir::MLIRContext *context;
  const std::function<bool()> &isCancelled;
  bool reported = false;
};

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_CANCELLEDPASSES_H
