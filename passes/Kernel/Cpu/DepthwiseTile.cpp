// What depthwise convolutions of known and of open images have in common.

#include "passes/Kernel/Cpu/DepthwiseTile.h"

#include "dialects/Kernel/Factors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Kernel/Cpu/Lanes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {

/// Operations of blocked code in the time of one operation here: a multiply-add
/// loads its own input, of which blocked code makes a whole tile's products.
/// The ratio follows from the kernel's form, the rate is the machine's.
static constexpr double blockedOperations = 4;

Work depthwiseRowWork(kernel::ConvolutionOp op, const ConvolutionShape &shape) {
  auto bytesOf = [](Type element) {
    return int64_t(llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
  };
  Type input = op.getInput().getType().getElementType();
  Type accumulator = cast<RankedTensorType>(op.getType()).getElementType();
  double elements = double(shape.spatial.back().output) * shape.groups;
  Work work;
  work.operations = 2 * elements * shape.taps() * blockedOperations;
  work.bytes = elements * (bytesOf(input) + bytesOf(accumulator));
  work.accumulator = accumulator;
  work.factor =
      kernel::narrowerFactor(input, op.getWeights().getType().getElementType());
  return work;
}

void forEachChannelGroup(IndexBuilder &index, int64_t channels, int64_t vectors,
                         int64_t lanes,
                         function_ref<void(const ChannelGroup &)> body) {
  int64_t width = vectors * lanes;
  int64_t whole = channels / width * width, tail = channels - whole;
  index.loop(0, whole, width,
             [&](Value first) { body({first, width, vectors}); });
  if (tail == 0)
    return;
  int64_t tailVectors = llvm::divideCeil(tail, lanes);
  body({index.constant(whole), tail, tailVectors});
}

Value loadChannels(OpBuilder &builder, Location loc, Value buffer,
                   Value position, Value mask, int64_t lanes,
                   Type accumulator) {
  auto type = VectorType::get(
      {lanes}, cast<MemRefType>(buffer.getType()).getElementType());
  Value loaded;
  if (mask) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    loaded = vector::MaskedLoadOp::create(builder, loc, type, buffer, position,
                                          mask, zero);
  } else {
    loaded = vector::LoadOp::create(builder, loc, type, buffer, position);
  }
  return convertElements(builder, loc, loaded, accumulator);
}

TilePlace depthwisePlace(const ConvolutionShape &shape, Value image,
                         ArrayRef<Value> row, Value first,
                         const ChannelGroup &group) {
  TilePlace place;
  place.coords.push_back(image);
  llvm::append_range(place.coords, row);
  place.coords.push_back(first);
  place.coords.push_back(Value());
  place.rowDim = shape.spatial.size();
  place.columnDims.push_back(shape.spatial.size() + 1);
  place.columnExtents.push_back(shape.outputChannels());
  place.firstColumn = group.first;
  place.columns = group.columns;
  return place;
}

} // namespace heddle
