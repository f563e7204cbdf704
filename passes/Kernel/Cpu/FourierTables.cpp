// Plans Fourier transforms and computes their roots of unity.

#include "passes/Kernel/Cpu/FourierTables.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <complex>

using namespace heddle;
using namespace heddle::routine;

using Number = std::complex<long double>;

/// Lengths beyond this are turned by products of two roots instead of a table.
static constexpr int64_t wholeTurnTable = 1 << 16;
/// The largest factor that a stage takes.
static constexpr int64_t largestRadix = 13;

/// exp(-2 pi i k / n), from an angle below a quarter turn.
static Number root(int64_t k, int64_t n) {
  constexpr long double halfPi = 1.570796326794896619231321691639751442L;
  k %= n;
  int64_t quarter = 4 * k / n, rest = 4 * k % n;
  long double angle = halfPi * static_cast<long double>(rest) / n;
  Number value(std::cos(angle), -std::sin(angle));
  for (; quarter > 0; --quarter)
    value = Number(value.imag(), -value.real());
  return value;
}

static bool isSmooth(int64_t n, int64_t largest) {
  for (int64_t p = 2; p <= largest; ++p)
    while (n % p == 0)
      n /= p;
  return n == 1;
}

/// The factors of a smooth length, in the order of the stages: eights first,
/// no two where two fours do.
static std::vector<int64_t> radices(int64_t n) {
  std::vector<int64_t> result, twos;
  int bits = 0;
  for (; n % 2 == 0; n /= 2)
    ++bits;
  for (; bits >= 5 || bits == 3; bits -= 3)
    twos.push_back(8);
  for (; bits >= 2; bits -= 2)
    twos.push_back(4);
  if (bits)
    twos.push_back(2);
  result = twos;
  for (int64_t p : {3, 5, 7, 11, 13})
    for (; n % p == 0; n /= p)
      result.push_back(p);
  return result;
}

namespace {
class Planner {
public:
  explicit Planner(FourierTables &tables) : tables(tables) {}

  void plan(int64_t points, bool real, bool alone);

private:
  int64_t here() const { return tables.constants.size(); }
  void add(Number value) {
    tables.constants.push_back(value.real());
    tables.constants.push_back(value.imag());
  }
  void addStages(FourierStages &stages, int64_t n);
  void addSmooth(int64_t n, bool alone);
  void addConvolution(int64_t n);

  FourierTables &tables;
};
} // namespace

void Planner::addStages(FourierStages &stages, int64_t n) {
  stages.length = n;
  stages.table = here();
  stages.count = 0;
  int64_t left = n;
  for (int64_t radix : radices(n)) {
    stages.radix[stages.count++] = radix;
    int64_t parts = left / radix;
    for (int64_t p = 0; p < parts; ++p)
      for (int64_t k = 1; k < radix; ++k)
        add(root(p * k, left));
    left = parts;
  }
}

/// The first part of a length that splits in two parts, as near to its square
/// root as its factors allow.
static int64_t balancedPart(int64_t n) {
  int64_t best = 1;
  for (int64_t part = 1; part * part <= n; ++part)
    if (n % part == 0)
      best = part;
  return best;
}

void Planner::addSmooth(int64_t n, bool alone) {
  FourierPlan &plan = tables.plan;
  int64_t first = alone ? balancedPart(n) : n;
  if (first == 1)
    first = n;
  addStages(plan.first, first);
  addStages(plan.second, n / first);
  if (plan.second.length == 1)
    return;
  plan.turnBits = n > wholeTurnTable ? (llvm::Log2_64_Ceil(n) + 1) / 2
                                     : llvm::Log2_64_Ceil(n);
  plan.turnLow = here();
  int64_t low = int64_t(1) << plan.turnBits;
  for (int64_t t = 0; t < std::min(low, n); ++t)
    add(root(t, n));
  plan.turnHigh = here();
  for (int64_t t = 0; t < n; t += low)
    add(root(t, n));
}

/// The transform by definition, split by the smallest factor.
static std::vector<Number> transform(const std::vector<Number> &x) {
  int64_t n = x.size(), p = 2;
  if (n == 1)
    return x;
  while (n % p)
    ++p;
  int64_t m = n / p;
  std::vector<std::vector<Number>> parts;
  for (int64_t r = 0; r < p; ++r) {
    std::vector<Number> part(m);
    for (int64_t i = 0; i < m; ++i)
      part[i] = x[i * p + r];
    parts.push_back(transform(part));
  }
  std::vector<Number> result(n);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t r = 0; r < p; ++r)
      result[j] += root(j * r, n) * parts[r][j % m];
  return result;
}

void Planner::addConvolution(int64_t n) {
  FourierPlan &plan = tables.plan;
  int64_t m = plan.convolution;
  auto chirp = [&](int64_t k) {
    // k^2 modulo 2 n, without overflow: k is below 2^31.
    return root(k * k % (2 * n), 2 * n);
  };
  plan.chirp = here();
  for (int64_t k = 0; k < n; ++k)
    add(chirp(k));
  std::vector<Number> response(m);
  for (int64_t k = 0; k < n; ++k)
    response[k] = response[(m - k) % m] = std::conj(chirp(k));
  plan.spectrum = here();
  for (Number value : transform(response))
    add(value / static_cast<long double>(m));
}

void Planner::plan(int64_t points, bool real, bool alone) {
  FourierPlan &plan = tables.plan;
  bool halved = real && points % 2 == 0;
  int64_t n = halved ? points / 2 : points;
  plan.length = n;
  plan.unzip = -1;
  int64_t smooth = n;
  if (!isSmooth(n, largestRadix)) {
    for (smooth = 2 * n - 1; !isSmooth(smooth, 5);)
      ++smooth;
    plan.convolution = smooth;
  }
  addSmooth(smooth, alone);
  if (plan.convolution)
    addConvolution(n);
  if (halved) {
    plan.unzip = here();
    for (int64_t k = 0; k <= n; ++k)
      add(root(k, points));
  }
  tables.longest = std::max(smooth, halved ? n + 1 : points);
}

FourierTables heddle::planFourier(int64_t points, bool real, bool alone) {
  FourierTables tables;
  Planner(tables).plan(points, real, alone);
  return tables;
}
