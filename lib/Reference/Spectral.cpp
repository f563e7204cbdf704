// Schur forms and eigenvectors, by the plainest way: QR steps that factorize,
// multiply and do nothing implicitly.

#include "Routines.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

using Parameters = kernel::RoutineCall;

static Dense identity(int64_t n) {
  Dense result(n, n);
  for (int64_t i = 0; i < n; ++i)
    result.at(i, i) = 1;
  return result;
}

static Dense product(const Dense &a, const Dense &b) {
  Dense c(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t k = 0; k < a.columns; ++k)
      for (int64_t j = 0; j < b.columns; ++j)
        c.at(i, j) += a.at(i, k) * b.at(k, j);
  return c;
}

static Dense adjoint(const Dense &a) {
  Dense result(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j)
      result.at(j, i) = std::conj(a.at(i, j));
  return result;
}

/// The unitary factor of a square matrix.
static Dense unitaryFactor(const Parameters &call, const Dense &a) {
  SmallVector<Dense> packed = {Dense(a.rows, a.rows), Dense(1, a.rows)};
  factorizeQr(call, a, packed);
  SmallVector<Dense> q = {Dense(a.rows, a.rows)};
  multiplyReflectors(call, packed, q);
  return q[0];
}

/// t := qᴴ t q and z := z q, for q in the rows and columns from `low` on.
static void turn(Dense &t, Dense &z, int64_t low, const Dense &q) {
  Dense whole = identity(t.rows);
  for (int64_t i = 0; i < q.rows; ++i)
    for (int64_t j = 0; j < q.columns; ++j)
      whole.at(low + i, low + j) = q.at(i, j);
  t = product(product(adjoint(whole), t), whole);
  z = product(z, whole);
}

/// A rotation whose first column is along (x, y).
static Dense rotation(Complex x, Complex y) {
  double length = std::hypot(std::abs(x), std::abs(y));
  Dense q(2, 2);
  q.at(0, 0) = x / length;
  q.at(1, 0) = y / length;
  q.at(0, 1) = -std::conj(y) / length;
  q.at(1, 1) = std::conj(x) / length;
  return q;
}

/// Both eigenvalues of rows and columns i and i + 1.
static std::pair<Complex, Complex> eigenvaluesOfTwo(const Dense &t, int64_t i) {
  Complex a = t.at(i, i), b = t.at(i, i + 1), c = t.at(i + 1, i),
          d = t.at(i + 1, i + 1);
  Complex half = (a - d) / 2.0, root = std::sqrt(half * half + b * c);
  return {d + half + root, d + half - root};
}

/// Turns a real block of two rows so that it is triangular, or has equal
/// elements on its diagonal where its eigenvalues are not real.
static void finishRealBlock(Dense &t, Dense &z, int64_t i) {
  double a = t.at(i, i).real(), b = t.at(i, i + 1).real();
  double c = t.at(i + 1, i).real(), d = t.at(i + 1, i + 1).real();
  double half = (a - d) / 2, discriminant = half * half + b * c;
  if (discriminant >= 0) {
    double root = std::sqrt(discriminant);
    // (t - value) (value - d, c) = 0
    turn(t, z, i, rotation(half + (half < 0 ? -root : root), c));
    t.at(i + 1, i) = 0;
    return;
  }
  double angle = std::atan2(a - d, b + c) / 2;
  turn(t, z, i, rotation(std::cos(angle), -std::sin(angle)));
  t.at(i, i) = t.at(i + 1, i + 1) = (a + d) / 2;
}

/// a = z t zᴴ with t triangular, or with `real` quasi-triangular. False if that
/// takes too long.
static bool toSchurForm(const Parameters &call, const Dense &a, bool real,
                        Dense &t, Dense &z) {
  int64_t n = a.rows;
  t = a;
  z = identity(n);
  // Hessenberg form, column by column: only neighbours below the diagonal.
  for (int64_t k = 0; k + 2 < n; ++k) {
    Dense below(n - k - 1, n - k - 1);
    for (int64_t i = 0; i < below.rows; ++i)
      below.at(i, 0) = t.at(k + 1 + i, k);
    turn(t, z, k + 1, unitaryFactor(call, below));
  }
  int64_t high = n - 1;
  for (int64_t step = 1; high > 0; ++step) {
    int64_t low = high;
    while (low > 0 &&
           std::abs(t.at(low, low - 1)) >
               1e-15 * (std::abs(t.at(low, low)) +
                        std::abs(t.at(low - 1, low - 1))) &&
           std::abs(t.at(low, low - 1)) > 1e-290)
      --low;
    if (low > 0)
      t.at(low, low - 1) = 0;
    if (low == high || (real && low + 1 == high)) {
      if (low < high)
        finishRealBlock(t, z, low);
      high = low - 1;
      step = 0;
      continue;
    }
    if (step > 100)
      return false;
    auto [one, two] = eigenvaluesOfTwo(t, high - 1);
    Complex last = t.at(high, high);
    Complex shift = std::abs(one - last) <= std::abs(two - last) ? one : two;
    if (step % 10 == 0) // another one, should the usual turn in circles
      shift = one = last + 1.5 * std::abs(t.at(high, high - 1));
    int64_t size = high - low + 1;
    Dense shifted(size, size);
    for (int64_t i = 0; i < size; ++i)
      for (int64_t j = 0; j < size; ++j)
        shifted.at(i, j) = t.at(low + i, low + j) - (i == j ? shift : 0.0);
    if (real) {
      // The conjugate shift at once, or the same again: a real matrix.
      Dense other = shifted;
      for (int64_t i = 0; i < size; ++i)
        other.at(i, i) += shift - std::conj(shift);
      shifted = product(shifted, other);
      for (Complex &value : shifted.values)
        value = value.real();
    }
    turn(t, z, low, unitaryFactor(call, shifted));
    // What rounding leaves below the subdiagonal.
    for (int64_t i = low; i <= high; ++i)
      for (int64_t j = low; j + 1 < i; ++j)
        t.at(i, j) = 0;
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j)
      if (j + 1 < i || !real)
        t.at(i, j) = 0;
  return true;
}

