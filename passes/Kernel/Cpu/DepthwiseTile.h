// What depthwise convolutions of known and of open images have in common:
// vectors run over channels, a tile is some columns of a row.

#ifndef HEDDLE_PASSES_KERNEL_CPU_DEPTHWISETILE_H
#define HEDDLE_PASSES_KERNEL_CPU_DEPTHWISETILE_H

#include "dialects/Kernel/Kernel.h"
#include "passes/Kernel/Cpu/ConvolutionShape.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/TileOutput.h"
#include "passes/Kernel/Cpu/Work.h"

namespace heddle {

/// Runs of up to this many taps are written out, longer ones are loops. What a
/// loop costs beside a tap's multiply-adds is little on any machine: this
/// bounds the code, which takes as long to compile for all of them.
inline constexpr int64_t mostTapsWrittenOut = 7;

/// What the outputs of one row take.
Work depthwiseRowWork(kernel::ConvolutionOp op, const ConvolutionShape &shape);

/// `columns` channels from `first` on.
struct ChannelGroup {
  mlir::Value first;
  int64_t columns;
  int64_t vectors;
};

/// `body` for groups of `vectors` vectors of `lanes` channels, and for what is
/// left of `channels`.
void forEachChannelGroup(IndexBuilder &index, int64_t channels, int64_t vectors,
                         int64_t lanes,
                         llvm::function_ref<void(const ChannelGroup &)> body);

/// A vector of channels as elements of `accumulator`: zeros where `mask`, if
/// there is one, leaves them out.
mlir::Value loadChannels(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value buffer, mlir::Value position,
                         mlir::Value mask, int64_t lanes,
                         mlir::Type accumulator);

/// Where the tile of a group lies that begins at column `first` of a row.
TilePlace depthwisePlace(const ConvolutionShape &shape, mlir::Value image,
                         llvm::ArrayRef<mlir::Value> row, mlir::Value first,
                         const ChannelGroup &group);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_DEPTHWISETILE_H
