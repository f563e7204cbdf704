// Where devices stand on a mesh, and which parts of tensors are theirs.

#ifndef HEDDLE_DIALECTS_SDY_DEVICEPOSITIONS_H
#define HEDDLE_DIALECTS_SDY_DEVICEPOSITIONS_H

#include "dialects/Sdy/Sdy.h"

namespace heddle::sdy {

/// An axis, or a part of one, as a digit of a device's position: `size` values,
/// each `stride` positions apart. Positions count with the last axis fastest.
struct AxisDigit {
  int64_t size = 1, stride = 1;
  int64_t of(int64_t position) const { return position / stride % size; }
};

AxisDigit digitOf(AxisRefAttr axis, MeshAttr mesh);

/// Adds how `axes` cut dimension `dim`, without names: for each the dimension,
/// the size and the stride of its digit (`heddle.cuts`).
void appendCuts(llvm::SmallVectorImpl<int64_t> &cuts, int64_t dim,
                llvm::ArrayRef<AxisRefAttr> axes, MeshAttr mesh);

/// The number of parts that axes cut into.
int64_t partCount(llvm::ArrayRef<AxisRefAttr> axes, MeshAttr mesh);

/// Which of these parts the device at a position has; the first axis is the
/// major one.
int64_t partAt(llvm::ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
               int64_t position);

/// The number of the device at a position.
int64_t deviceAt(MeshAttr mesh, int64_t position);

/// Elements of a dimension that a device has of it: what does not divide is
/// rounded up, and the last parts hold less than that, or nothing.
int64_t partSize(int64_t size, llvm::ArrayRef<AxisRefAttr> axes, MeshAttr mesh);

} // namespace heddle::sdy

#endif // HEDDLE_DIALECTS_SDY_DEVICEPOSITIONS_H
