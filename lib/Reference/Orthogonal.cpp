// Factorizations with orthogonal factors, each by the plainest way to it:
// reflectors one by one, eigenvalues by Jacobi's rotations, singular values
// from them.

#include "Routines.h"

#include <numeric>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

using Parameters = kernel::RoutineCall;

static Dense adjoint(const Dense &a) {
  Dense result(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j)
      result.at(j, i) = std::conj(a.at(i, j));
  return result;
}

static bool isFinite(const Dense &a) {
  return llvm::all_of(a.values, [](Complex value) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  });
}

static void setNan(MutableArrayRef<Dense> out) {
  for (Dense &one : out)
    std::fill(one.values.begin(), one.values.end(),
              Complex(std::numeric_limits<double>::quiet_NaN()));
}

/// a := (1 - tau v vᴴ) a for v in the rows from `first` on, columns from
/// `column` on.
static void reflect(Dense &a, int64_t first, int64_t column,
                    ArrayRef<Complex> v, Complex tau) {
  for (int64_t j = column; j < a.columns; ++j) {
    Complex sum = 0;
    for (size_t i = 0; i < v.size(); ++i)
      sum += std::conj(v[i]) * a.at(first + i, j);
    for (size_t i = 0; i < v.size(); ++i)
      a.at(first + i, j) -= tau * sum * v[i];
  }
}

void reference::factorizeQr(const Parameters &, ArrayRef<Dense> in,
                            MutableArrayRef<Dense> out) {
  Dense &a = out[0], &taus = out[1];
  a = in[0];
  for (int64_t k = 0; k < taus.columns; ++k) {
    Complex alpha = a.at(k, k);
    double rest = 0;
    for (int64_t i = k + 1; i < a.rows; ++i)
      rest = std::hypot(rest, std::abs(a.at(i, k)));
    if (rest == 0 && alpha.imag() == 0)
      continue;
    double beta = std::hypot(std::abs(alpha), rest);
    beta = alpha.real() >= 0 ? -beta : beta;
    taus[k] = Complex((beta - alpha.real()) / beta, -alpha.imag() / beta);
    std::vector<Complex> v = {1};
    for (int64_t i = k + 1; i < a.rows; ++i)
      v.push_back(a.at(i, k) / (alpha - beta));
    reflect(a, k, k, v, std::conj(taus[k]));
    for (int64_t i = k + 1; i < a.rows; ++i)
      a.at(i, k) = v[i - k];
  }
}

void reference::multiplyReflectors(const Parameters &, ArrayRef<Dense> in,
                                   MutableArrayRef<Dense> out) {
  const Dense &packed = in[0], &taus = in[1];
  Dense &q = out[0];
  for (int64_t i = 0; i < q.columns; ++i)
    q.at(i, i) = 1;
  for (int64_t k = taus.columns; k-- > 0;) {
    std::vector<Complex> v = {1};
    for (int64_t i = k + 1; i < packed.rows; ++i)
      v.push_back(packed.at(i, k));
    reflect(q, k, 0, v, taus[k]);
  }
}

/// The reflector of column k from row `first` on: v, and tau with
/// (1 - tau v vᴴ)ᴴ x = (beta, 0).
static std::pair<std::vector<Complex>, Complex>
reflectorOf(const Dense &a, int64_t first, int64_t k) {
  Complex alpha = a.at(first, k);
  double rest = 0;
  for (int64_t i = first + 1; i < a.rows; ++i)
    rest = std::hypot(rest, std::abs(a.at(i, k)));
  std::vector<Complex> v(a.rows - first);
  v[0] = 1;
  if (rest == 0 && alpha.imag() == 0)
    return {v, 0};
  double beta = std::hypot(std::abs(alpha), rest);
  beta = alpha.real() >= 0 ? -beta : beta;
  for (int64_t i = first + 1; i < a.rows; ++i)
    v[i - first] = a.at(i, k) / (alpha - beta);
  return {v, Complex((beta - alpha.real()) / beta, -alpha.imag() / beta)};
}

/// Qᴴ a Q with zeros below the first subdiagonal, the vectors in their place.
static void reduce(Dense &a, Dense &taus) {
  std::vector<std::vector<Complex>> vectors;
  for (int64_t k = 0; k + 1 < a.rows; ++k) {
    auto [v, tau] = reflectorOf(a, k + 1, k);
    reflect(a, k + 1, 0, v, std::conj(tau));
    a = adjoint(a);
    reflect(a, k + 1, 0, v, std::conj(tau));
    a = adjoint(a);
    taus[k] = tau;
    vectors.push_back(v);
  }
  for (auto [k, v] : llvm::enumerate(vectors))
    for (size_t i = 1; i < v.size(); ++i)
      a.at(k + 1 + i, k) = v[i];
}

