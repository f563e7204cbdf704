// Quantization of constants, by its definition: in double, rounded once; to
// integers in integers. What weights of gigabytes go through, f32 to at most 8
// bits, is computed in f32, in loops that compilers vectorize, with the same
// results.

#include "BoxEvaluator.h"

#include "heddle/Support/ElementKind.h"
#include "heddle/Support/TensorTypes.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace heddle;

static ElementKind kindOf(Value value) {
  return *elementKind(getElementTypeOrSelf(value.getType()));
}

/// Elements of `value`, as integers or as numbers.
template <typename T>
static std::vector<T> load(Value value, const std::vector<char> &bytes) {
  ElementKind kind = kindOf(value);
  std::vector<T> values(bytes.size() / storedBytes(kind));
  loadElements(kind, bytes.data(), values.size(), values.data());
  return values;
}

/// The boxes of the input, the scale and the zero point.
template <typename Op>
static SmallVector<std::pair<Value, Box>> operandBoxes(Op op, const Box &box) {
  prec::Parameters parameters = op.getParameters(box.offsets, box.sizes);
  Box read = {parameters.offsets, parameters.sizes};
  return {
      {op.getInput(), box}, {op.getScale(), read}, {op.getZeroPoint(), read}};
}

namespace {
/// Scales and zero points of a box of an operation's input.
template <typename Op> struct Scaling {
  Scaling(Op op, const Box &box, ArrayRef<std::vector<char>> boxes)
      : scales(load<double>(op.getScale(), boxes[1])),
        zeroPoints(load<int64_t>(op.getZeroPoint(), boxes[2])),
        parameters(op.getParameters(box.offsets, box.sizes)) {}

  /// Calls `take` with the number of each of `count` elements of the box, its
  /// scale and its zero point.
  template <typename Take> void forEach(size_t count, Take take) {
    for (size_t i = 0; i < count;) {
      prec::Parameters::Run run = parameters.next();
      for (int64_t element = 0; element < run.elements; ++element, ++i) {
        int64_t at = run.parameterOf(element);
        take(i, scales[at], zeroPoints[at]);
      }
    }
  }

  std::vector<double> scales;
  std::vector<int64_t> zeroPoints;
  prec::Parameters parameters;
};

/// Numbers of f32 as integers of at most 8 bits, rounded to nearest even.
class ByteQuantization {
public:
  /// Nothing if `op` is another.
  static std::optional<ByteQuantization> of(prec::QuantizeOp op);

  /// Of `count` elements of a box.
  void apply(Scaling<prec::QuantizeOp> &scaling, const char *numbers,
             size_t count, char *out) const;

private:
  ByteQuantization(float least, float largest, char ofNan)
      : least(least), largest(largest), ofNan(ofNan) {}

  char store(float x, float scale, float zeroPoint) const;

  float least, largest;
  char ofNan;
};
} // namespace

static bool fitsF32(ElementKind kind) {
  return llvm::is_contained(
      {ElementKind::F32, ElementKind::F16, ElementKind::BF16}, kind);
}

std::optional<ByteQuantization> ByteQuantization::of(prec::QuantizeOp op) {
  if (kindOf(op.getInput()) != ElementKind::F32 ||
      !fitsF32(kindOf(op.getScale())) || op.getStorage().getWidth() > 8 ||
      op.getRounding() != prec::Rounding::NearestEven)
    return std::nullopt;
  return ByteQuantization(static_cast<float>(int64_t(op.getMinimum())),
                          static_cast<float>(int64_t(op.getMaximum())),
                          static_cast<char>(op.store(NAN, 0)));
}

char ByteQuantization::store(float x, float scale, float zeroPoint) const {
  // Sums with it have no bits for fractions, of magnitudes below 2^22.
  constexpr float rounding = 0x1.8p23F;
  float number = x / scale, low = least - zeroPoint, high = largest - zeroPoint;
  // What is beyond the range stays so when it is rounded.
  number = number < low ? low : number;
  number = number > high ? high : number;
  bool isNumber = number == number;
  float stored = (isNumber ? number + rounding : 0) - rounding + zeroPoint;
  return isNumber ? static_cast<char>(static_cast<int32_t>(stored)) : ofNan;
}

static float floatAt(const char *numbers, int64_t element) {
  float number;
  std::memcpy(&number, numbers + element * sizeof(float), sizeof(float));
  return number;
}

void ByteQuantization::apply(Scaling<prec::QuantizeOp> &scaling,
                             const char *numbers, size_t count,
                             char *out) const {
  std::vector<float> scales(scaling.scales.begin(), scaling.scales.end());
  std::vector<float> zeroPoints(scaling.zeroPoints.begin(),
                                scaling.zeroPoints.end());
  for (size_t done = 0; done < count;) {
    prec::Parameters::Run run = scaling.parameters.next();
    const float *scale = scales.data() + run.first;
    const float *zeroPoint = zeroPoints.data() + run.first;
    if (run.isSame)
      for (int64_t i = 0; i < run.elements; ++i)
        out[i] = store(floatAt(numbers, i), *scale, *zeroPoint);
    else
      for (int64_t i = 0; i < run.elements; ++i)
        out[i] = store(floatAt(numbers, i), scale[i], zeroPoint[i]);
    done += run.elements;
    numbers += run.elements * sizeof(float);
    out += run.elements;
  }
}

