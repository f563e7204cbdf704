// The table of element types, and their types in MLIR.

#include "heddle/Support/ElementKind.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

#include <array>

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
bool heddle::isNarrowSigned(ElementKind kind) {
  return elementClass(kind) == ElementClass::Signed && bitWidth(kind) < 8;
}
bool heddle::isNarrowSigned(Type element) {
  std::optional<ElementKind> kind = elementKind(element);
  return kind && isNarrowSigned(*kind);
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
