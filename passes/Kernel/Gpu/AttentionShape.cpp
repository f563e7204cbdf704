// Chooses the tiles of an attention: by warpgroups where they suit, else by
// warps.

#include "heddle/Support/TensorTypes.h"
#include "passes/Kernel/Gpu/AttentionTiler.h"
#include "passes/Kernel/Gpu/RoleLowering.h"
#include "passes/Kernel/Gpu/TileEpilogue.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {

/// A product's instruction has so many columns at least, or sums so many.
static constexpr int64_t kLeastColumns = 16;

AttentionOperand AttentionTiler::operandOf(Value tensor, AffineMap map) {
  AttentionOperand operand;
  operand.tensor = tensor;
  if (tensor)
    operand.access = *kernel::linearAccess(map, typeOf(tensor));
  return operand;
}

std::optional<BoxedOperand>
AttentionTiler::boxesOf(const AttentionOperand &operand,
                        AttentionLoop innermost) {
  if (!machine.mostBoxExtent || stride(operand, innermost) != 1)
    return std::nullopt;
  auto batch = llvm::to_vector(
      llvm::seq<unsigned>(0, static_cast<unsigned>(op.getNumBatchDims())));
  return describeBoxes(extent(innermost), extent(N), stride(operand, N),
                       op.getExtents(), operand.access, batch,
                       elementOf(operand.tensor).getIntOrFloatBitWidth() / 8);
}

AttentionTiler::AttentionTiler(kernel::AttentionOp op,
                               linalg::GenericOp epilogue,
                               ElementEmitter &emitter)
    : op(op), epilogue(epilogue), emitter(emitter), frame(emitter.frame),
      builder(emitter.builder), index(emitter.index),
      machine(emitter.frame.machine) {
  query = operandOf(op.getQuery(), op.getQueryMap());
  key = operandOf(op.getKey(), op.getKeyMap());
  value = operandOf(op.getValue(), op.getValueMap());
  mask = operandOf(op.getMask(), op.getMaskMap());
  lengths = operandOf(op.getLengths(), op.getLengthsMap());
  sink = operandOf(op.getSink(), op.getSinkMap());
  key.boxed = boxesOf(key, D);
  value.boxed = boxesOf(value, E);
  // Largest scores are those of products too, unless something is added.
  isScaledLate = !op.getMask() && !op.getSink() && scale() > 0;
  // A slot is filled by one kind of copies, and cp.async brings no single
  // elements.
  chunk = std::min(chunkOf(key, D), chunkOf(value, E));
  if (!chooseWarpgroups())
    chooseWarps();
  MLIRContext *context = op.getContext();
  scoresType =
      ws::AccumulatorType::get(context, shape.rows, shape.keys, shape.warps, 1);
  sumsType = ws::AccumulatorType::get(context, shape.rows, shape.width,
                                      shape.warps, 1);
  rowsType = ws::RowsType::get(context, shape.rows, shape.warps);
}

/// The tile of warps that copy and multiply both.
void AttentionTiler::chooseWarps() {
  constexpr int64_t mostWarps = 8, mostKeys = 64, mostWidth = 128;
  auto roundUp = [](int64_t number) -> int64_t {
    return llvm::PowerOf2Ceil(number);
  };
  shape.warps =
      std::min(mostWarps, roundUp(llvm::divideCeilSigned(extent(M), kMmaM)));
  shape.rows = shape.warps * kMmaM;
  shape.keys = std::clamp(roundUp(extent(N)), kLeastColumns, mostKeys);
  shape.depth = std::max(kLeastColumns, roundUp(extent(D)));
  // Wider values are several blocks', which compute the same scores.
  shape.width = std::clamp(roundUp(extent(E)), kLeastColumns, mostWidth);
  // Two slots have to be there.
  int64_t bytes = elementOf(op.getKey()).getIntOrFloatBitWidth() / 8;
  while (shape.keys > kLeastColumns &&
         2 * shape.keys * (shape.depth + shape.width) * bytes >
             machine.mostBlockSharedBytes)
    shape.keys /= 2;
}

