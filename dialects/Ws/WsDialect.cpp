// The ws dialect and its types.

#include "dialects/Ws/Ws.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/Ws/WsDialect.cpp.inc"
#include "dialects/Ws/WsEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Ws/WsTypes.cpp.inc"

namespace heddle::ws {

void WsDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Ws/WsTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Ws/WsOps.cpp.inc"
      >();
}

SharedLayout TileType::getLayout() const {
  return {getPanelColumns() * getElement().getIntOrFloatBitWidth() / 8,
          getBits(), getShift()};
}

int64_t TileType::getPanelColumns() const {
  return getPanel() ? getPanel() : getColumns();
}

int64_t TileType::getBytes() const {
  return getRows() * getColumns() * getElement().getIntOrFloatBitWidth() / 8;
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t columns, Type element,
                               int64_t bits, int64_t shift, int64_t panel) {
  if (!element.isF16() && !element.isBF16())
    return emitError() << "a tile has elements of f16 or bf16, not " << element;
  if (rows <= 0 || rows % 8 || columns <= 0 || columns % 8)
    return emitError() << "a tile of " << rows << " rows and " << columns
                       << " columns is not made of matrices of 8 by 8";
  if (panel < 0 || (panel && columns % panel))
    return emitError() << columns << " columns are not divided into panels of "
                       << panel;
  SharedLayout layout{(panel ? panel : columns) * 2, bits, shift};
  if (!layout.isValid())
    return emitError() << "a swizzle of " << bits << " bits, shifted by "
                       << shift << ", is not one-to-one on rows of "
                       << layout.rowBytes
                       << " bytes: rows have a power of two of bytes and at "
                          "least 2^bits chunks of 16, and bits and shift are "
                          "from 0 to 3";
  return success();
}

int64_t ChannelType::getSlotBytes() const {
  int64_t bytes = 0;
  for (Type tile : getTiles())
    bytes += cast<TileType>(tile).getBytes();
  return bytes;
}

LogicalResult ChannelType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t depth, ArrayRef<Type> tiles) {
  if (depth < 2)
    return emitError() << "a channel has at least 2 slots, so that one can be "
                          "filled while another is read, not "
                       << depth;
  if (tiles.empty())
    return emitError() << "a slot of a channel holds at least one tile";
  for (Type tile : tiles)
    if (!isa<TileType>(tile))
      return emitError() << "a slot of a channel holds tiles, not " << tile;
  return success();
}

LogicalResult
AccumulatorType::verify(function_ref<InFlightDiagnostic()> emitError,
                        int64_t rows, int64_t columns, int64_t warpRows,
                        int64_t warpColumns) {
  if (rows <= 0 || columns <= 0 || warpRows <= 0 || warpColumns <= 0 ||
      rows % (16 * warpRows) || columns % (16 * warpColumns))
    return emitError() << "an accumulator of " << rows << " by " << columns
                       << " is not divided among " << warpRows << " by "
                       << warpColumns << " warps in pieces of 16 by 16";
  return success();
}

LogicalResult RowsType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t warps) {
  if (rows <= 0 || warps <= 0 || rows % (16 * warps))
    return emitError() << rows << " rows are not divided among " << warps
                       << " warps in pieces of 16";
  return success();
}

LogicalResult OperandType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t rows, int64_t columns, Type element,
                                  int64_t warps) {
  if (!element.isF16() && !element.isBF16())
    return emitError() << "an operand has elements of f16 or bf16, not "
                       << element;
  if (rows <= 0 || columns <= 0 || warps <= 0 || rows % (16 * warps) ||
      columns % 16)
    return emitError() << "an operand of " << rows << " by " << columns
                       << " is not divided among " << warps
                       << " warps in pieces of 16 by 16";
  return success();
}

} // namespace heddle::ws
