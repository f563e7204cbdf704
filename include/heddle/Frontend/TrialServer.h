// What heddle-parse does: files are parsed in processes that may die of them.

#ifndef HEDDLE_FRONTEND_TRIALSERVER_H
#define HEDDLE_FRONTEND_TRIALSERVER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace heddle {

/// Answers what `socket` asks until its other end is closed. Each file is
/// parsed in a child with limits of its own, so that what damaged bytecode does
/// there is gone with it. The process must have no other threads.
void serveTrials(const mlir::DialectRegistry &registry, int socket);

} // namespace heddle

#endif // HEDDLE_FRONTEND_TRIALSERVER_H
