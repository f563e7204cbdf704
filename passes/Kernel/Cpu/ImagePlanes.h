// A convolution's input laid out so that each tap is one offset from all points
// of a tile.

#ifndef HEDDLE_PASSES_KERNEL_CPU_IMAGEPLANES_H
#define HEDDLE_PASSES_KERNEL_CPU_IMAGEPLANES_H

#include "passes/Kernel/Cpu/ConvolutionShape.h"
#include "passes/Kernel/Cpu/KernelFrame.h"

namespace heddle {

/// Rows of one image as matrices of points.
///
/// The points that windows of stride s meet at one tap are every s-th one, so
/// those of equal remainder make a plane, [rows, pitch, channels]. Point (y, x)
/// of the result reads at each tap the point y * pitch + x of a plane and a
/// constant number of points behind it. Consecutive positions y * pitch + x
/// thus read consecutive points at every tap; those with x beyond the result's
/// width mean nothing, and are few.
///
/// Planes are copied to a worker's scratch, with zeros where there is padding.
/// An image without steps and padding is its own plane.
class ImagePlanes {
public:
  /// Of `shape`, which has one or two spatial dimensions without zeros between
  /// points. Up to `mostRead` positions are read at once.
  ImagePlanes(const ConvolutionShape &shape, mlir::Value input,
              int64_t mostRead);

  /// Bytes to copy for `rows` rows of the result; none if the input is read
  /// where it is.
  int64_t copiedBytes(int64_t rows) const;
  /// Makes room for as many rows at once.
  void allocate(KernelFrame &frame, int64_t mostRows);
  /// Copies what the rows [`begin`, `end`) of the result read of the group of
  /// channels and the image that begin at element `base` of the input.
  void prepare(IndexBuilder &index, mlir::Value base, mlir::Value begin,
               mlir::Value end);

  /// How many positions a row takes.
  int64_t pitch() const {
    return isInPlace ? columns().input : columns().extent();
  }
  /// Elements between a position and the next.
  int64_t pointStride() const {
    return isInPlace ? inputPointStride : channels;
  }
  /// The positions of so many rows, up to the last one with a result.
  mlir::Value positions(IndexBuilder &index, mlir::Value rows) const;
  /// The first of `count` positions that are read for those from `position` on:
  /// no more than there are.
  mlir::Value firstRead(IndexBuilder &index, mlir::Value position,
                        int64_t count) const;
  /// Where position 0 reads at tap (`row`, `column`).
  mlir::Value offsetOf(IndexBuilder &index, mlir::Value row,
                       mlir::Value column) const;

  mlir::Value buffer;

private:
  /// One dimension in planes.
  struct Dim : SpatialDim {
    int64_t planes() const;
    /// Points from tap 0 to the last one, of one plane.
    int64_t reach() const { return (kernel - 1) * dilation / stride; }
    /// Points of a plane for `output` results.
    int64_t extent() const { return output + reach(); }
  };
  const Dim &rows() const { return dims.first; }
  const Dim &columns() const { return dims.second; }
  int64_t planeSize() const {
    return (mostRows + rows().reach()) * pitch() * channels;
  }
  void copyRow(IndexBuilder &index, int64_t plane, mlir::Value from,
               mlir::Value to);
  void fill(IndexBuilder &index, mlir::Value to, int64_t points);

  mlir::Value input;
  /// Rows and columns.
  std::pair<Dim, Dim> dims;
  int64_t channels, inputRowStride, inputPointStride, elementBytes;
  int64_t mostRead, mostRows = 0;
  bool isInPlace;
  /// Where position 0 is in the buffer, and how many positions may be read
  /// from there on.
  mlir::Value start, readable;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_IMAGEPLANES_H
