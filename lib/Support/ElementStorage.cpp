// Conversions between stored elements and numbers.

#include "HalfFloats.h"
#include "SmallFormat.h"

#include "heddle/Support/ElementKind.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace heddle;

/// Elements of the native type `Stored`, through memcpy as views of files may
/// be unaligned.
template <typename Stored, typename T, typename Convert>
static void loadNative(const char *bytes, size_t count, T *values,
                       Convert convert) {
  for (size_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, bytes + i * sizeof(Stored), sizeof(Stored));
    values[i] = convert(stored);
  }
}
template <typename Stored, typename T, typename Convert>
static void storeNative(const T *values, size_t count, char *bytes,
                        Convert convert) {
  for (size_t i = 0; i < count; ++i) {
    Stored stored = convert(values[i]);
    std::memcpy(bytes + i * sizeof(Stored), &stored, sizeof(Stored));
  }
}

template <typename T>
static void loadIntegers(ElementKind kind, const char *bytes, size_t count,
                         T *values) {
  auto plain = [](auto stored) { return T(stored); };
  switch (kind) {
  case ElementKind::I1:
    return loadNative<uint8_t>(bytes, count, values,
                               [](uint8_t b) { return T(b != 0); });
  case ElementKind::I2:
    return loadNative<uint8_t>(bytes, count, values, [](uint8_t b) {
      return T(llvm::SignExtend32<2>(b));
    });
  case ElementKind::I4:
    return loadNative<uint8_t>(bytes, count, values, [](uint8_t b) {
      return T(llvm::SignExtend32<4>(b));
    });
  case ElementKind::UI2:
    return loadNative<uint8_t>(bytes, count, values,
                               [](uint8_t b) { return T(b & 3); });
  case ElementKind::UI4:
    return loadNative<uint8_t>(bytes, count, values,
                               [](uint8_t b) { return T(b & 15); });
  case ElementKind::I8:
    return loadNative<int8_t>(bytes, count, values, plain);
  case ElementKind::I16:
    return loadNative<int16_t>(bytes, count, values, plain);
  case ElementKind::I32:
    return loadNative<int32_t>(bytes, count, values, plain);
  case ElementKind::I64:
  case ElementKind::Index:
    return loadNative<int64_t>(bytes, count, values, plain);
  case ElementKind::UI8:
    return loadNative<uint8_t>(bytes, count, values, plain);
  case ElementKind::UI16:
    return loadNative<uint16_t>(bytes, count, values, plain);
  case ElementKind::UI32:
    return loadNative<uint32_t>(bytes, count, values, plain);
  case ElementKind::UI64:
    return loadNative<uint64_t>(bytes, count, values, plain);
  default:
    llvm_unreachable("floats are not loaded as integers");
  }
}

void heddle::loadElements(ElementKind kind, const char *bytes, size_t count,
                          int64_t *values) {
  loadIntegers(kind, bytes, count, values);
}
void heddle::loadElements(ElementKind kind, const char *bytes, size_t count,
                          uint64_t *values) {
  loadIntegers(kind, bytes, count, values);
}

void heddle::loadElements(ElementKind kind, const char *bytes, size_t count,
                          double *values) {
  switch (kind) {
  case ElementKind::F32:
    return loadNative<float>(bytes, count, values,
                             [](float v) { return double(v); });
  case ElementKind::F64:
    if (count)
      std::memcpy(values, bytes, count * sizeof(double));
    return;
  case ElementKind::BF16:
    return loadNative<uint16_t>(bytes, count, values, fromBFloat16);
  case ElementKind::F16:
    return loadNative<uint16_t>(bytes, count, values, fromFloat16);
  case ElementKind::C64:
  case ElementKind::C128:
    llvm_unreachable("complex elements are not loaded as real ones");
  default:
    break;
  }
  if (elementClass(kind) != ElementClass::Float)
    return loadIntegers(kind, bytes, count, values);
  const SmallFormat &format = smallFormat(kind);
  loadNative<uint8_t>(bytes, count, values,
                      [&](uint8_t bits) { return format.value(bits); });
}

void heddle::loadElements(ElementKind kind, const char *bytes, size_t count,
                          std::complex<double> *values) {
  if (kind == ElementKind::C64)
    return loadNative<std::complex<float>>(
        bytes, count, values,
        [](std::complex<float> v) { return std::complex<double>(v); });
  if (kind == ElementKind::C128)
    return loadNative<std::complex<double>>(
        bytes, count, values, [](std::complex<double> v) { return v; });
  for (size_t i = 0; i < count; ++i) {
    double real;
    loadElements(kind, bytes + i * storedBytes(kind), 1, &real);
    values[i] = real;
  }
}

