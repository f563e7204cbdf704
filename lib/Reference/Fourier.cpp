// fft: one dimension after the other, each by splitting off its smallest prime
// factor; a prime length is summed by definition.

#include "Evaluator.h"
#include "Routines.h"

#include "dialects/StableHlo/StableHlo.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

static int64_t smallestFactor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p)
    if (n % p == 0)
      return p;
  return n;
}

/// exp(sign 2πi k / n) for all k; exact at quarter turns.
static std::vector<Wide> rootsOfUnity(int64_t n, int sign) {
  constexpr long double kHalfPi = 1.570796326794896619231321691639751442L;
  std::vector<Wide> roots(n);
  for (int64_t k = 0; k < n; ++k) {
    int64_t quarter = 4 * k / n, rest = 4 * k % n;
    long double angle = kHalfPi * (long double)rest / n;
    Wide root(std::cos(angle), std::sin(angle));
    for (; quarter > 0; --quarter)
      root = Wide(-root.imag(), root.real());
    roots[k] = Wide(root.real(), sign * root.imag());
  }
  return roots;
}

/// out[j] = sum over k of in[k · step] root^(jk), of length n; the roots are
/// those of n · rootStep.
static void transform(int64_t n, const Wide *in, int64_t step, Wide *out,
                      const std::vector<Wide> &roots, int64_t rootStep) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  int64_t p = smallestFactor(n), m = n / p;
  // p transforms of the elements with equal remainder by p.
  std::vector<Wide> parts(n);
  for (int64_t r = 0; r < p; ++r)
    transform(m, in + r * step, step * p, parts.data() + r * m, roots,
              rootStep * p);
  for (int64_t j = 0; j < n; ++j) {
    Wide sum = 0;
    for (int64_t r = 0; r < p; ++r)
      sum += roots[(j * r % n) * rootStep] * parts[r * m + j % m];
    out[j] = sum;
  }
}

/// Transforms dimension `d` of dense values, in place; the inverse divides.
static void transformDimension(std::vector<Wide> &values,
                               ArrayRef<int64_t> shape, int64_t d,
                               bool inverse) {
  int64_t n = shape[d], step = rowMajorStrides(shape)[d];
  if (n <= 1 || values.empty())
    return;
  std::vector<Wide> roots = rootsOfUnity(n, inverse ? 1 : -1), line(n), out(n);
  Extents outer(shape);
  outer[d] = 1;
  IndexWalk walk(outer, rowMajorStrides(shape));
  for (int64_t i = 0; i < numElements(outer); ++i, walk.next()) {
    for (int64_t k = 0; k < n; ++k)
      line[k] = values[walk.offset() + k * step];
    transform(n, line.data(), 1, out.data(), roots, 1);
    for (int64_t k = 0; k < n; ++k)
      values[walk.offset() + k * step] =
          inverse ? out[k] / (long double)n : out[k];
  }
}

void reference::applyFourier(std::vector<Wide> &values, Extents &shape,
                             StringRef type, ArrayRef<int64_t> lengths,
                             int64_t first) {
  int64_t count = lengths.size();
  if (type == "IRFFT") {
    // The other dimensions first; then the last one is completed by symmetry.
    for (int64_t d = 0; d + 1 < count; ++d)
      transformDimension(values, shape, first + d, true);
    int64_t half = shape.back(), whole = lengths.back();
    std::vector<Wide> full;
    for (size_t row = 0; half && row < values.size() / half; ++row)
      for (int64_t k = 0; k < whole; ++k)
        full.push_back(k < half ? values[row * half + k]
                                : std::conj(values[row * half + whole - k]));
    values = std::move(full);
    shape.back() = whole;
    transformDimension(values, shape, first + count - 1, true);
  } else {
    for (int64_t d = count; d-- > 0;)
      transformDimension(values, shape, first + d, type == "IFFT");
  }
  if (type == "RFFT") {
    int64_t whole = shape.back(), half = whole / 2 + 1;
    std::vector<Wide> kept;
    for (size_t row = 0; whole && row < values.size() / whole; ++row)
      for (int64_t k = 0; k < half; ++k)
        kept.push_back(values[row * whole + k]);
    values = std::move(kept);
    shape.back() = whole == 0 ? 0 : half;
  }
}

static LogicalResult fft(Invocation &call, stablehlo::FftOp op) {
  using stablehlo::FftType;
  const HostTensor &operand = call.tensor(0);
  FftType type = op.getFftType();
  ArrayRef<int64_t> lengths = op.getFftLength();
  int64_t rank = operand.rank(), count = lengths.size();
  if (count < 1 || count > rank)
    return call.error() << "transforms more dimensions than there are";

  Extents shape(operand.shape());
  std::vector<Wide> values(operand.size());
  for (int64_t i = 0; i < operand.size(); ++i)
    values[i] = Wide(operand.complexAt(i));
  for (int64_t d = 0; d < count; ++d) {
    int64_t expected = type == FftType::IRFFT && d == count - 1
                           ? lengths[d] / 2 + 1
                           : lengths[d];
    if (operand.size() && shape[rank - count + d] != expected)
      return call.error() << "has lengths that are not those of its operand";
  }
  applyFourier(values, shape, stablehlo::stringifyFftType(type), lengths,
               rank - count);

  FailureOr<HostTensor> result = call.allocate(shape);
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < result->size(); ++i) {
    if (elementClass(result->kind()) == ElementClass::Complex)
      result->set(i,
                  Complex(double(values[i].real()), double(values[i].imag())));
    else
      result->set(i, double(values[i].real()));
  }
  return call.give(std::move(*result));
}

void reference::addFourier(Registry &registry) {
  registry.add<stablehlo::FftOp, fft>();
}
