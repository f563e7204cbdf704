// The table of element types, and conversions between stored elements and
// numbers.

#include "heddle/Support/ElementKind.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace mlir;
using namespace heddle;
using llvm::APFloat;
using llvm::fltSemantics;

namespace {
struct KindInfo {
  const char *name;
  ElementClass elementClass;
  unsigned bits;
  /// Null for integers.
  const fltSemantics *semantics;
};
} // namespace

static const KindInfo &info(ElementKind kind) {
  using C = ElementClass;
  static const std::array<KindInfo, kElementKinds> table = {{
      {"i1", C::Boolean, 1, nullptr},
      {"i2", C::Signed, 2, nullptr},
      {"i4", C::Signed, 4, nullptr},
      {"i8", C::Signed, 8, nullptr},
      {"i16", C::Signed, 16, nullptr},
      {"i32", C::Signed, 32, nullptr},
      {"i64", C::Signed, 64, nullptr},
      {"ui2", C::Unsigned, 2, nullptr},
      {"ui4", C::Unsigned, 4, nullptr},
      {"ui8", C::Unsigned, 8, nullptr},
      {"ui16", C::Unsigned, 16, nullptr},
      {"ui32", C::Unsigned, 32, nullptr},
      {"ui64", C::Unsigned, 64, nullptr},
      {"index", C::Signed, 64, nullptr},
      {"f4E2M1FN", C::Float, 4, &APFloat::Float4E2M1FN()},
      {"f6E2M3FN", C::Float, 6, &APFloat::Float6E2M3FN()},
      {"f6E3M2FN", C::Float, 6, &APFloat::Float6E3M2FN()},
      {"f8E3M4", C::Float, 8, &APFloat::Float8E3M4()},
      {"f8E4M3", C::Float, 8, &APFloat::Float8E4M3()},
      {"f8E4M3FN", C::Float, 8, &APFloat::Float8E4M3FN()},
      {"f8E4M3FNUZ", C::Float, 8, &APFloat::Float8E4M3FNUZ()},
      {"f8E4M3B11FNUZ", C::Float, 8, &APFloat::Float8E4M3B11FNUZ()},
      {"f8E5M2", C::Float, 8, &APFloat::Float8E5M2()},
      {"f8E5M2FNUZ", C::Float, 8, &APFloat::Float8E5M2FNUZ()},
      {"f8E8M0FNU", C::Float, 8, &APFloat::Float8E8M0FNU()},
      {"bf16", C::Float, 16, &APFloat::BFloat()},
      {"f16", C::Float, 16, &APFloat::IEEEhalf()},
      {"f32", C::Float, 32, &APFloat::IEEEsingle()},
      {"f64", C::Float, 64, &APFloat::IEEEdouble()},
      {"complex<f32>", C::Complex, 64, &APFloat::IEEEsingle()},
      {"complex<f64>", C::Complex, 128, &APFloat::IEEEdouble()},
  }};
  return table[unsigned(kind)];
}

//===--- Kinds and MLIR types ---------------------------------------------===//

static std::optional<ElementKind> integerKind(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  if (type.isSigned())
    return std::nullopt;
  switch (type.getWidth()) {
  case 1:
    return isUnsigned ? std::nullopt : std::optional(ElementKind::I1);
  case 2:
    return isUnsigned ? ElementKind::UI2 : ElementKind::I2;
  case 4:
    return isUnsigned ? ElementKind::UI4 : ElementKind::I4;
  case 8:
    return isUnsigned ? ElementKind::UI8 : ElementKind::I8;
  case 16:
    return isUnsigned ? ElementKind::UI16 : ElementKind::I16;
  case 32:
    return isUnsigned ? ElementKind::UI32 : ElementKind::I32;
  case 64:
    return isUnsigned ? ElementKind::UI64 : ElementKind::I64;
  default:
    return std::nullopt;
  }
}

std::optional<ElementKind> heddle::elementKind(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integerKind(integer);
  if (isa<IndexType>(type))
    return ElementKind::Index;
  if (auto floating = dyn_cast<FloatType>(type)) {
    for (unsigned i = unsigned(ElementKind::F4E2M1FN);
         i <= unsigned(ElementKind::F64); ++i)
      if (info(ElementKind(i)).semantics == &floating.getFloatSemantics())
        return ElementKind(i);
    return std::nullopt;
  }
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return ElementKind::C64;
    if (complex.getElementType().isF64())
      return ElementKind::C128;
  }
  return std::nullopt;
}

