// Vector registers of the level that this file is compiled for.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_VECTORS_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_VECTORS_H

#include <stdint.h>

namespace heddle::routine {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
inline constexpr int kTileRows = 12;
#elif defined(__AVX2__)
inline constexpr int kVectorBytes = 32;
inline constexpr int kTileRows = 6;
#else
inline constexpr int kVectorBytes = 16;
inline constexpr int kTileRows = 6;
#endif

template <typename T> struct Lanes {
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  typedef T Unaligned
      __attribute__((vector_size(kVectorBytes), aligned(sizeof(T))));
  static constexpr int64_t count = kVectorBytes / sizeof(T);
};
template <typename T> using Vector = typename Lanes<T>::Vector;

template <typename T> inline Vector<T> load(const T *from) {
  return *reinterpret_cast<const typename Lanes<T>::Unaligned *>(from);
}
template <typename T> inline void store(T *to, Vector<T> value) {
  *reinterpret_cast<typename Lanes<T>::Unaligned *>(to) = value;
}
template <typename T> inline Vector<T> splat(T value) {
  return Vector<T>{} + value;
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_VECTORS_H
