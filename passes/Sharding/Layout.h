// How a tensor lies over the devices of a mesh, when all of it is decided.

#ifndef HEDDLE_PASSES_SHARDING_LAYOUT_H
#define HEDDLE_PASSES_SHARDING_LAYOUT_H

#include "passes/Sharding/FactorShardings.h"

namespace heddle {

/// The axes over which each dimension is cut, from the major to the minor one.
/// Devices that differ in other axes only have equal parts.
struct Layout {
  llvm::SmallVector<Axes> dims;

  /// Every device has all of a tensor of this rank.
  static Layout whole(int64_t rank) { return {llvm::SmallVector<Axes>(rank)}; }
  bool isWhole() const {
    return llvm::all_of(dims, [](const Axes &axes) { return axes.empty(); });
  }
  bool operator==(const Layout &other) const { return dims == other.dims; }
  bool operator!=(const Layout &other) const { return dims != other.dims; }
  /// Whether some dimension is cut over what is a part of `axis`, or has it as
  /// a part.
  bool uses(sdy::AxisRefAttr axis) const;
};

/// The rank of a tensor; 0 of what is none.
int64_t rankOf(mlir::Type type);

/// Axes in the one form that equal cuts have: parts of an axis that follow each
/// other are one, and axes of size one are left out.
Axes canonicalAxes(llvm::ArrayRef<sdy::AxisRefAttr> axes, sdy::MeshAttr mesh);

/// What a sharding says, in that form; a whole tensor where it is null.
Layout layoutOf(sdy::TensorShardingAttr sharding, int64_t rank,
                sdy::MeshAttr mesh);

/// The sharding that says this of a tensor on a mesh, with closed dimensions.
sdy::TensorShardingAttr shardingOf(const Layout &layout,
                                   mlir::Attribute meshOrRef,
                                   mlir::MLIRContext *context);

/// The type of a device's part.
mlir::RankedTensorType partType(mlir::RankedTensorType type,
                                const Layout &layout, sdy::MeshAttr mesh);

/// Whether parts of unequal size can be filled up: the element type has a zero.
bool canPad(mlir::Type element);

/// Whether `prefix` begins `axes`, whose parts of a dimension of `size` are
/// parts of its parts: true where nothing is rounded up, or where `prefix` is
/// empty and padding can be added and cut off.
bool refines(llvm::ArrayRef<sdy::AxisRefAttr> axes,
             llvm::ArrayRef<sdy::AxisRefAttr> prefix, int64_t size,
             sdy::MeshAttr mesh);

/// `axes` without `prefix`, with which they begin.
Axes withoutPrefix(llvm::ArrayRef<sdy::AxisRefAttr> axes,
                   llvm::ArrayRef<sdy::AxisRefAttr> prefix, sdy::MeshAttr mesh);

/// Both lists as one, in canonical form.
Axes joined(llvm::ArrayRef<sdy::AxisRefAttr> major,
            llvm::ArrayRef<sdy::AxisRefAttr> minor, sdy::MeshAttr mesh);

/// Whether some axis of one list has a part in common with one of the other.
bool overlap(llvm::ArrayRef<sdy::AxisRefAttr> first,
             llvm::ArrayRef<sdy::AxisRefAttr> second);

} // namespace heddle

#endif // HEDDLE_PASSES_SHARDING_LAYOUT_H
