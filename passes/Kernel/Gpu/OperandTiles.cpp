// Finds chunks and boxes of the operands of contractions, by strides that are
// known.

#include "passes/Kernel/Gpu/OperandTiles.h"

#include "dialects/Kernel/LinearAccess.h"
#include "dialects/Ws/SharedLayout.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Kernel/Gpu/RoleLowering.h"

using namespace mlir;

namespace heddle {

/// The stride from one place of all of `loops` to the next, if there is one.
static std::optional<int64_t> commonStride(kernel::ContractOp op,
                                           const OperandTiles &operand,
                                           ArrayRef<unsigned> loops) {
  std::optional<int64_t> stride;
  int64_t next = 0;
  for (unsigned loop : llvm::reverse(loops)) {
    int64_t extent = op.getExtents()[loop];
    if (extent == 1)
      continue;
    if (!stride)
      stride = operand.strides[loop];
    else if (operand.strides[loop] != next)
      return std::nullopt;
    next = operand.strides[loop] * extent;
  }
  return stride;
}

int64_t widestChunk(ArrayRef<int64_t> extents,
                    const kernel::LinearAccess &access, unsigned innermost) {
  if (access.strides[innermost] != 1)
    return 1;
  for (int64_t chunk : {8, 4, 2}) {
    bool fits = access.offset % chunk == 0 && extents[innermost] % chunk == 0;
    for (auto [loop, stride] : llvm::enumerate(access.strides))
      fits &= loop == innermost || extents[loop] == 1 || stride % chunk == 0;
    if (fits)
      return chunk;
  }
  return 1;
}

int64_t countPlaces(kernel::ContractOp op, ArrayRef<unsigned> loops) {
  int64_t product = 1;
  for (unsigned loop : loops)
    product *= op.getExtents()[loop];
  return product;
}

std::optional<BoxedOperand>
describeBoxes(int64_t columns, int64_t rows, int64_t rowStride,
              ArrayRef<int64_t> extents, const kernel::LinearAccess &access,
              ArrayRef<unsigned> batch, int64_t elementBytes) {
  constexpr int64_t mostExtent = int64_t(1) << 32;
  constexpr int64_t mostStrideBytes = int64_t(1) << 40;
  constexpr size_t mostDimensions = 5;
  BoxedOperand boxed;
  boxed.extents = {columns, rows};
  boxed.strides = {rowStride};
  for (unsigned loop : llvm::reverse(batch))
    if (extents[loop] != 1 && access.strides[loop]) {
      boxed.extents.push_back(extents[loop]);
      boxed.strides.push_back(access.strides[loop]);
      boxed.batch.push_back(loop);
    }
  auto isAligned = [&](int64_t elements) {
    return elements >= 0 && elements * elementBytes % ws::kChunkBytes == 0;
  };
  bool fits =
      boxed.extents.size() <= mostDimensions && isAligned(access.offset) &&
      llvm::all_of(boxed.extents,
                   [](int64_t extent) { return extent <= mostExtent; }) &&
      llvm::all_of(boxed.strides, [&](int64_t stride) {
        return stride > 0 && isAligned(stride) &&
               stride * elementBytes < mostStrideBytes;
      });
  if (!fits)
    return std::nullopt;
  return boxed;
}

Value createTensorMap(IndexBuilder &index, Value buffer, int64_t offset,
                      const BoxedOperand &boxed, ws::TileType tile) {
  OpBuilder &builder = index.builder;
  SmallVector<int64_t> box(boxed.extents.size(), 1);
  box[0] = tile.getPanelColumns();
  box[1] = tile.getRows();
  return ws::TensorMapOp::create(builder, index.loc,
                                 ws::MapType::get(builder.getContext()), buffer,
                                 offset, boxed.extents, boxed.strides, box);
}

ws::TileType boxedTile(int64_t rows, int64_t columns, Type element) {
  ws::SharedLayout layout = ws::SharedLayout::withoutConflicts(
      kBoxColumns * element.getIntOrFloatBitWidth() / 8);
  return ws::TileType::get(element.getContext(), rows, columns, element,
                           layout.bits, layout.shift,
                           columns == kBoxColumns ? 0 : kBoxColumns);
}

/// `operand` as a tensor for copies of boxes.
static std::optional<BoxedOperand> findBoxes(kernel::ContractOp op,
                                             const OperandTiles &operand,
                                             const kernel::LinearAccess &access,
                                             ArrayRef<unsigned> own) {
  kernel::ContractOp::Dims dims = op.getDims();
  std::optional<int64_t> alongK = commonStride(op, operand, dims.k);
  std::optional<int64_t> alongOwn = commonStride(op, operand, own);
  if (!alongK || !alongOwn || (*alongK == 1) == (*alongOwn == 1))
    return std::nullopt;
  int64_t k = countPlaces(op, dims.k), places = countPlaces(op, own);
  return describeBoxes(operand.isByK ? places : k, operand.isByK ? k : places,
                       operand.isByK ? *alongK : *alongOwn, op.getExtents(),
                       access, dims.batch,
                       elementOf(operand.tensor).getIntOrFloatBitWidth() / 8);
}

OperandTiles describeOperand(kernel::ContractOp op, Value tensor, AffineMap map,
                             ArrayRef<unsigned> own,
                             const GpuMachine &machine) {
  kernel::ContractOp::Dims dims = op.getDims();
  OperandTiles operand;
  operand.tensor = tensor;
  kernel::LinearAccess access = *kernel::linearAccess(map, typeOf(tensor));
  operand.offset = access.offset;
  operand.strides = access.strides;
  auto isUnit = [&](ArrayRef<unsigned> loops) {
    return !loops.empty() && operand.strides[loops.back()] == 1;
  };
  if (!isUnit(dims.k) && !isUnit(own))
    return operand;
  operand.isByK = !isUnit(dims.k);
  operand.chunk = widestChunk(op.getExtents(), access,
                              operand.isByK ? own.back() : dims.k.back());
  if (machine.mostBoxExtent)
    operand.boxed = findBoxes(op, operand, access, own);
  return operand;
}

} // namespace heddle