BoxEvaluator::Step BoxEvaluator::dequantize(prec::DequantizeOp op,
                                            const Box &box, char *out) {
  return afterAll(operandBoxes(op, box), [op, box,
                                          out](const Values &boxes) mutable {
    std::vector<int64_t> stored = load<int64_t>(op.getInput(), boxes[0]);
    Scaling<prec::DequantizeOp> scaling(op, box, boxes);
    if (getElementTypeOrSelf(op.getType()).isInteger()) {
      // 16 bits times 32 are exact in double, and what does not fit wraps.
      scaling.forEach(
          stored.size(), [&](size_t i, double scale, int64_t zeroPoint) {
            stored[i] = (stored[i] - zeroPoint) * static_cast<int64_t>(scale);
          });
      storeElements(kindOf(op.getResult()), stored.data(), stored.size(), out);
      return success();
    }
    std::vector<double> values(stored.size());
    scaling.forEach(
        values.size(), [&](size_t i, double scale, int64_t zeroPoint) {
          values[i] = static_cast<double>(stored[i] - zeroPoint) * scale;
        });
    storeElements(kindOf(op.getResult()), values.data(), values.size(), out);
    return success();
  });
}

BoxEvaluator::Step BoxEvaluator::quantize(prec::QuantizeOp op, const Box &box,
                                          char *out) {
  return afterAll(operandBoxes(op, box), [op, box,
                                          out](const Values &boxes) mutable {
    Scaling<prec::QuantizeOp> scaling(op, box, boxes);
    if (std::optional<ByteQuantization> bytes = ByteQuantization::of(op)) {
      bytes->apply(scaling, boxes[0].data(), box.elements(), out);
      return success();
    }
    std::vector<double> values = load<double>(op.getInput(), boxes[0]);
    ElementKind real = kindOf(op.getInput());
    std::vector<int64_t> stored(values.size());
    scaling.forEach(
        values.size(), [&](size_t i, double scale, int64_t zeroPoint) {
          stored[i] = op.store(roundToKind(real, values[i] / scale), zeroPoint);
        });
    storeElements(kindOf(op.getResult()), stored.data(), stored.size(), out);
    return success();
  });
}

namespace {
/// The extremes of blocks.
template <typename T> class Extremes {
public:
  explicit Extremes(size_t blocks) : blocks(blocks) {}

  /// Adds a run of numbers, which are of its block or of one each.
  void add(const T *numbers, const prec::Parameters::Run &run);

  std::vector<double> scales(int64_t integer) const;

private:
  struct Block {
    T least = 0, largest = 0;
    /// NaN where a number is not finite, otherwise zero.
    T spoilt = 0;
  };

  std::vector<Block> blocks;
};
} // namespace

template <typename T>
void Extremes<T>::add(const T *numbers, const prec::Parameters::Run &run) {
  auto addTo = [](Block &block, T number) {
    block.least = number < block.least ? number : block.least;
    block.largest = number > block.largest ? number : block.largest;
    block.spoilt += number * 0;
  };
  Block *block = blocks.data() + run.first;
  if (!run.isSame) {
    for (int64_t i = 0; i < run.elements; ++i)
      addTo(block[i], numbers[i]);
    return;
  }
  Block sum = *block;
  for (int64_t i = 0; i < run.elements; ++i)
    addTo(sum, numbers[i]);
  *block = sum;
}

template <typename T>
std::vector<double> Extremes<T>::scales(int64_t integer) const {
  std::vector<double> scales;
  for (const Block &block : blocks) {
    double extreme =
        block.largest >= -block.least ? block.largest : block.least;
    // Of NaNs there are many; this one has no sign.
    if (std::isnan(block.spoilt))
      extreme = std::numeric_limits<double>::quiet_NaN();
    scales.push_back(extreme / static_cast<double>(integer));
  }
  return scales;
}

template <typename T>
static std::vector<double> fittedScales(prec::FitScaleOp op, const Box &box,
                                        const std::vector<T> &numbers) {
  prec::Parameters parameters = op.getParameters(box.offsets, box.sizes);
  Extremes<T> extremes(Box{parameters.offsets, parameters.sizes}.elements());
  for (size_t done = 0; done < numbers.size();) {
    prec::Parameters::Run run = parameters.next();
    extremes.add(numbers.data() + done, run);
    done += run.elements;
  }
  return extremes.scales(static_cast<int64_t>(op.getInteger()));
}

BoxEvaluator::Step BoxEvaluator::fitScale(prec::FitScaleOp op, const Box &box,
                                          char *out) {
  auto axis = static_cast<int64_t>(op.getAxis()),
       block = static_cast<int64_t>(op.getBlock()),
       extent = typeOf(op.getInput()).getDimSize(axis);
  Box read = box;
  read.offsets[axis] *= block;
  read.sizes[axis] =
      std::min(box.sizes[axis] * block, extent - read.offsets[axis]);
  return afterAll({{op.getInput(), read}}, [op, read,
                                            out](const Values &boxes) mutable {
    std::vector<double> scales;
    if (kindOf(op.getInput()) == ElementKind::F32) {
      std::vector<float> numbers(read.elements());
      std::memcpy(numbers.data(), boxes[0].data(), boxes[0].size());
      scales = fittedScales(op, read, numbers);
    } else {
      scales = fittedScales(op, read, load<double>(op.getInput(), boxes[0]));
    }
    storeElements(kindOf(op.getResult()), scales.data(), scales.size(), out);
    return success();
  });
}
