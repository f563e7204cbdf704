// Fields of bytecode, each of which may be damaged.

#ifndef HEDDLE_DIALECTS_VHLO_BYTECODEFIELDS_H
#define HEDDLE_DIALECTS_VHLO_BYTECODEFIELDS_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace heddle::vhlo {

/// Reads fields one after the other. After the first failure, which has been
/// reported, `ok` is false and the values mean nothing. Lists grow with what is
/// really there, not with what their length claims.
class Fields {
public:
  explicit Fields(mlir::DialectBytecodeReader &reader) : reader(reader) {}

  bool ok = true;

  uint64_t number() {
    uint64_t value = 0;
    check(reader.readVarInt(value));
    return value;
  }
  int64_t integer() {
    int64_t value = 0;
    check(reader.readSignedVarInt(value));
    return value;
  }
  double real() {
    mlir::FailureOr<llvm::APFloat> value =
        reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
    check(value);
    return ok ? value->convertToDouble() : 0;
  }
  llvm::SmallVector<int64_t> integers() {
    return list<int64_t>([&] { return integer(); });
  }
  llvm::SmallVector<double> reals() {
    return list<double>([&] { return real(); });
  }
  mlir::Type type() {
    mlir::Type value;
    check(reader.readType(value));
    ok &= bool(value);
    return value;
  }
  template <typename T> T typeAs() {
    mlir::Type value = type();
    return as<T>(value);
  }
  llvm::SmallVector<mlir::Type> types() {
    return list<mlir::Type>([&] { return type(); });
  }
  mlir::Attribute attribute() {
    mlir::Attribute value;
    check(reader.readAttribute(value));
    ok &= bool(value);
    return value;
  }
  template <typename T> T attributeAs() {
    mlir::Attribute value = attribute();
    return as<T>(value);
  }
  template <typename T> T optionalAttributeAs() {
    mlir::Attribute value;
    check(reader.readOptionalAttribute(value));
    return ok && value ? as<T>(value) : T();
  }
  llvm::SmallVector<mlir::Attribute> attributes() {
    return list<mlir::Attribute>([&] { return attribute(); });
  }
  llvm::StringRef string() {
    llvm::StringRef value;
    check(reader.readString(value));
    return value;
  }
  llvm::ArrayRef<char> blob() {
    llvm::ArrayRef<char> value;
    check(reader.readBlob(value));
    return value;
  }

  /// Reports that the fields make no sense together.
  std::nullptr_t refuse(const llvm::Twine &why) {
    if (ok)
      reader.emitError() << why;
    ok = false;
    return nullptr;
  }
  mlir::DialectBytecodeReader &reader;

private:
  void check(mlir::LogicalResult result) { ok &= succeeded(result); }
  template <typename T, typename Value> T as(Value value) {
    if (!ok)
      return {};
    auto result = llvm::dyn_cast<T>(value);
    if (!result)
      refuse("a field is of the wrong kind");
    return result;
  }
  template <typename T, typename Read> llvm::SmallVector<T> list(Read read) {
    llvm::SmallVector<T> values;
    for (uint64_t i = 0, count = number(); ok && i < count; ++i)
      values.push_back(read());
    return values;
  }
};

} // namespace heddle::vhlo

#endif // HEDDLE_DIALECTS_VHLO_BYTECODEFIELDS_H