void reference::reduceToHessenberg(const Parameters &, ArrayRef<Dense> in,
                                   MutableArrayRef<Dense> out) {
  out[0] = in[0];
  reduce(out[0], out[1]);
}

void reference::reduceToTridiagonal(const Parameters &call, ArrayRef<Dense> in,
                                    MutableArrayRef<Dense> out) {
  Dense &a = out[0];
  Dense given = in[0];
  bool lower = call.flag("lower", true);
  // The upper triangle is the lower one with rows and columns in reverse order.
  if (!lower)
    std::reverse(given.values.begin(), given.values.end());
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      a.at(i, j) = i == j ? given.at(i, j).real() : given.at(i, j);
      a.at(j, i) = std::conj(a.at(i, j));
    }
  reduce(a, out[3]);
  for (int64_t i = 0; i < a.rows; ++i) {
    out[1][i] = a.at(i, i).real();
    a.at(i, i) = a.at(i, i).real();
    if (i + 1 < a.rows) {
      out[2][i] = a.at(i + 1, i).real();
      a.at(i + 1, i) = a.at(i + 1, i).real();
    }
    for (int64_t j = i + 1; j < a.columns; ++j)
      a.at(i, j) = 0;
  }
  for (Dense &one : out)
    if (!lower)
      std::reverse(one.values.begin(), one.values.end());
}

/// Turns column j so that its element of largest magnitude is positive and
/// real; returns the factor.
static Complex turnPositive(Dense &a, int64_t j) {
  Complex largest = 0;
  for (int64_t i = 0; i < a.rows; ++i)
    if (std::abs(a.at(i, j)) > std::abs(largest))
      largest = a.at(i, j);
  Complex factor =
      largest == 0.0 ? Complex(1) : std::conj(largest) / std::abs(largest);
  for (int64_t i = 0; i < a.rows; ++i)
    a.at(i, j) *= factor;
  return factor;
}

/// Jacobi's method: rotations of two rows and columns until nothing is left off
/// the diagonal of `a`; `v` collects them.
static void rotateToDiagonal(Dense &a, Dense &v) {
  int64_t n = a.rows;
  v = Dense(n, n);
  for (int64_t i = 0; i < n; ++i)
    v.at(i, i) = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        double off = std::abs(a.at(p, q));
        if (off <= 1e-18 * std::sqrt(std::abs(a.at(p, p).real()) *
                                     std::abs(a.at(q, q).real())) ||
            off < 1e-300)
          continue;
        rotated = true;
        // [c, s; -conj(s), c] makes a(p, q) zero.
        double zeta = (a.at(q, q).real() - a.at(p, p).real()) / (2 * off);
        double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::hypot(1, zeta));
        double c = 1 / std::hypot(1, t);
        Complex s = c * t * a.at(p, q) / off;
        for (int64_t i = 0; i < n; ++i) {
          Complex x = a.at(i, p), y = a.at(i, q);
          a.at(i, p) = c * x - std::conj(s) * y;
          a.at(i, q) = s * x + c * y;
          x = v.at(i, p), y = v.at(i, q);
          v.at(i, p) = c * x - std::conj(s) * y;
          v.at(i, q) = s * x + c * y;
        }
        for (int64_t i = 0; i < n; ++i) {
          Complex x = a.at(p, i), y = a.at(q, i);
          a.at(p, i) = c * x - s * y;
          a.at(q, i) = std::conj(s) * x + c * y;
        }
        a.at(p, q) = a.at(q, p) = 0;
      }
    if (!rotated)
      break;
  }
}

void reference::decomposeHermitian(const Parameters &call, ArrayRef<Dense> in,
                                   MutableArrayRef<Dense> out) {
  bool lower = call.flag("lower", true);
  int64_t n = in[0].rows;
  Dense a(n, n), v;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      Complex value = lower ? in[0].at(i, j) : std::conj(in[0].at(j, i));
      a.at(i, j) = i == j ? value.real() : value;
      a.at(j, i) = std::conj(a.at(i, j));
    }
  if (!isFinite(a))
    return setNan(out);
  rotateToDiagonal(a, v);
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t i, int64_t j) {
    return std::pair(a.at(i, i).real(), i) < std::pair(a.at(j, j).real(), j);
  });
  for (int64_t j = 0; j < n; ++j) {
    out[1][j] = a.at(order[j], order[j]);
    for (int64_t i = 0; i < n; ++i)
      out[0].at(i, j) = v.at(i, order[j]);
    turnPositive(out[0], j);
  }
}