Type heddle::elementType(MLIRContext *context, ElementKind kind) {
  switch (kind) {
  case ElementKind::Index:
    return IndexType::get(context);
  case ElementKind::F4E2M1FN:
    return Float4E2M1FNType::get(context);
  case ElementKind::F6E2M3FN:
    return Float6E2M3FNType::get(context);
  case ElementKind::F6E3M2FN:
    return Float6E3M2FNType::get(context);
  case ElementKind::F8E3M4:
    return Float8E3M4Type::get(context);
  case ElementKind::F8E4M3:
    return Float8E4M3Type::get(context);
  case ElementKind::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ElementKind::F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case ElementKind::F8E4M3B11FNUZ:
    return Float8E4M3B11FNUZType::get(context);
  case ElementKind::F8E5M2:
    return Float8E5M2Type::get(context);
  case ElementKind::F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case ElementKind::F8E8M0FNU:
    return Float8E8M0FNUType::get(context);
  case ElementKind::BF16:
    return BFloat16Type::get(context);
  case ElementKind::F16:
    return Float16Type::get(context);
  case ElementKind::F32:
    return Float32Type::get(context);
  case ElementKind::F64:
    return Float64Type::get(context);
  case ElementKind::C64:
    return ComplexType::get(Float32Type::get(context));
  case ElementKind::C128:
    return ComplexType::get(Float64Type::get(context));
  default:
    return IntegerType::get(context, bitWidth(kind),
                            elementClass(kind) == ElementClass::Unsigned
                                ? IntegerType::Unsigned
                                : IntegerType::Signless);
  }
}

ElementClass heddle::elementClass(ElementKind kind) {
  return info(kind).elementClass;
}
unsigned heddle::bitWidth(ElementKind kind) { return info(kind).bits; }
unsigned heddle::storedBytes(ElementKind kind) {
  return (info(kind).bits + 7) / 8;
}
llvm::StringRef heddle::elementName(ElementKind kind) {
  return info(kind).name;
}
const fltSemantics &heddle::floatSemantics(ElementKind kind) {
  return *info(kind).semantics;
}
ElementKind heddle::partKind(ElementKind kind) {
  if (kind == ElementKind::C64)
    return ElementKind::F32;
  return kind == ElementKind::C128 ? ElementKind::F64 : kind;
}

//===--- Floats of at most eight bits: tables -----------------------------===//

namespace {
/// A format of at most 256 values, as APFloat has it. Rounding is a search
/// between two neighbours; which way a tie or an overflow goes was asked of
/// APFloat once.
class SmallFormat {
public:
  explicit SmallFormat(ElementKind kind);
  double value(uint8_t bits) const { return values[bits & mask]; }
  uint8_t bits(double value) const;

private:
  static APFloat converted(double value, const fltSemantics &to) {
    APFloat result(value);
    bool losesInfo;
    result.convert(to, APFloat::rmNearestTiesToEven, &losesInfo);
    return result;
  }
  static uint8_t code(const APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
  }

  unsigned mask;
  std::array<double, 256> values;
  /// Finite magnitudes in ascending order with their codes.
  std::vector<double> magnitudes;
  std::vector<uint8_t> codes;
  /// Between magnitude i and the next (beyond the last: where overflow starts),
  /// and which code the midpoint itself takes.
  std::vector<double> middles;
  std::vector<uint8_t> middleCodes;
  uint8_t overflow, infinity, nan, signBit, negativeZero;
  bool isSigned, hasNan;
};
} // namespace

SmallFormat::SmallFormat(ElementKind kind) {
  const fltSemantics &semantics = floatSemantics(kind);
  unsigned width = heddle::bitWidth(kind);
  mask = (1u << width) - 1;
  isSigned = kind != ElementKind::F8E8M0FNU;
  signBit = isSigned ? 1u << (width - 1) : 0;
  for (unsigned i = 0; i < 256; ++i) {
    // A bare exponent; APFloat does not convert its NaN.
    if (!isSigned)
      values[i] = i == 255 ? std::numeric_limits<double>::quiet_NaN()
                           : std::ldexp(1.0, int(i) - 127);
    else
      values[i] =
          APFloat(semantics, llvm::APInt(width, i & mask)).convertToDouble();
  }

  unsigned magnitudeCodes = isSigned ? signBit : 256;
  for (unsigned i = 0; i < magnitudeCodes; ++i)
    if (std::isfinite(values[i])) {
      magnitudes.push_back(values[i]);
      codes.push_back(i);
    }
  for (size_t i = 0; i < magnitudes.size(); ++i) {
    bool isLast = i + 1 == magnitudes.size();
    double step = isLast ? magnitudes[i] - magnitudes[i - 1]
                         : magnitudes[i + 1] - magnitudes[i];
    middles.push_back(magnitudes[i] + step / 2);
    // Of two powers of two the one with the even exponent field.
    middleCodes.push_back(isSigned ? code(converted(middles.back(), semantics))
                                   : codes[i] + codes[i] % 2);
  }
  hasNan = std::any_of(values.begin(), values.end(),
                       [](double v) { return std::isnan(v); });
  bool hasInfinity = std::any_of(values.begin(), values.end(),
                                 [](double v) { return std::isinf(v); });
  // f4 and f6 have neither: the largest value stands for both.
  uint8_t largest = codes.back();
  nan = !isSigned ? 255 : hasNan ? code(APFloat::getNaN(semantics)) : largest;
  infinity =
      hasInfinity ? code(APFloat::getInf(semantics)) : (hasNan ? nan : largest);
  overflow = infinity;
  // The FNUZ formats have one zero; their sign bit alone is NaN.
  negativeZero = isSigned && values[signBit] == 0 ? signBit : codes.front();
}

