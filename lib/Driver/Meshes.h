// Programs that are partitioned over a mesh when they are read.

#ifndef HEDDLE_LIB_DRIVER_MESHES_H
#define HEDDLE_LIB_DRIVER_MESHES_H

#include "dialects/Sdy/Sdy.h"
#include "heddle/Driver/Session.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// The mesh that `text`, the value of --mesh, says: `data=4,model=2`. Null
/// after an error, which has been reported.
sdy::MeshAttr readMesh(Session &session, llvm::StringRef text);

/// Makes of a program with shardings the one that each device of their mesh
/// runs. False after an error, which has been reported.
bool partition(mlir::ModuleOp module);

/// The same over the mesh that `text` says: the axes of the program's mesh,
/// with as many devices as it says.
bool partitionOver(Session &session, mlir::ModuleOp module,
                   llvm::StringRef text);

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_MESHES_H
