// Fourier transforms.

#include "NodeImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Complex numbers from a last dimension of 1 (real) or 2 elements; real ones
/// stay real.
static Value readComplex(Emitter &emit, Value value) {
  int64_t last = Emitter::typeOf(value).getRank() - 1;
  OwnedExtents shape = emit.knownShapeOf(value);
  int64_t parts = shape.pop_back_val();
  auto part = [&](int64_t i) {
    return emit.reshape(emit.sliceDim(value, last, i, i + 1), shape);
  };
  if (parts == 1)
    return part(0);
  return stablehlo::ComplexOp::create(
      emit.builder, emit.loc,
      RankedTensorType::get(shape, ComplexType::get(Emitter::elementOf(value))),
      part(0), part(1));
}

/// Real and imaginary part side by side in a new last dimension.
static Value writeComplex(Emitter &emit, Value value) {
  RankedTensorType type = Emitter::typeOf(value);
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  OwnedExtents column(type.getShape());
  column.push_back(1);
  if (!complex)
    return emit.reshape(value, column);
  auto half = RankedTensorType::get(type.getShape(), complex.getElementType());
  Value real = stablehlo::RealOp::create(emit.builder, emit.loc, half, value);
  Value imaginary =
      stablehlo::ImagOp::create(emit.builder, emit.loc, half, value);
  return emit.concatenate(
      {emit.reshape(real, column), emit.reshape(imaginary, column)},
      type.getRank());
}

/// Cuts or pads the last dimension with zeros.
static Value fitLast(Emitter &emit, Value value, int64_t extent) {
  int64_t rank = Emitter::typeOf(value).getRank();
  int64_t given = emit.knownExtentOf(value, rank - 1);
  if (given > extent)
    return emit.sliceDim(value, rank - 1, 0, extent);
  if (given == extent)
    return value;
  OwnedExtents low(rank, 0), high(rank, 0);
  high[rank - 1] = extent - given;
  Type element = Emitter::elementOf(value);
  auto scalar = RankedTensorType::get({}, element);
  if (auto complex = dyn_cast<ComplexType>(element)) {
    Value zero = emit.scalar(complex.getElementType(), 0);
    return emit.pad(value,
                    stablehlo::ComplexOp::create(emit.builder, emit.loc, scalar,
                                                 zero, zero),
                    low, high);
  }
  return emit.pad(value, emit.splat(scalar, 0), low, high);
}

static Value fft(Emitter &emit, Value value, stablehlo::FftType kind,
                 int64_t length) {
  OwnedExtents shape = emit.knownShapeOf(value);
  Type element = Emitter::elementOf(value);
  if (kind == stablehlo::FftType::RFFT) {
    shape.back() = length / 2 + 1;
    element = ComplexType::get(element);
  } else if (kind == stablehlo::FftType::IRFFT) {
    shape.back() = length;
    element = cast<ComplexType>(element).getElementType();
  }
  return stablehlo::FftOp::create(
      emit.builder, emit.loc, RankedTensorType::get(shape, element), value,
      stablehlo::FftTypeAttr::get(emit.builder.getContext(), kind),
      emit.builder.getDenseI64ArrayAttr(length));
}

static Value asComplex(Emitter &emit, Value value) {
  Type element = Emitter::elementOf(value);
  if (isa<ComplexType>(element))
    return value;
  return stablehlo::ComplexOp::create(
      emit.builder, emit.loc,
      RankedTensorType::get(Emitter::typeOf(value).getShape(),
                            ComplexType::get(element)),
      value, emit.splatLike(value, 0));
}

/// The transform of the last dimension, which has `length` elements; a
/// one-sided one of real numbers has half of them and one.
static Value transformed(Emitter &emit, Value value, int64_t length,
                         bool isInverse, bool isOneSided) {
  using stablehlo::FftType;
  bool isReal = !isa<ComplexType>(Emitter::elementOf(value));
  if (isInverse && isOneSided)
    return fft(emit, fitLast(emit, asComplex(emit, value), length / 2 + 1),
               FftType::IRFFT, length);
  value = fitLast(emit, value, length);
  if (isOneSided && isReal)
    return fft(emit, value, FftType::RFFT, length);
  Value result = fft(emit, asComplex(emit, value),
                     isInverse ? FftType::IFFT : FftType::FFT, length);
  return isOneSided ? fitLast(emit, result, length / 2 + 1) : result;
}

static constexpr int64_t kMaxLength = int64_t(1) << 30;

