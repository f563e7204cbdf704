// What VHLO calls types and attributes, in files and in text, and since when.

#ifndef HEDDLE_DIALECTS_VHLO_ENCODING_H
#define HEDDLE_DIALECTS_VHLO_ENCODING_H

#include "dialects/Vhlo/Version.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"

namespace heddle::vhlo {

/// Never renumbered: files hold these. (0 was an attribute that is gone.)
enum AttributeCode : unsigned {
  ArrayCode = 1,
  BooleanCode = 2,
  ComparisonDirectionCode = 3,
  ComparisonTypeCode = 4,
  ApiVersionCode = 5,
  DictionaryCode = 6,
  FftTypeCode = 7,
  FloatCode = 8,
  IntegerCode = 9,
  OutputOperandAliasCode = 10,
  PrecisionCode = 11,
  RngAlgorithmCode = 12,
  RngDistributionCode = 13,
  StringCode = 14,
  TensorCode = 15,
  TransposeCode = 16,
  TypeAttributeCode = 17,
  TypeExtensionsCode = 18,
  ResultAccuracyModeCode = 19,
  ResultAccuracyCode = 20,
  SubAxisInfoCode = 21,
  AxisRefCode = 22,
  ReplicaGroupMeshAxesCode = 23,
  MeshAxisCode = 24,
  MeshCode = 25,
};

/// Types with parameters; the others are rows of a table.
enum TypeCode : unsigned {
  ComplexCode = 1,
  FunctionCode = 8,
  RankedTensorCode = 20,
  RankedTensorWithEncodingCode = 21,
  TupleCode = 23,
  QuantizedCode = 24,
  UnrankedTensorCode = 25,
  WitnessCode = 26,
  QuantizedPerAxisCode = 30,
  BufferCode = 41,
  FutureCode = 42,
};

/// A type without parameters.
struct PlainType {
  unsigned code;
  /// In text, `!vhlo.<name>_v1`.
  llvm::StringLiteral name;
  Version since;
  mlir::Type (*get)(mlir::MLIRContext *);
};

llvm::ArrayRef<PlainType> plainTypes();

/// An enumeration, by its code or its name in text (`#vhlo<precision_v1
/// HIGH>`).
struct EnumRow {
  unsigned code;
  llvm::StringLiteral name;
  /// The attribute with this number, or with this name; null if there is none.
  mlir::Attribute (*fromNumber)(mlir::MLIRContext *, uint64_t);
  mlir::Attribute (*fromName)(mlir::MLIRContext *, llvm::StringRef);
  /// Its number and its name, if the attribute is one.
  std::optional<std::pair<uint64_t, llvm::StringRef>> (*read)(mlir::Attribute);
};

llvm::ArrayRef<EnumRow> enumRows();

/// The code that an attribute is stored by; nothing if VHLO has none for it or
/// for a part of it.
std::optional<unsigned> attributeCodeOf(mlir::Attribute attribute);

/// The first version that can hold the type, and all parts of it; nothing if
/// none can.
std::optional<Version> versionOf(mlir::Type type);
std::optional<Version> versionOf(mlir::Attribute attribute);

} // namespace heddle::vhlo

#endif // HEDDLE_DIALECTS_VHLO_ENCODING_H
