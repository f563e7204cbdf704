// Element types of MLIR as the artifact's schema names them.

#include "heddle/Artifact/DataTypes.h"

#include "runtime/format/Layout.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

format::DataType heddle::dataType(Type type) {
  using format::DataType;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return DataType::i1;
    case 2:
      return isUnsigned ? DataType::ui2 : DataType::i2;
    case 4:
      return isUnsigned ? DataType::ui4 : DataType::i4;
    case 8:
      return isUnsigned ? DataType::ui8 : DataType::i8;
    case 16:
      return isUnsigned ? DataType::ui16 : DataType::i16;
    case 32:
      return isUnsigned ? DataType::ui32 : DataType::i32;
    case 64:
      return isUnsigned ? DataType::ui64 : DataType::i64;
    default:
      return DataType::none;
    }
  }
  return llvm::TypeSwitch<Type, DataType>(type)
      .Case([](Float16Type) { return DataType::f16; })
      .Case([](BFloat16Type) { return DataType::bf16; })
      .Case([](Float32Type) { return DataType::f32; })
      .Case([](Float64Type) { return DataType::f64; })
      .Case([](Float8E3M4Type) { return DataType::f8e3m4; })
      .Case([](Float8E4M3Type) { return DataType::f8e4m3; })
      .Case([](Float8E4M3FNType) { return DataType::f8e4m3fn; })
      .Case([](Float8E4M3B11FNUZType) { return DataType::f8e4m3b11fnuz; })
      .Case([](Float8E4M3FNUZType) { return DataType::f8e4m3fnuz; })
      .Case([](Float8E5M2FNUZType) { return DataType::f8e5m2fnuz; })
      .Case([](Float8E8M0FNUType) { return DataType::f8e8m0fnu; })
      .Case([](Float6E2M3FNType) { return DataType::f6e2m3fn; })
      .Case([](Float6E3M2FNType) { return DataType::f6e3m2fn; })
      .Case([](Float4E2M1FNType) { return DataType::f4e2m1fn; })
      .Case([](Float8E5M2Type) { return DataType::f8e5m2; })
      .Case([](ComplexType complex) {
        return complex.getElementType().isF32() ? DataType::c64
                                                : DataType::c128;
      })
      .Default([](Type) { return DataType::none; });
}
