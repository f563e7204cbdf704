// Emits the transposition of square blocks in registers.

#include "passes/Kernel/Cpu/TransposedBlock.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace heddle {

SmallVector<Value> transposeRegisters(OpBuilder &builder, Location loc,
                                      ArrayRef<Value> rows) {
  int64_t lanes = rows.size();
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    low.push_back(lane / 2 + (lane % 2) * lanes);
    high.push_back(lane / 2 + lanes / 2 + (lane % 2) * lanes);
  }
  // Interleaving row i with row i + n/2 moves one bit of the row's number into
  // the lane's number; after all bits the two have changed places.
  SmallVector<Value> block(rows);
  for (int64_t width = 1; width < lanes; width *= 2) {
    SmallVector<Value> next;
    for (int64_t row = 0; row < lanes / 2; ++row)
      for (ArrayRef<int64_t> half : {ArrayRef(low), ArrayRef(high)})
        next.push_back(vector::ShuffleOp::create(builder, loc, block[row],
                                                 block[row + lanes / 2], half));
    block = std::move(next);
  }
  return block;
}

} // namespace heddle
