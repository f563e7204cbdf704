// Programs that are partitioned over a mesh when they are read.

#ifndef HEDDLE_LIB_DRIVER_MESHES_H
#define HEDDLE_LIB_DRIVER_MESHES_H

#include "heddle/Driver/Session.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Makes of a program with shardings the one that each device of the mesh runs.
/// `text` is `data=4,model=2`: the axes of the program's mesh, with as many
/// devices as it says. False after an error, which has been reported.
bool partitionOver(Session &session, mlir::ModuleOp module,
                   llvm::StringRef text);

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_MESHES_H
