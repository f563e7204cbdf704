// Which loops may follow a root within its kernel.

#ifndef HEDDLE_PASSES_DISPATCH_EPILOGUE_H
#define HEDDLE_PASSES_DISPATCH_EPILOGUE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// Whether the kernels of `op` can run an epilogue on each tile that they have
/// computed.
bool takesEpilogue(mlir::Operation *op);

/// Whether the generic that reads `operand` may run on the tiles of that value
/// as they are computed: it stands in the same block, is the only reader, is
/// elementwise with one result, which may be permuted, and gathers nothing.
bool runsOnTiles(mlir::OpOperand &operand);

/// The root whose epilogue the generic that reads `operand` may be; null if
/// there is none. `operand` is the root's first result, and the generic reads
/// none of the others: those are not of the tile. One that would write each
/// element of a tile to a line of its own is better in a kernel of its own.
mlir::Operation *rootOfEpilogue(mlir::OpOperand &operand);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_EPILOGUE_H