/// Makes columns from `rank` on orthonormal to those before: what the unit
/// vectors have beyond them.
static void complete(Dense &a, int64_t rank) {
  for (int64_t j = rank; j < a.columns; ++j) {
    double best = -1;
    std::vector<Complex> found;
    for (int64_t unit = 0; unit < a.rows && best < 0.5; ++unit) {
      std::vector<Complex> x(a.rows);
      x[unit] = 1;
      for (int twice = 0; twice < 2; ++twice)
        for (int64_t k = 0; k < j; ++k) {
          Complex inner = 0;
          for (int64_t i = 0; i < a.rows; ++i)
            inner += std::conj(a.at(i, k)) * x[i];
          for (int64_t i = 0; i < a.rows; ++i)
            x[i] -= inner * a.at(i, k);
        }
      double length = 0;
      for (Complex value : x)
        length = std::hypot(length, std::abs(value));
      if (length > best) {
        best = length;
        found = x;
        for (Complex &value : found)
          value /= length;
      }
    }
    for (int64_t i = 0; i < a.rows; ++i)
      a.at(i, j) = found[i];
  }
}

void reference::decomposeSingular(const Parameters &call, ArrayRef<Dense> in,
                                  MutableArrayRef<Dense> out) {
  // The columns of a tall matrix are made orthogonal by rotating pairs.
  bool tall = in[0].rows >= in[0].columns;
  Dense g = tall ? in[0] : adjoint(in[0]);
  int64_t length = g.rows, count = g.columns;
  if (!isFinite(g))
    return setNan(out);
  Dense v(count, count);
  for (int64_t i = 0; i < count; ++i)
    v.at(i, i) = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (int64_t p = 0; p < count; ++p)
      for (int64_t q = p + 1; q < count; ++q) {
        double a = 0, b = 0;
        Complex inner = 0;
        for (int64_t i = 0; i < length; ++i) {
          a += std::norm(g.at(i, p));
          b += std::norm(g.at(i, q));
          inner += std::conj(g.at(i, p)) * g.at(i, q);
        }
        double off = std::abs(inner);
        if (off <= 1e-15 * std::sqrt(a * b))
          continue;
        rotated = true;
        double zeta = (b - a) / (2 * off);
        double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::hypot(1, zeta));
        double c = 1 / std::hypot(1, t);
        Complex s = c * t * inner / off;
        for (Dense *one : {&g, &v})
          for (int64_t i = 0; i < one->rows; ++i) {
            Complex x = one->at(i, p), y = one->at(i, q);
            one->at(i, p) = c * x - std::conj(s) * y;
            one->at(i, q) = s * x + c * y;
          }
      }
    if (!rotated)
      break;
  }
  std::vector<double> lengths(count);
  for (int64_t j = 0; j < count; ++j)
    for (int64_t i = 0; i < length; ++i)
      lengths[j] = std::hypot(lengths[j], std::abs(g.at(i, j)));
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t i, int64_t j) {
    return std::pair(-lengths[i], i) < std::pair(-lengths[j], j);
  });
  for (int64_t j = 0; j < count; ++j)
    out[0][j] = lengths[order[j]];
  if (!call.flag("compute_uv", true))
    return;
  int64_t columns = call.flag("full_matrices", false) ? length : count;
  Dense sides(length, columns), turns(count, count);
  int64_t rank = 0;
  for (int64_t j = 0; j < count; ++j) {
    for (int64_t i = 0; i < count; ++i)
      turns.at(i, j) = v.at(i, order[j]);
    if (lengths[order[j]] == 0)
      continue;
    ++rank;
    for (int64_t i = 0; i < length; ++i)
      sides.at(i, j) = g.at(i, order[j]) / lengths[order[j]];
  }
  complete(sides, rank);
  Dense &u = out[1];
  u = tall ? sides : turns;
  Dense right = tall ? turns : sides;
  for (int64_t j = 0; j < u.columns; ++j) {
    Complex factor = turnPositive(u, j);
    for (int64_t i = 0; j < count && i < right.rows; ++i)
      right.at(i, j) *= factor;
  }
  out[2] = adjoint(right);
}
