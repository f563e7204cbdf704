// Starts the processes of a grid, one thread each, and waits for all.

#ifndef HEDDLE_LIB_REFERENCE_PROCESSRUN_H
#define HEDDLE_LIB_REFERENCE_PROCESSRUN_H

#include "Processes.h"

namespace heddle::reference {

/// One process: what it runs, on what, and what comes of it.
struct Process {
  mlir::func::FuncOp function;
  ValueVector arguments, results;
  bool failed = false;
};

/// Runs processes in the order of the grid: replica after replica, each with
/// all of its partitions. `parent` is who starts them.
llvm::LogicalResult runProcesses(Evaluator &parent, ProcessGrid &grid,
                                 llvm::MutableArrayRef<Process> processes);

} // namespace heddle::reference

#endif // HEDDLE_LIB_REFERENCE_PROCESSRUN_H
