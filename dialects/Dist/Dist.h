// The dist dialect: what differs from device to device of a mesh.

#ifndef HEDDLE_DIALECTS_DIST_DIST_H
#define HEDDLE_DIALECTS_DIST_DIST_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Dist/DistDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/Dist/DistOps.h.inc"

namespace heddle::dist {

/// Whether devices have parts of their own of a constant of a weight's program.
bool hasParts(mlir::Block &program);

/// Where the device at a place of the mesh has its parts of the constants of a
/// weight's program, one part behind the other; empty where all devices have
/// the same.
llvm::SmallVector<int64_t> partsAt(mlir::Block &program, int64_t place);

} // namespace heddle::dist

#endif // HEDDLE_DIALECTS_DIST_DIST_H