template <typename T>
static void storeIntegers(ElementKind kind, const T *values, size_t count,
                          char *bytes) {
  auto wrapping = [&](auto stored) {
    using Stored = decltype(stored);
    storeNative<Stored>(values, count, bytes, [](T v) { return Stored(v); });
  };
  switch (kind) {
  case ElementKind::I1:
    return storeNative<uint8_t>(values, count, bytes,
                                [](T v) { return uint8_t(v & 1); });
  case ElementKind::I2:
    return storeNative<int8_t>(values, count, bytes, [](T v) {
      return int8_t(llvm::SignExtend32<2>(uint32_t(v)));
    });
  case ElementKind::I4:
    return storeNative<int8_t>(values, count, bytes, [](T v) {
      return int8_t(llvm::SignExtend32<4>(uint32_t(v)));
    });
  case ElementKind::UI2:
    return storeNative<uint8_t>(values, count, bytes,
                                [](T v) { return uint8_t(v & 3); });
  case ElementKind::UI4:
    return storeNative<uint8_t>(values, count, bytes,
                                [](T v) { return uint8_t(v & 15); });
  default:
    break;
  }
  switch (storedBytes(kind)) {
  case 1:
    return wrapping(uint8_t());
  case 2:
    return wrapping(uint16_t());
  case 4:
    return wrapping(uint32_t());
  default:
    return wrapping(uint64_t());
  }
}

void heddle::storeElements(ElementKind kind, const int64_t *values,
                           size_t count, char *bytes) {
  storeIntegers(kind, values, count, bytes);
}
void heddle::storeElements(ElementKind kind, const uint64_t *values,
                           size_t count, char *bytes) {
  storeIntegers(kind, values, count, bytes);
}

void heddle::storeElements(ElementKind kind, const double *values, size_t count,
                           char *bytes) {
  switch (kind) {
  case ElementKind::F32:
    return storeNative<float>(values, count, bytes,
                              [](double v) { return float(v); });
  case ElementKind::F64:
    if (count)
      std::memcpy(bytes, values, count * sizeof(double));
    return;
  case ElementKind::BF16:
    return storeNative<uint16_t>(values, count, bytes, toBFloat16);
  case ElementKind::F16:
    return storeNative<uint16_t>(values, count, bytes, toFloat16);
  case ElementKind::C64:
    return storeNative<std::complex<float>>(values, count, bytes, [](double v) {
      return std::complex<float>(float(v));
    });
  case ElementKind::C128:
    return storeNative<std::complex<double>>(
        values, count, bytes, [](double v) { return std::complex<double>(v); });
  default:
    break;
  }
  if (elementClass(kind) != ElementClass::Float)
    llvm_unreachable("doubles are not stored as integers");
  const SmallFormat &format = smallFormat(kind);
  storeNative<uint8_t>(values, count, bytes,
                       [&](double value) { return format.bits(value); });
}

void heddle::storeElements(ElementKind kind, const std::complex<double> *values,
                           size_t count, char *bytes) {
  if (kind == ElementKind::C64)
    return storeNative<std::complex<float>>(
        values, count, bytes, [](std::complex<double> v) {
          return std::complex<float>(float(v.real()), float(v.imag()));
        });
  if (kind != ElementKind::C128)
    llvm_unreachable("complex values are stored in complex elements only");
  storeNative<std::complex<double>>(values, count, bytes,
                                    [](std::complex<double> v) { return v; });
}

void heddle::extendSigns(ElementKind kind, llvm::MutableArrayRef<char> bytes) {
  if (!isNarrowSigned(kind))
    return;
  unsigned unused = 8 - bitWidth(kind);
  for (char &byte : bytes)
    byte = static_cast<char>(
        static_cast<int8_t>(static_cast<uint8_t>(byte) << unused) >> unused);
}

double heddle::roundToKind(ElementKind kind, double value) {
  switch (kind) {
  case ElementKind::F64:
    return value;
  case ElementKind::F32:
    return float(value);
  default:
    return bitsToFloat(kind, floatToBits(kind, value));
  }
}

uint64_t heddle::floatToBits(ElementKind kind, double value) {
  uint64_t bits = 0;
  storeElements(kind, &value, 1, reinterpret_cast<char *>(&bits));
  return bits;
}

double heddle::bitsToFloat(ElementKind kind, uint64_t bits) {
  double value;
  loadElements(kind, reinterpret_cast<const char *>(&bits), 1, &value);
  return value;
}
