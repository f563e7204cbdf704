// Fourier transforms along one dimension, by the plan that the compiler made.
//
// Lines are loaded into scratch memory, several side by side (point j of line l
// at j * group + l), transformed by stages that read one array and write
// another, and stored. An inverse transform is a forward one with the parts
// exchanged.

#include "Butterflies.h"
#include "Numbers.h"
#include "Vectors.h"
#include "dialects/Kernel/FourierPlan.h"

using namespace heddle::routine;

namespace {

/// Parts of an array of complex numbers.
template <typename T> struct Parts {
  T *re, *im;
};

/// The factors w^k of a stage, one for each k below R.
template <typename T, int R> struct Twiddles {
  T re[R], im[R];
  explicit Twiddles(const T *table) {
    for (int k = 1; k < R; ++k) {
      re[k] = table[2 * (k - 1)];
      im[k] = table[2 * (k - 1) + 1];
    }
  }
};

/// One butterfly at `offset`: reads at strides of `from`, writes at strides of
/// `to` numbers.
template <typename T, int R, typename V, bool turns>
inline __attribute__((always_inline)) void
step(const T *inRe, const T *inIm, int64_t from, T *outRe, T *outIm, int64_t to,
     const Twiddles<T, R> &w) {
  auto get = [](const T *at) {
    if constexpr (sizeof(V) == sizeof(T))
      return *at;
    else
      return load(at);
  };
  auto put = [](T *at, V value) {
    if constexpr (sizeof(V) == sizeof(T))
      *at = value;
    else
      store(at, value);
  };
  V re[R], im[R];
#pragma clang loop unroll(full)
  for (int j = 0; j < R; ++j) {
    re[j] = get(inRe + j * from);
    im[j] = get(inIm + j * from);
  }
  butterfly<T, R>(re, im);
  put(outRe, re[0]);
  put(outIm, im[0]);
#pragma clang loop unroll(full)
  for (int k = 1; k < R; ++k) {
    if constexpr (turns) {
      put(outRe + k * to, w.re[k] * re[k] - w.im[k] * im[k]);
      put(outIm + k * to, w.re[k] * im[k] + w.im[k] * re[k]);
    } else {
      put(outRe + k * to, re[k]);
      put(outIm + k * to, im[k]);
    }
  }
}

/// A stage: `parts` = m, `run` consecutive numbers are alike.
template <typename T, int R, bool turns>
__attribute__((noinline)) void stage(Parts<T> in, Parts<T> out, int64_t parts,
                                     int64_t run, const T *table) {
  constexpr int64_t lanes = Lanes<T>::count;
  for (int64_t p = 0; p < parts; ++p) {
    Twiddles<T, R> w(table + p * 2 * (R - 1));
    const T *inRe = in.re + p * run, *inIm = in.im + p * run;
    T *outRe = out.re + p * R * run, *outIm = out.im + p * R * run;
    int64_t q = 0;
    for (; q + lanes <= run; q += lanes)
      step<T, R, Vector<T>, turns>(inRe + q, inIm + q, parts * run, outRe + q,
                                   outIm + q, run, w);
    for (; q < run; ++q)
      step<T, R, T, turns>(inRe + q, inIm + q, parts * run, outRe + q,
                           outIm + q, run, w);
  }
}

template <typename T, int R>
void runStage(Parts<T> in, Parts<T> out, int64_t parts, int64_t run,
              const T *table) {
  // The last stage turns by 1.
  if (parts == 1)
    stage<T, R, false>(in, out, parts, run, table);
  else
    stage<T, R, true>(in, out, parts, run, table);
}

/// All stages on `group` lines side by side, from `in` into one of the two
/// arrays, which is returned; `in` may be the second of them.
template <typename T>
Parts<T> runStages(const FourierStages &stages, const T *constants, Parts<T> in,
                   Parts<T> one, Parts<T> two, int64_t group) {
  int64_t parts = stages.length, run = group;
  const T *table = constants + stages.table;
  Parts<T> to = one, other = two;
  for (int64_t i = 0; i < stages.count; ++i) {
    int64_t radix = stages.radix[i];
    parts /= radix;
    switch (radix) {
    case 2:
      runStage<T, 2>(in, to, parts, run, table);
      break;
    case 3:
      runStage<T, 3>(in, to, parts, run, table);
      break;
    case 4:
      runStage<T, 4>(in, to, parts, run, table);
      break;
    case 5:
      runStage<T, 5>(in, to, parts, run, table);
      break;
    case 7:
      runStage<T, 7>(in, to, parts, run, table);
      break;
    case 8:
      runStage<T, 8>(in, to, parts, run, table);
      break;
    case 11:
      runStage<T, 11>(in, to, parts, run, table);
      break;
    default:
      runStage<T, 13>(in, to, parts, run, table);
      break;
    }
    table += 2 * (radix - 1) * parts;
    run *= radix;
    in = to;
    to = other;
    other = in;
  }
  return in;
}

/// Rows become columns, each number turned by w^(row column).
template <typename T>
__attribute__((noinline)) void turn(const FourierPlan &plan, const T *constants,
                                    Parts<T> in, Parts<T> out) {
  int64_t rows = plan.first.length, columns = plan.second.length;
  const T *high = constants + plan.turnHigh, *low = constants + plan.turnLow;
  int64_t mask = (int64_t(1) << plan.turnBits) - 1;
  constexpr int64_t block = 16;
  for (int64_t j0 = 0; j0 < columns; j0 += block)
    for (int64_t i0 = 0; i0 < rows; i0 += block) {
      int64_t jEnd = j0 + block < columns ? j0 + block : columns;
      int64_t iEnd = i0 + block < rows ? i0 + block : rows;
      for (int64_t j = j0; j < jEnd; ++j)
        for (int64_t i = i0; i < iEnd; ++i) {
          int64_t t = i * j;
          const T *h = high + 2 * (t >> plan.turnBits),
                  *l = low + 2 * (t & mask);
          T wRe = h[0] * l[0] - h[1] * l[1], wIm = h[0] * l[1] + h[1] * l[0];
          T re = in.re[i * columns + j], im = in.im[i * columns + j];
          out.re[j * rows + i] = re * wRe - im * wIm;
          out.im[j * rows + i] = re * wIm + im * wRe;
        }
    }
}

/// The transform of small factors.
template <typename T>
Parts<T> transformSmooth(const FourierPlan &plan, const T *constants,
                         Parts<T> in, Parts<T> one, Parts<T> two,
                         int64_t group) {
  auto isOne = [&](Parts<T> parts) { return parts.re == one.re; };
  if (plan.second.length == 1)
    return runStages(plan.first, constants, in, isOne(in) ? two : one,
                     isOne(in) ? one : two, group);
  // One line alone: the columns of a matrix are lines side by side.
  Parts<T> rows = runStages(plan.first, constants, in, isOne(in) ? two : one,
                            isOne(in) ? one : two, plan.second.length);
  Parts<T> turned = isOne(rows) ? two : one;
  turn(plan, constants, rows, turned);
  return runStages(plan.second, constants, turned, rows, turned,
                   plan.first.length);
}

/// Multiplies point k of all lines by factor k, from `table`.
template <typename T>
__attribute__((noinline)) void scalePoints(Parts<T> x, const T *table,
                                           int64_t points, int64_t group) {
  for (int64_t k = 0; k < points; ++k) {
    T wRe = table[2 * k], wIm = table[2 * k + 1];
    for (int64_t l = 0; l < group; ++l) {
      T re = x.re[k * group + l], im = x.im[k * group + l];
      x.re[k * group + l] = re * wRe - im * wIm;
      x.im[k * group + l] = re * wIm + im * wRe;
    }
  }
}

/// The transform of `plan.length` points, which are in `one`.
template <typename T>
Parts<T> transform(const FourierPlan &plan, const T *constants, Parts<T> one,
                   Parts<T> two, int64_t group) {
  if (!plan.convolution)
    return transformSmooth(plan, constants, one, one, two, group);
  int64_t n = plan.length, m = plan.convolution;
  scalePoints(one, constants + plan.chirp, n, group);
  for (int64_t i = n * group; i < m * group; ++i)
    one.re[i] = one.im[i] = 0;
  Parts<T> spectrum = transformSmooth(plan, constants, one, one, two, group);
  scalePoints(spectrum, constants + plan.spectrum, m, group);
  // The inverse: parts exchanged.
  Parts<T> x{spectrum.im, spectrum.re}, oneTurned{one.im, one.re},
      twoTurned{two.im, two.re};
  Parts<T> back =
      transformSmooth(plan, constants, x, oneTurned, twoTurned, group);
  Parts<T> result{back.im, back.re};
  scalePoints(result, constants + plan.chirp, n, group);
  return result;
}

/// Where lines lie and what becomes of them.
template <typename T> struct Job {
  const T *constants;
  const FourierPlan *plan;
  FourierKind kind;
  /// Lines of operand and result have so many points.
  int64_t points, inPoints, outPoints, inner, lines, group;
  T *scratch;

  int64_t start(int64_t line, int64_t length) const {
    return line / inner * length * inner + line % inner;
  }
};

/// Calls body(line in the group, start of the line) for the lines that exist.
template <typename T, typename Body>
void forLines(const Job<T> &job, int64_t first, int64_t length, Body body) {
  for (int64_t l = 0; l < job.group && first + l < job.lines; ++l)
    body(l, job.start(first + l, length));
}

/// Point k of every line from `from` (scaled) to the array of lines side by
/// side, or back. Lines beside each other in memory are moved together.
template <typename T>
__attribute__((noinline)) void loadLines(const Job<T> &job, const T *from,
                                         int64_t first, int64_t length, T *to) {
  int64_t group = job.group, inner = job.inner;
  if (inner > 1 && first % inner + group <= inner) {
    const T *at = from + job.start(first, length);
    for (int64_t k = 0; k < length; ++k)
      for (int64_t l = 0; l < group; ++l)
        to[k * group + l] = at[k * inner + l];
    return;
  }
  if (first + group > job.lines)
    for (int64_t i = 0; i < length * group; ++i)
      to[i] = 0;
  forLines(job, first, length, [&](int64_t l, int64_t start) {
    for (int64_t k = 0; k < length; ++k)
      to[k * group + l] = from[start + k * inner];
  });
}
template <typename T>
__attribute__((noinline)) void storeLines(const Job<T> &job, const T *from,
                                          int64_t first, int64_t length,
                                          T scale, T *to) {
  int64_t group = job.group, inner = job.inner;
  if (inner > 1 && first % inner + group <= inner) {
    T *at = to + job.start(first, length);
    for (int64_t k = 0; k < length; ++k)
      for (int64_t l = 0; l < group; ++l)
        at[k * inner + l] = scale * from[k * group + l];
    return;
  }
  forLines(job, first, length, [&](int64_t l, int64_t start) {
    for (int64_t k = 0; k < length; ++k)
      to[start + k * inner] = scale * from[k * group + l];
  });
}

/// Even points of a real line become real parts, odd ones imaginary parts.
template <typename T>
void zip(const Job<T> &job, const T *from, int64_t first, Parts<T> to) {
  int64_t group = job.group, half = job.points / 2;
  if (first + group > job.lines)
    for (int64_t i = 0; i < half * group; ++i)
      to.re[i] = to.im[i] = 0;
  forLines(job, first, job.points, [&](int64_t l, int64_t start) {
    for (int64_t k = 0; k < half; ++k) {
      to.re[k * group + l] = from[start + 2 * k * job.inner];
      to.im[k * group + l] = from[start + (2 * k + 1) * job.inner];
    }
  });
}
template <typename T>
void unzip(const Job<T> &job, Parts<T> from, int64_t first, T scale, T *to) {
  int64_t group = job.group, half = job.points / 2;
  forLines(job, first, job.points, [&](int64_t l, int64_t start) {
    for (int64_t k = 0; k < half; ++k) {
      to[start + 2 * k * job.inner] = scale * from.re[k * group + l];
      to[start + (2 * k + 1) * job.inner] = scale * from.im[k * group + l];
    }
  });
}

/// Of z = even + i odd with h points, the spectrum of the real line of 2 h:
/// x[k] = (z[k] + conj z[h-k]) / 2 - i w^k (z[k] - conj z[h-k]) / 2.
template <typename T>
__attribute__((noinline)) void separate(const T *w, int64_t half, int64_t group,
                                        Parts<T> z, Parts<T> x) {
  for (int64_t k = 0; k <= half; ++k) {
    int64_t here = (k == half ? 0 : k) * group;
    int64_t there = (k == 0 ? 0 : half - k) * group;
    T wRe = w[2 * k], wIm = w[2 * k + 1];
    for (int64_t l = 0; l < group; ++l) {
      T evenRe = (z.re[here + l] + z.re[there + l]) / 2;
      T evenIm = (z.im[here + l] - z.im[there + l]) / 2;
      T gapRe = (z.re[here + l] - z.re[there + l]) / 2;
      T gapIm = (z.im[here + l] + z.im[there + l]) / 2;
      x.re[k * group + l] = evenRe + wRe * gapIm + wIm * gapRe;
      x.im[k * group + l] = evenIm + wIm * gapIm - wRe * gapRe;
    }
  }
}

/// The reverse, twice as large:
/// z[k] = (x[k] + conj x[h-k]) + i conj(w^k) (x[k] - conj x[h-k]).
template <typename T>
__attribute__((noinline)) void combine(const T *w, int64_t half, int64_t group,
                                       Parts<T> x, Parts<T> z) {
  // The first and the last point of a real line's spectrum are real.
  for (int64_t l = 0; l < group; ++l)
    x.im[l] = x.im[half * group + l] = 0;
  for (int64_t k = 0; k < half; ++k) {
    int64_t here = k * group, there = (half - k) * group;
    T wRe = w[2 * k], wIm = w[2 * k + 1];
    for (int64_t l = 0; l < group; ++l) {
      T gapRe = x.re[here + l] - x.re[there + l];
      T gapIm = x.im[here + l] + x.im[there + l];
      T oddRe = wRe * gapRe + wIm * gapIm, oddIm = wRe * gapIm - wIm * gapRe;
      z.re[here + l] = x.re[here + l] + x.re[there + l] - oddIm;
      z.im[here + l] = x.im[here + l] - x.im[there + l] + oddRe;
    }
  }
}

template <typename T>
void run(const Job<T> &job, Parts<T> in, Parts<T> out, int64_t begin,
         int64_t end) {
  const FourierPlan &plan = *job.plan;
  int64_t longest = plan.convolution ? plan.convolution : plan.length;
  int64_t whole = plan.unzip >= 0 ? job.points / 2 + 1 : job.points;
  if (longest < whole)
    longest = whole;
  int64_t size = longest * job.group;
  Parts<T> one{job.scratch, job.scratch + size};
  Parts<T> two{job.scratch + 2 * size, job.scratch + 3 * size};
  int64_t n = job.points, group = job.group;
  T scale = T(1) / T(n);
  const T *w = job.constants + plan.unzip;
  for (int64_t unit = begin; unit < end; ++unit) {
    int64_t first = unit * group;
    switch (job.kind) {
    case FourierKind::Forward:
    case FourierKind::Inverse: {
      bool inverse = job.kind == FourierKind::Inverse;
      loadLines(job, inverse ? in.im : in.re, first, n, one.re);
      loadLines(job, inverse ? in.re : in.im, first, n, one.im);
      Parts<T> y = transform(plan, job.constants, one, two, group);
      T factor = inverse ? scale : T(1);
      storeLines(job, inverse ? y.im : y.re, first, n, factor, out.re);
      storeLines(job, inverse ? y.re : y.im, first, n, factor, out.im);
      break;
    }
    case FourierKind::RealForward: {
      Parts<T> y;
      if (plan.unzip >= 0) {
        zip(job, in.re, first, one);
        Parts<T> z = transform(plan, job.constants, one, two, group);
        y = z.re == one.re || z.re == one.im ? two : one;
        separate(w, n / 2, group, z, y);
      } else {
        loadLines(job, in.re, first, n, one.re);
        for (int64_t i = 0; i < n * group; ++i)
          one.im[i] = 0;
        y = transform(plan, job.constants, one, two, group);
      }
      storeLines(job, y.re, first, job.outPoints, T(1), out.re);
      storeLines(job, y.im, first, job.outPoints, T(1), out.im);
      break;
    }
    case FourierKind::RealInverse: {
      loadLines(job, in.re, first, job.inPoints, one.re);
      loadLines(job, in.im, first, job.inPoints, one.im);
      if (plan.unzip >= 0) {
        combine(w, n / 2, group, one, two);
        Parts<T> z = transform<T>(plan, job.constants, {two.im, two.re},
                                  {one.im, one.re}, group);
        unzip<T>(job, {z.im, z.re}, first, scale, out.re);
        break;
      }
      // The rest by symmetry.
      for (int64_t k = job.inPoints; k < n; ++k)
        for (int64_t l = 0; l < group; ++l) {
          one.re[k * group + l] = one.re[(n - k) * group + l];
          one.im[k * group + l] = -one.im[(n - k) * group + l];
        }
      Parts<T> y = transform<T>(plan, job.constants, {one.im, one.re},
                                {two.im, two.re}, group);
      storeLines(job, y.im, first, n, scale, out.re);
      break;
    }
    }
  }
}

} // namespace

#define HEDDLE_FOURIER(suffix, T)                                              \
  extern "C" void heddle_fft_##suffix(                                         \
      T *inRe, T *inIm, T *outRe, T *outIm, T *scratch, const int64_t *plan,   \
      const T *constants, int64_t kind, int64_t points, int64_t inner,         \
      int64_t lines, int64_t group, int64_t begin, int64_t end) {              \
    int64_t half = points / 2 + 1;                                             \
    FourierKind type = static_cast<FourierKind>(kind);                         \
    run<T>({constants, reinterpret_cast<const FourierPlan *>(plan), type,      \
            points, type == FourierKind::RealInverse ? half : points,          \
            type == FourierKind::RealForward ? half : points, inner, lines,    \
            group, scratch},                                                   \
           {inRe, inIm}, {outRe, outIm}, begin, end);                          \
  }

HEDDLE_FOURIER(f32, float)
HEDDLE_FOURIER(f64, double)
