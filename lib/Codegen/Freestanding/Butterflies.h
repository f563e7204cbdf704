// Discrete Fourier transforms of a few points, on scalars or vectors.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_BUTTERFLIES_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_BUTTERFLIES_H

namespace heddle::routine {

/// cos(2 pi k / R) and sin(2 pi k / R).
template <int R> struct Roots;
template <> struct Roots<3> {
  static constexpr double cosine[3] = {1.0, -0.5000000000000000000000,
                                       -0.5000000000000000000000};
  static constexpr double sine[3] = {0.0, 0.8660254037844386467637,
                                     -0.8660254037844386467637};
};
template <> struct Roots<5> {
  static constexpr double cosine[5] = {
      1.0, 0.3090169943749474241023, -0.8090169943749474241023,
      -0.8090169943749474241023, 0.3090169943749474241023};
  static constexpr double sine[5] = {
      0.0, 0.9510565162951535721164, 0.5877852522924731291687,
      -0.5877852522924731291687, -0.9510565162951535721164};
};
template <> struct Roots<7> {
  static constexpr double cosine[7] = {1.0,
                                       0.6234898018587335305250,
                                       -0.2225209339563144042889,
                                       -0.9009688679024191262361,
                                       -0.9009688679024191262361,
                                       -0.2225209339563144042889,
                                       0.6234898018587335305250};
  static constexpr double sine[7] = {0.0,
                                     0.7818314824680298087084,
                                     0.9749279121818236070181,
                                     0.4338837391175581204758,
                                     -0.4338837391175581204758,
                                     -0.9749279121818236070181,
                                     -0.7818314824680298087084};
};
template <> struct Roots<11> {
  static constexpr double cosine[11] = {1.0,
                                        0.8412535328311811688618,
                                        0.4154150130018864255293,
                                        -0.1423148382732851404438,
                                        -0.6548607339452850640569,
                                        -0.9594929736144973898904,
                                        -0.9594929736144973898904,
                                        -0.6548607339452850640569,
                                        -0.1423148382732851404438,
                                        0.4154150130018864255293,
                                        0.8412535328311811688618};
  static constexpr double sine[11] = {0.0,
                                      0.5406408174555975821076,
                                      0.9096319953545183714117,
                                      0.9898214418809327323761,
                                      0.7557495743542582837740,
                                      0.2817325568414296977114,
                                      -0.2817325568414296977114,
                                      -0.7557495743542582837740,
                                      -0.9898214418809327323761,
                                      -0.9096319953545183714117,
                                      -0.5406408174555975821076};
};
template <> struct Roots<13> {
  static constexpr double cosine[13] = {1.0,
                                        0.8854560256532098959004,
                                        0.5680647467311558025118,
                                        0.1205366802553230533491,
                                        -0.3546048870425356259696,
                                        -0.7485107481711010986346,
                                        -0.9709418174260520271570,
                                        -0.9709418174260520271570,
                                        -0.7485107481711010986346,
                                        -0.3546048870425356259696,
                                        0.1205366802553230533491,
                                        0.5680647467311558025118,
                                        0.8854560256532098959004};
  static constexpr double sine[13] = {0.0,
                                      0.4647231720437685456560,
                                      0.8229838658936563945796,
                                      0.9927088740980539928008,
                                      0.9350162426854148234398,
                                      0.6631226582407952023768,
                                      0.2393156642875577671488,
                                      -0.2393156642875577671488,
                                      -0.6631226582407952023768,
                                      -0.9350162426854148234398,
                                      -0.9927088740980539928008,
                                      -0.8229838658936563945796,
                                      -0.4647231720437685456560};
};

/// Replaces x[j] by the sum over l of x[l] exp(-2 pi i j l / R), for odd R.
template <typename T, int R, typename V>
inline __attribute__((always_inline)) void butterflyOdd(V *re, V *im) {
  constexpr int half = (R - 1) / 2;
  V sumRe[half], sumIm[half], gapRe[half], gapIm[half];
#pragma clang loop unroll(full)
  for (int j = 0; j < half; ++j) {
    sumRe[j] = re[j + 1] + re[R - 1 - j];
    sumIm[j] = im[j + 1] + im[R - 1 - j];
    gapRe[j] = re[j + 1] - re[R - 1 - j];
    gapIm[j] = im[j + 1] - im[R - 1 - j];
  }
  V firstRe = re[0], firstIm = im[0];
#pragma clang loop unroll(full)
  for (int j = 0; j < half; ++j) {
    re[0] += sumRe[j];
    im[0] += sumIm[j];
  }
#pragma clang loop unroll(full)
  for (int k = 1; k <= half; ++k) {
    V evenRe = firstRe, evenIm = firstIm;
    V oddRe = V{}, oddIm = V{};
#pragma clang loop unroll(full)
    for (int j = 0; j < half; ++j) {
      T c = T(Roots<R>::cosine[(j + 1) * k % R]);
      T s = T(Roots<R>::sine[(j + 1) * k % R]);
      evenRe += c * sumRe[j];
      evenIm += c * sumIm[j];
      oddRe += s * gapRe[j];
      oddIm += s * gapIm[j];
    }
    re[k] = evenRe + oddIm;
    im[k] = evenIm - oddRe;
    re[R - k] = evenRe - oddIm;
    im[R - k] = evenIm + oddRe;
  }
}

template <typename V>
inline __attribute__((always_inline)) void
butterfly4(V &re0, V &im0, V &re1, V &im1, V &re2, V &im2, V &re3, V &im3) {
  V sumRe = re0 + re2, sumIm = im0 + im2, gapRe = re0 - re2, gapIm = im0 - im2;
  V otherRe = re1 + re3, otherIm = im1 + im3;
  V turnRe = re1 - re3, turnIm = im1 - im3;
  re0 = sumRe + otherRe;
  im0 = sumIm + otherIm;
  re1 = gapRe + turnIm;
  im1 = gapIm - turnRe;
  re2 = sumRe - otherRe;
  im2 = sumIm - otherIm;
  re3 = gapRe - turnIm;
  im3 = gapIm + turnRe;
}

/// The transform of R points in place.
template <typename T, int R, typename V>
inline __attribute__((always_inline)) void butterfly(V *re, V *im) {
  if constexpr (R == 2) {
    V gapRe = re[0] - re[1], gapIm = im[0] - im[1];
    re[0] += re[1];
    im[0] += im[1];
    re[1] = gapRe;
    im[1] = gapIm;
  } else if constexpr (R == 4) {
    butterfly4(re[0], im[0], re[1], im[1], re[2], im[2], re[3], im[3]);
  } else if constexpr (R == 8) {
    butterfly4(re[0], im[0], re[2], im[2], re[4], im[4], re[6], im[6]);
    butterfly4(re[1], im[1], re[3], im[3], re[5], im[5], re[7], im[7]);
    // Now re[2 k] is point k of the even half, re[2 k + 1] of the odd one.
    constexpr T c = T(0.70710678118654752440);
    V re1 = c * (re[3] + im[3]), im1 = c * (im[3] - re[3]);
    V re2 = im[5], im2 = -re[5];
    V re3 = c * (im[7] - re[7]), im3 = -c * (re[7] + im[7]);
    V oddRe[4] = {re[1], re1, re2, re3}, oddIm[4] = {im[1], im1, im2, im3};
    V evenRe[4] = {re[0], re[2], re[4], re[6]};
    V evenIm[4] = {im[0], im[2], im[4], im[6]};
#pragma clang loop unroll(full)
    for (int k = 0; k < 4; ++k) {
      re[k] = evenRe[k] + oddRe[k];
      im[k] = evenIm[k] + oddIm[k];
      re[k + 4] = evenRe[k] - oddRe[k];
      im[k + 4] = evenIm[k] - oddIm[k];
    }
  } else {
    butterflyOdd<T, R>(re, im);
  }
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_BUTTERFLIES_H
