// An ONNX model as its file holds it: names and payloads are views into the
// mapped file, nothing large is copied.
//
// The reader is compiled with exceptions (protozero throws on damaged input)
// and catches them all; nothing declared here throws. Text and tensors stay
// valid as long as the file is mapped.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_MODEL_H
#define HEDDLE_LIB_FRONTEND_ONNX_MODEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::onnx {

/// TensorProto.DataType.
enum class DataType : int32_t {
  Undefined = 0,
  Float = 1,
  Uint8 = 2,
  Int8 = 3,
  Uint16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  Uint32 = 12,
  Uint64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  Bfloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  Uint4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  Uint2 = 25,
  Int2 = 26,
};

/// "float16", as onnx spells it; "type 99" for what it does not know.
std::string spell(DataType type);

/// Why a file was refused.
struct ReadError {
  enum Kind { Malformed, TooDeep, TooMany, Unsupported };
  Kind kind = Malformed;
  std::string message;
};

/// TensorProto. The values stay where they are, in `message` (the whole of it),
/// `raw` or an external file.
struct Tensor {
  llvm::StringRef name;
  llvm::SmallVector<int64_t, 4> shape;
  DataType type = DataType::Undefined;
  llvm::StringRef message;
  llvm::StringRef raw;
  bool hasRaw = false;

  /// TensorProto.external_data, when data_location says so.
  bool isExternal = false;
  llvm::StringRef location;
  llvm::StringRef offset;
  llvm::StringRef length;
};

/// The number of elements that a shape asks for; nothing if negative or beyond
/// 63 bits.
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);

/// Bytes of `count` elements as raw_data and external data pack them: sub-byte
/// elements share bytes, low bits first. Nothing for types without a fixed
/// width.
std::optional<uint64_t> packedBytes(DataType type, int64_t count);

/// Values of a tensor inside the model file, one whole number of bytes per
/// element (bool: 0 or 1), row-major, little-endian: views of the file where it
/// stores them like that, otherwise decoded.
struct TensorBytes {
  llvm::StringRef view;
  std::vector<char> owned;
  bool isView = false;
};

/// Decodes an embedded tensor. Checks the number of values against the shape
/// before anything is allocated.
std::optional<ReadError> readTensor(const Tensor &tensor, TensorBytes &result);

/// The same for the packed bytes of an external file.
std::optional<ReadError>
readPacked(const Tensor &tensor, llvm::StringRef packed, TensorBytes &result);

struct Graph;

/// AttributeProto. Scalars are read at once, lists when asked for.
struct Attribute {
  enum Kind : int32_t {
    None = 0,
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
    Graphs = 10,
    SparseTensor = 11,
    SparseTensors = 12,
    Type = 13,
    Types = 14,
  };
  llvm::StringRef name;
  /// In a function's body: the attribute of the function that is meant.
  llvm::StringRef refersTo;
  Kind kind = None;
  float f = 0;
  int64_t i = 0;
  llvm::StringRef s;
  std::shared_ptr<onnx::Tensor> tensor;
  std::shared_ptr<onnx::Graph> graph;
  llvm::StringRef message;
};

/// Lists of an attribute; the file was checked when it was read, so these do
/// not fail.
llvm::SmallVector<int64_t> readInts(const Attribute &attribute);
llvm::SmallVector<float> readFloats(const Attribute &attribute);
llvm::SmallVector<llvm::StringRef> readStrings(const Attribute &attribute);

struct Node {
  llvm::StringRef name;
  llvm::StringRef op;
  llvm::StringRef domain;
  llvm::StringRef overload;
  std::vector<llvm::StringRef> inputs;
  std::vector<llvm::StringRef> outputs;
  std::vector<Attribute> attributes;
};

/// One extent of a declared shape: a number, a name, or nothing.
struct Dimension {
  std::optional<int64_t> extent;
  llvm::StringRef symbol;
};

/// TypeProto, as far as tensors go; other kinds are named for the error
/// message.
struct ValueType {
  enum Kind { Unknown, Tensor, Sequence, Map, Optional, SparseTensor, Opaque };
  Kind kind = Unknown;
  DataType element = DataType::Undefined;
  bool hasShape = false;
  llvm::SmallVector<Dimension, 4> shape;
};

struct ValueInfo {
  llvm::StringRef name;
  ValueType type;
};

struct Graph {
  llvm::StringRef name;
  std::vector<Node> nodes;
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  std::vector<Tensor> initializers;
  /// Names of sparse initializers, which are refused.
  std::vector<llvm::StringRef> sparseInitializers;
};

struct OperatorSet {
  llvm::StringRef domain;
  int64_t version = 0;
};

struct Function {
  llvm::StringRef name;
  llvm::StringRef domain;
  llvm::StringRef overload;
  std::vector<llvm::StringRef> inputs;
  std::vector<llvm::StringRef> outputs;
  std::vector<llvm::StringRef> attributes;
  std::vector<Attribute> attributeDefaults;
  std::vector<OperatorSet> operatorSets;
  std::vector<Node> nodes;
};

struct Model {
  int64_t irVersion = 0;
  llvm::StringRef producer;
  std::vector<OperatorSet> operatorSets;
  Graph graph;
  std::vector<Function> functions;
};

/// Reads a ModelProto. What is read from the file is charged against a budget
/// that grows with the file, so that a small file cannot ask for much memory.
std::optional<ReadError> readModel(llvm::StringRef bytes, Model &model);

/// Reads a file that holds one TensorProto (`input_0.pb` of ONNX's test data
/// sets).
std::optional<ReadError> readTensorFile(llvm::StringRef bytes, Tensor &tensor);

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_MODEL_H
