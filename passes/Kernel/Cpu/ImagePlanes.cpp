// Emits the copies that make planes of an image.

#include "passes/Kernel/Cpu/ImagePlanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {

int64_t ImagePlanes::Dim::planes() const {
  int64_t last = 0;
  for (int64_t tap = 0; tap < kernel; ++tap)
    last = std::max(last, tap * dilation % stride);
  return last + 1;
}

ImagePlanes::ImagePlanes(const ConvolutionShape &shape, Value input,
                         int64_t mostRead)
    : buffer(input), input(input), channels(shape.groupInput),
      inputRowStride(shape.spatial.front().inputStride),
      inputPointStride(shape.inputChannels()),
      elementBytes(cast<MemRefType>(input.getType()).getElementTypeBitWidth() /
                   8),
      mostRead(mostRead) {
  // Of one dimension there is one row.
  Dim rows;
  rows.isNeverPadded = true;
  if (shape.spatial.size() == 2)
    rows = Dim{shape.spatial.front()};
  dims = {rows, Dim{shape.spatial.back()}};
  auto isWhole = [](const Dim &dim) {
    return dim.stride == 1 && dim.isNeverPadded;
  };
  int64_t points = rows.output * columns().input - columns().reach();
  isInPlace = shape.groups == 1 && isWhole(rows) && isWhole(columns()) &&
              points >= mostRead;
}

void ImagePlanes::allocate(KernelFrame &frame, int64_t most) {
  mostRows = most;
  if (isInPlace)
    return;
  int64_t count =
      rows().planes() * columns().planes() * planeSize() + mostRead * channels;
  buffer = frame.allocateScratch(
      cast<MemRefType>(input.getType()).getElementType(), count);
}

int64_t ImagePlanes::copiedBytes(int64_t count) const {
  if (isInPlace)
    return 0;
  return rows().planes() * columns().planes() * (count + rows().reach()) *
         pitch() * channels * elementBytes;
}

Value ImagePlanes::positions(IndexBuilder &index, Value count) const {
  return index.add(index.mul(count, pitch()), columns().output - pitch());
}

Value ImagePlanes::firstRead(IndexBuilder &index, Value position,
                             int64_t count) const {
  return isInPlace ? index.min(position, index.add(readable, -count))
                   : position;
}

Value ImagePlanes::offsetOf(IndexBuilder &index, Value row,
                            Value column) const {
  auto split = [&](const Dim &dim, Value tap) {
    Value distance = index.mul(tap, dim.dilation);
    return std::make_pair(index.rem(distance, dim.stride),
                          index.div(distance, dim.stride));
  };
  auto [rowPlane, rowShift] = split(rows(), row);
  auto [columnPlane, columnShift] = split(columns(), column);
  Value plane = index.at(columnPlane, rowPlane, columns().planes());
  Value point = index.at(columnShift, rowShift, pitch());
  Value offset = index.at(start, point, pointStride());
  return isInPlace ? offset : index.at(offset, plane, planeSize());
}

void ImagePlanes::fill(IndexBuilder &index, Value to, int64_t points) {
  if (points <= 0)
    return;
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value zero = arith::ConstantOp::create(index.builder, index.loc,
                                         index.builder.getZeroAttr(element));
  emitFill(index.builder, index.loc, zero, buffer, to, points * channels);
}

void ImagePlanes::copyRow(IndexBuilder &index, int64_t plane, Value from,
                          Value to) {
  const Dim &dim = columns();
  // The points [low, high) of the plane are points of the image.
  int64_t first = plane - dim.padding;
  auto pointOf = [&](int64_t at) {
    return llvm::divideCeilSigned(at - first, dim.stride);
  };
  int64_t low = std::clamp<int64_t>(pointOf(0), 0, pitch());
  int64_t high = std::clamp<int64_t>(pointOf(dim.input), low, pitch());
  fill(index, to, low);
  fill(index, index.add(to, high * channels), pitch() - high);
  Value source = index.add(from, (first + low * dim.stride) * inputPointStride);
  Value target = index.add(to, low * channels);
  if (dim.stride == 1 && channels == inputPointStride) {
    if (high > low)
      emitCopy(index.builder, index.loc, input, source, buffer, target,
               (high - low) * channels);
    return;
  }
  index.loop(0, high - low, 1, [&](Value point) {
    emitCopy(index.builder, index.loc, input,
             index.at(source, point, dim.stride * inputPointStride), buffer,
             index.at(target, point, channels), channels);
  });
}

void ImagePlanes::prepare(IndexBuilder &index, Value base, Value begin,
                          Value end) {
  const Dim &dim = rows();
  if (isInPlace) {
    start = index.at(base, begin, inputRowStride);
    Value behind = index.sub(index.constant(dim.input - dim.reach()), begin);
    readable = index.add(index.mul(behind, pitch()), -columns().reach());
    return;
  }
  start = index.constant(0);
  Value count = index.add(index.sub(end, begin), dim.reach());
  for (int64_t plane = 0; plane < dim.planes(); ++plane)
    index.loop(index.constant(0), count, 1, [&](Value row) {
      Value at = index.add(index.mul(index.add(begin, row), dim.stride),
                           plane - dim.padding);
      Value from = index.at(base, at, inputRowStride);
      auto forColumns = [&](llvm::function_ref<void(int64_t, Value)> body) {
        for (int64_t column = 0; column < columns().planes(); ++column)
          body(column,
               index.add(index.mul(row, pitch() * channels),
                         (plane * columns().planes() + column) * planeSize()));
      };
      // As an unsigned number a row before the image is past its end.
      Value inside = arith::CmpIOp::create(index.builder, index.loc,
                                           arith::CmpIPredicate::ult, at,
                                           index.constant(dim.input));
      index.branch(
          inside,
          [&] {
            forColumns([&](int64_t column, Value to) {
              copyRow(index, column, from, to);
            });
          },
          [&] {
            forColumns([&](int64_t, Value to) { fill(index, to, pitch()); });
          });
    });
}

} // namespace heddle