uint8_t SmallFormat::bits(double value) const {
  if (std::isnan(value))
    return nan;
  bool negative = std::signbit(value);
  if (negative && !isSigned)
    return nan;
  double magnitude = std::fabs(value);
  uint8_t result;
  if (std::isinf(value)) {
    result = infinity;
  } else {
    size_t above = std::upper_bound(middles.begin(), middles.end(), magnitude) -
                   middles.begin();
    if (above > 0 && middles[above - 1] == magnitude)
      result = middleCodes[above - 1];
    else
      result = above < codes.size() ? codes[above] : overflow;
  }
  if (!negative || (hasNan && result == nan))
    return result;
  return result == codes.front() && magnitudes.front() == 0 ? negativeZero
                                                            : result | signBit;
}

static const SmallFormat &smallFormat(ElementKind kind) {
  constexpr unsigned first = unsigned(ElementKind::F4E2M1FN);
  static const std::vector<SmallFormat> formats = [] {
    std::vector<SmallFormat> made;
    for (unsigned i = first; i <= unsigned(ElementKind::F8E8M0FNU); ++i)
      made.emplace_back(ElementKind(i));
    return made;
  }();
  return formats[unsigned(kind) - first];
}

//===--- bf16 and f16 -----------------------------------------------------===//

static uint32_t bitsOf(float value) { return llvm::bit_cast<uint32_t>(value); }
static float floatOf(uint32_t bits) { return llvm::bit_cast<float>(bits); }

/// Rounds to f32 so that rounding the result again to at most 22 bits is the
/// same as rounding `value` once: an inexact result gets an odd last bit.
static float roundToOdd(double value) {
  float nearest = float(value);
  if (double(nearest) == value || std::isnan(value))
    return nearest;
  uint32_t bits = bitsOf(nearest);
  if (bits & 1)
    return nearest;
  return floatOf(std::fabs(double(nearest)) < std::fabs(value) ? bits + 1
                                                               : bits - 1);
}

static uint16_t toBFloat16(double value) {
  uint32_t bits = bitsOf(roundToOdd(value));
  if (std::isnan(value))
    return (bits >> 16) | 0x40;
  return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
}

static double fromBFloat16(uint16_t bits) {
  return floatOf(uint32_t(bits) << 16);
}

static uint16_t toFloat16(double value) {
  uint32_t bits = bitsOf(roundToOdd(value));
  uint16_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000)
    return sign | 0x7E00 | ((magnitude >> 13) & 0x1FF);
  if (magnitude >= 0x47800000) // 2^16
    return sign | 0x7C00;
  if (magnitude < 0x33000000) // below 2^-25
    return sign;
  unsigned exponent = magnitude >> 23;
  uint32_t mantissa = (magnitude & 0x7FFFFF) | 0x800000;
  // A normal half drops 13 bits; a subnormal one more for each power below
  // 2^-14.
  unsigned drop = exponent < 113 ? 13 + (113 - exponent) : 13;
  uint32_t kept = mantissa >> drop;
  uint32_t rest = mantissa & ((1u << drop) - 1), half = 1u << (drop - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  if (exponent < 113)
    return sign | kept;
  // A carry out of the mantissa counts the exponent up, at the top to infinity.
  return sign | (kept + ((exponent - 113) << 10));
}

static double fromFloat16(uint16_t bits) {
  unsigned exponent = (bits >> 10) & 31;
  unsigned mantissa = bits & 0x3FF;
  double magnitude;
  if (exponent == 31)
    magnitude = mantissa ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = mantissa * 0x1p-24;
  else
    magnitude = llvm::bit_cast<double>((uint64_t(exponent + 1008) << 52) |
                                       (uint64_t(mantissa) << 42));
  return std::copysign(magnitude, bits & 0x8000 ? -1.0 : 1.0);
}

//===--- Loads and stores -------------------------------------------------===//

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