/// The axis is an attribute in opset 17 and an operand since 20.
static LogicalResult importDft(NodeImporter &node) {
  Emitter &emit = node.emit;
  bool isInverse = node.integerAttribute("inverse", 0) != 0;
  bool isOneSided = node.integerAttribute("onesided", 0) != 0;
  int64_t rank = node.rank(0);
  std::optional<int64_t> axis = node.version() < 20
                                    ? node.integerAttribute("axis", 1)
                                : node.has(2) ? node.integer(2, "the axis")
                                              : std::optional<int64_t>(-2);
  if (!axis)
    return failure();
  *axis = node.normalizeAxis(*axis, rank);
  if (emit.hasFault())
    return failure();
  OwnedExtents shape = node.knownShape(0);
  int64_t parts = rank == 0 ? 0 : shape.back();
  if (rank < 2 || *axis == rank - 1 || (parts != 1 && parts != 2) ||
      !isa<FloatType>(node.element(0)))
    return node.invalid("an input of the shape " + spellShape(node.shape(0)) +
                        " is no complex or real signal along axis " +
                        Twine(*axis));
  int64_t extent = shape[*axis];
  std::optional<int64_t> length = node.has(1) ? node.integer(1, "the length")
                                  : isInverse && isOneSided
                                      ? std::optional<int64_t>(2 * (extent - 1))
                                      : std::optional<int64_t>(extent);
  if (!length)
    return failure();
  if (*length < 1 || *length > kMaxLength)
    return node.invalid("a transform of " + Twine(*length) + " elements");
  Value value = readComplex(emit, emit.widened(node.operand(0)));
  OwnedExtents order, inverse(rank - 1);
  for (int64_t i = 0; i < rank - 1; ++i)
    if (i != *axis)
      order.push_back(i);
  order.push_back(*axis);
  for (int64_t i = 0; i < rank - 1; ++i)
    inverse[order[i]] = i;
  if (emit.hasFault())
    return failure();
  value = transformed(emit, emit.transpose(value, order), *length, isInverse,
                      isOneSided);
  value = writeComplex(emit, emit.transpose(value, inverse));
  return node.result(emit.convert(value, node.element(0)));
}

/// Overlapping frames of a signal, [batch, length, 1 or 2], each weighed by a
/// window and transformed: [batch, frames, bins, 2].
static LogicalResult importStft(NodeImporter &node) {
  Emitter &emit = node.emit;
  bool isOneSided = node.integerAttribute("onesided", 1) != 0;
  if (!node.has(1))
    return node.invalid("frame_step is missing");
  std::optional<int64_t> step = node.integer(1, "frame_step");
  if (!step)
    return failure();
  std::optional<int64_t> length =
      node.has(3)   ? node.integer(3, "frame_length")
      : node.has(2) ? std::optional<int64_t>(node.type(2).getNumElements())
                    : std::nullopt;
  if (emit.hasFault())
    return failure();
  bool isPlain = node.rank(0) == 2;
  OwnedExtents given = node.knownShape(0);
  if (!length || (node.rank(0) != 3 && !isPlain) ||
      (!isPlain && given[2] != 1 && given[2] != 2) ||
      !isa<FloatType>(node.element(0)) || *step < 1 || *length < 1 ||
      *length > given[1] ||
      (node.has(2) && (node.rank(2) != 1 || node.knownShape(2)[0] != *length)))
    return node.invalid("frame_step, frame_length and window do not fit a "
                        "signal of the shape " +
                        spellShape(node.shape(0)));
  int64_t frames = 1 + (given[1] - *length) / *step;
  Value signal = emit.widened(node.operand(0));
  // [batch, frames, length, 1 or 2], or without the last dimension.
  OwnedExtents sizes(given), offsetDims{0, 2, 3}, shape(sizes);
  sizes[1] = *length;
  shape[1] = *length;
  shape.insert(shape.begin() + 1, frames);
  offsetDims.truncate(node.rank(0));
  Value start = emit.iota(
      RankedTensorType::get({frames, 1}, emit.builder.getI64Type()), 0);
  start = emit.multiply(start, emit.splatLike(start, double(*step)));
  Value cut =
      emit.gather(signal, start, shape, offsetDims, {}, {}, {}, {1}, sizes);
  if (node.has(2)) {
    Value window = emit.convert(node.operand(2), Emitter::elementOf(cut));
    cut =
        emit.multiply(cut, emit.broadcastInDim(window, emit.shapeOf(cut), {2}));
  }
  if (emit.hasFault())
    return failure();
  Value value = isPlain ? cut : readComplex(emit, cut);
  value = transformed(emit, value, *length, /*isInverse=*/false, isOneSided);
  return node.result(emit.convert(writeComplex(emit, value), node.element(0)));
}

void heddle::onnx::addSpectrum(OperatorTable &table) {
  table.add("DFT", {17, 20}, 1, 3, importDft);
  table.add("STFT", {17}, 2, 4, importStft);
}
