// Names and sizes of element types.

#include "runtime/format/DataTypes.h"

using namespace heddle::format;

unsigned heddle::format::elementBytes(DataType type) {
  switch (type) {
  case DataType::none:
    return 0;
  case DataType::i1:
  case DataType::i2:
  case DataType::i4:
  case DataType::i8:
  case DataType::ui2:
  case DataType::ui4:
  case DataType::ui8:
  case DataType::f4e2m1fn:
  case DataType::f6e2m3fn:
  case DataType::f6e3m2fn:
  case DataType::f8e3m4:
  case DataType::f8e4m3:
  case DataType::f8e4m3fn:
  case DataType::f8e4m3b11fnuz:
  case DataType::f8e4m3fnuz:
  case DataType::f8e5m2:
  case DataType::f8e5m2fnuz:
  case DataType::f8e8m0fnu:
    return 1;
  case DataType::i16:
  case DataType::ui16:
  case DataType::f16:
  case DataType::bf16:
    return 2;
  case DataType::i32:
  case DataType::ui32:
  case DataType::f32:
    return 4;
  case DataType::i64:
  case DataType::ui64:
  case DataType::f64:
  case DataType::c64:
    return 8;
  case DataType::c128:
    return 16;
  }
  return 0;
}

unsigned heddle::format::elementBits(DataType type) {
  switch (type) {
  case DataType::i1:
    return 1;
  case DataType::i2:
  case DataType::ui2:
    return 2;
  case DataType::i4:
  case DataType::ui4:
  case DataType::f4e2m1fn:
    return 4;
  case DataType::f6e2m3fn:
  case DataType::f6e3m2fn:
    return 6;
  default:
    return 8 * elementBytes(type);
  }
}

const char *heddle::format::dataTypeName(DataType type) {
  const char *name = elementBytes(type) ? EnumNameDataType(type) : "";
  return *name ? name : "?";
}