static bool isReal(const Parameters &call) { return !call.isComplex(); }

static bool isFinite(const Dense &a) {
  return llvm::all_of(a.values, [](Complex value) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  });
}

static void setNan(MutableArrayRef<Dense> out) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (Dense &one : out)
    std::fill(one.values.begin(), one.values.end(), Complex(nan, nan));
}

void reference::decomposeSchur(const Parameters &call, ArrayRef<Dense> in,
                               MutableArrayRef<Dense> out) {
  if (!isFinite(in[0]) ||
      !toSchurForm(call, in[0], isReal(call), out[0], out[1]))
    setNan(out);
}

/// Eigenvectors of a triangular matrix as columns: (t - t(k, k)) x = 0 with
/// x(k) = 1.
static Dense vectorsOfTriangle(const Dense &t) {
  int64_t n = t.rows;
  Dense x(n, n);
  double unit = 0;
  for (Complex value : t.values)
    unit = std::max(unit, std::abs(value) * 1e-16);
  for (int64_t k = 0; k < n; ++k) {
    x.at(k, k) = 1;
    for (int64_t i = k; i-- > 0;) {
      Complex sum = 0;
      for (int64_t j = i + 1; j <= k; ++j)
        sum += t.at(i, j) * x.at(j, k);
      Complex gap = t.at(k, k) - t.at(i, i);
      x.at(i, k) = sum / (std::abs(gap) < unit ? Complex(unit) : gap);
    }
  }
  return x;
}

/// Columns get length one and a largest element that is real; those of real
/// matrices and eigenvalues stay real.
static void normalize(Dense &v, const Dense &values, bool real) {
  for (int64_t j = 0; j < v.columns; ++j) {
    double length = 0;
    Complex largest = 0;
    for (int64_t i = 0; i < v.rows; ++i) {
      length = std::hypot(length, std::abs(v.at(i, j)));
      if (std::abs(v.at(i, j)) > std::abs(largest))
        largest = v.at(i, j);
    }
    bool turns = !real || values[j].imag() != 0;
    for (int64_t i = 0; i < v.rows; ++i)
      v.at(i, j) *=
          (turns ? std::conj(largest) / std::abs(largest) : 1.0) / length;
  }
}

void reference::decomposeEigen(const Parameters &call, ArrayRef<Dense> in,
                               MutableArrayRef<Dense> out) {
  int64_t n = in[0].rows;
  Dense t, z;
  if (!isFinite(in[0]) || !toSchurForm(call, in[0], isReal(call), t, z))
    return setNan(out);
  // The blocks of a real matrix become triangular, too. Pairs are conjugates.
  for (int64_t i = 0; i + 1 < n; ++i) {
    if (t.at(i + 1, i) == 0.0)
      continue;
    double a = t.at(i, i).real();
    Complex value(a, std::sqrt(-(t.at(i, i + 1) * t.at(i + 1, i)).real()));
    turn(t, z, i, rotation(value - a, t.at(i + 1, i)));
    t.at(i + 1, i) = 0;
    t.at(i, i) = value;
    t.at(i + 1, i + 1) = std::conj(value);
  }
  for (int64_t i = 0; i < n; ++i)
    out[0][i] = t.at(i, i);
  unsigned next = 1;
  if (call.flag("compute_left", false)) {
    // The rows of the inverse of the right ones are the left ones; better, they
    // are right ones of the adjoint, triangular in the reverse order.
    Dense flipped(n, n), vectors(n, n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        flipped.at(i, j) = std::conj(t.at(n - 1 - j, n - 1 - i));
    Dense x = vectorsOfTriangle(flipped);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        vectors.at(i, j) = x.at(n - 1 - i, n - 1 - j);
    out[next] = product(z, vectors);
    normalize(out[next++], out[0], isReal(call));
  }
  if (call.flag("compute_right", true)) {
    out[next] = product(z, vectorsOfTriangle(t));
    normalize(out[next], out[0], isReal(call));
  }
}