/// Whether two slots fit in a block's shared memory, and what a thread holds in
/// its registers: queries, scores, their weights as they are rounded, and sums.
bool AttentionTiler::fitsWarpgroups(const AttentionShape &tile) {
  // Of addresses, of each row, and what is computed on the way.
  constexpr int64_t others = 40;
  int64_t bytes = elementOf(op.getKey()).getIntOrFloatBitWidth() / 8;
  int64_t slots = 2 * (tile.keys * (tile.depth + tile.width) * bytes +
                       2 * kBarrierBytesOfSlot);
  int64_t numbers = tile.depth / 2 + tile.keys + tile.keys / 2 + tile.width;
  int64_t registers = numbers * kWarpgroupM / kWarpgroupThreads + others;
  DenseI64ArrayAttr shares = shareRegisters(machine, builder,
                                            tile.warps * machine.warpThreads +
                                                machine.warpgroupThreads);
  return slots <= machine.mostBlockSharedBytes &&
         registers <= (shares ? shares[1] : machine.mostThreadRegisters);
}

/// Chooses warpgroups, and their tile, where keys and values can be copied by
/// boxes and what is multiplied fills them by half at least.
bool AttentionTiler::chooseWarpgroups() {
  constexpr int64_t mostWidth = 128;
  // What is loaded of a mask takes registers too.
  int64_t mostKeys = op.getMask() ? 64 : 128;
  if (!machine.warpgroupThreads || !key.boxed || !value.boxed ||
      2 * extent(M) <= kWarpgroupM || 2 * extent(D) <= kBoxColumns ||
      2 * extent(E) <= kBoxColumns)
    return false;
  int64_t groups = extent(M) > kWarpgroupM ? 2 : 1;
  AttentionShape tile;
  tile.rows = groups * kWarpgroupM;
  tile.warps = tile.rows / kMmaM;
  tile.depth = llvm::alignTo(extent(D), kBoxColumns);
  tile.width =
      std::min<int64_t>(mostWidth, llvm::alignTo(extent(E), kBoxColumns));
  tile.keys = std::clamp<int64_t>(llvm::PowerOf2Ceil(extent(N)), kLeastColumns,
                                  mostKeys);
  while (tile.keys > kLeastColumns && !fitsWarpgroups(tile))
    tile.keys /= 2;
  if (!fitsWarpgroups(tile))
    return false;
  shape = tile;
  isByWarpgroups = true;
  return true;
}

ws::TileType AttentionTiler::tileType(const AttentionOperand &operand,
                                      int64_t columns) {
  Type element = elementOf(operand.tensor);
  if (isByWarpgroups)
    return boxedTile(shape.keys, columns, element);
  ws::SharedLayout layout = ws::SharedLayout::withoutConflicts(
      columns * element.getIntOrFloatBitWidth() / 8);
  return ws::TileType::get(op.getContext(), shape.keys, columns, element,
                           layout.bits, layout.shift, 0);
}

/// Makes the channels of keys and of values, of as many slots as fit, and
/// returns how many bytes slots have in all. The two channels of boxes share
/// the most slots that there are of such.
int64_t AttentionTiler::makeChannels() {
  ws::TileType keys = tileType(key, shape.depth),
               values = tileType(value, shape.width);
  int64_t bytes = keys.getBytes() + values.getBytes();
  int64_t barriers = isByWarpgroups ? 2 * kBarrierBytesOfSlot : 0;
  int64_t depth =
      std::clamp<int64_t>(channelBudget() / (bytes + barriers), 2,
                          isByWarpgroups ? kMostBoxedSlots / 2 : kMostSlots);
  bool isLaunched = isByWarpgroups || depth * bytes > machine.staticSharedBytes;
  for (auto [operand, tile] : {std::pair(&key, keys), {&value, values}}) {
    operand->channel = ws::ChannelOp::create(
        builder, index.loc,
        ws::ChannelType::get(op.getContext(), depth, {tile}), isLaunched);
    if (isByWarpgroups)
      operand->map =
          createTensorMap(index, frame.buffer(operand->tensor),
                          operand->access.offset, *operand->boxed, tile);
  }
  return depth * bytes;
}

} // namespace heddle
