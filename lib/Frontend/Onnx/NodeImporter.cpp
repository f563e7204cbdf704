// What the import of one node asks: operands, attributes, known sizes.

#include "NodeImporter.h"

#include "heddle/Support/Weights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

//===--- Operands ---------------------------------------------------------===//

void NodeImporter::mustBeKnown(size_t i, StringRef what) {
  emit.fault(ErrorCode::OnnxNotConstant,
             what +
                 " must be known when compiling, but is computed from the "
                 "inputs" +
                 Emitter::bindRemedy(operands[i]));
}

std::optional<OwnedExtents> NodeImporter::integers(size_t i, StringRef what) {
  std::optional<Literal> known = literal(i);
  if (!known) {
    mustBeKnown(i, what);
    return std::nullopt;
  }
  if (known->isFloat()) {
    emit.fault(ErrorCode::OnnxNode, what + " must be integers");
    return std::nullopt;
  }
  return OwnedExtents(known->integers.begin(), known->integers.end());
}

std::optional<Shape> NodeImporter::sizes(size_t i, StringRef what) {
  if (operands[i].getDefiningOp<size::TensorOp>())
    return emit.sizesIn(operands[i]);
  std::optional<OwnedExtents> known = integers(i, what);
  return known ? std::optional<Shape>(Shape(Extents(*known))) : std::nullopt;
}

/// The element of a list of one; a fault that calls it `what` for others.
template <typename List>
static std::optional<typename List::value_type>
onlyOne(Emitter &emit, const std::optional<List> &values, StringRef what) {
  if (!values)
    return std::nullopt;
  if (values->size() == 1)
    return values->front();
  emit.fault(ErrorCode::OnnxNode, what + " must be one number");
  return std::nullopt;
}

std::optional<Extent> NodeImporter::size(size_t i, StringRef what) {
  return onlyOne(emit, sizes(i, what), what);
}

std::optional<Shape> NodeImporter::sizes(size_t i, StringRef what,
                                         StringRef attribute, int since) {
  if (version() >= since && has(i))
    return sizes(i, what);
  std::optional<OwnedExtents> known = integers(i, what, attribute, since);
  return known ? std::optional<Shape>(Shape(Extents(*known))) : std::nullopt;
}

std::optional<OwnedExtents> NodeImporter::integers(size_t i, StringRef what,
                                                   StringRef attribute,
                                                   int since) {
  if (version() < since && has(i)) {
    emit.fault(ErrorCode::OnnxNode,
               "input " + Twine(i) +
                   " is given, but is an attribute in this operator set");
    return std::nullopt;
  }
  if (!isGiven(i, attribute, since)) {
    emit.fault(ErrorCode::OnnxNode, what + " are missing");
    return std::nullopt;
  }
  return version() < since ? integersAttribute(attribute) : integers(i, what);
}

std::optional<int64_t> NodeImporter::integer(size_t i, StringRef what) {
  return onlyOne(emit, integers(i, what), what);
}

std::optional<double> NodeImporter::number(size_t i, StringRef what) {
  std::optional<Literal> known = literal(i);
  if (!known) {
    mustBeKnown(i, what);
    return std::nullopt;
  }
  if (known->size() != 1) {
    emit.fault(ErrorCode::OnnxNode, what + " must be one number");
    return std::nullopt;
  }
  return known->isFloat() ? known->floats.front()
                          : static_cast<double>(known->integers.front());
}

//===--- Attributes -------------------------------------------------------===//

bool NodeImporter::hasAttribute(StringRef name) const {
  return llvm::any_of(attributes,
                      [&](const auto &entry) { return entry.first == name; });
}

const onnx::Attribute *NodeImporter::find(StringRef name,
                                          onnx::Attribute::Kind kind,
                                          StringRef kindName) {
  asked.insert(name);
  for (const auto &[key, attribute] : attributes) {
    if (key != name)
      continue;
    if (attribute->kind == kind)
      return attribute;
    emit.fault(ErrorCode::OnnxNode,
               "attribute '" + name + "' is not " + kindName);
  }
  return nullptr;
}

int64_t NodeImporter::integerAttribute(StringRef name, int64_t otherwise) {
  const onnx::Attribute *attribute =
      find(name, onnx::Attribute::Int, "an integer");
  return attribute ? attribute->i : otherwise;
}

double NodeImporter::floatAttribute(StringRef name, double otherwise) {
  const onnx::Attribute *attribute =
      find(name, onnx::Attribute::Float, "a float");
  return attribute ? attribute->f : otherwise;
}

StringRef NodeImporter::stringAttribute(StringRef name, StringRef otherwise) {
  const onnx::Attribute *attribute =
      find(name, onnx::Attribute::String, "a string");
  return attribute ? attribute->s : otherwise;
}

std::optional<OwnedExtents> NodeImporter::integersAttribute(StringRef name) {
  const onnx::Attribute *attribute =
      find(name, onnx::Attribute::Ints, "a list of integers");
  if (!attribute)
    return std::nullopt;
  SmallVector<int64_t> values = readInts(*attribute);
  return OwnedExtents(values.begin(), values.end());
}

std::optional<SmallVector<float>>
NodeImporter::floatsAttribute(StringRef name) {
  const onnx::Attribute *attribute =
      find(name, onnx::Attribute::Floats, "a list of floats");
  if (!attribute)
    return std::nullopt;
  return readFloats(*attribute);
}

std::optional<SmallVector<StringRef>>
NodeImporter::stringsAttribute(StringRef name) {
  const onnx::Attribute *attribute =
      find(name, onnx::Attribute::Strings, "a list of strings");
  if (!attribute)
    return std::nullopt;
  return readStrings(*attribute);
}

const Tensor *NodeImporter::tensorAttribute(StringRef name) {
  const onnx::Attribute *attribute =
      find(name, onnx::Attribute::Tensor, "a tensor");
  return attribute ? attribute->tensor.get() : nullptr;
}

Type NodeImporter::typeAttribute(StringRef name, Type otherwise) {
  if (!hasAttribute(name))
    return otherwise;
  auto type = static_cast<DataType>(integerAttribute(name, 0));
  Type element = elementType(builder().getContext(), type);
  if (!element)
    emit.fault(ErrorCode::OnnxType,
               "attribute '" + name + "' asks for the element type " +
                   spell(type) + ", which heddle does not have");
  return element;
}

int64_t NodeImporter::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  emit.fault(ErrorCode::OnnxNode, "axis " + Twine(axis) +
                                      " is outside a value of " + Twine(rank) +
                                      " dimensions");
  return 0;
}

std::optional<OwnedExtents> NodeImporter::normalizeAxes(Extents axes,
                                                        int64_t rank) {
  OwnedExtents result;
  for (int64_t axis : axes) {
    int64_t normal = normalizeAxis(axis, rank);
    if (emit.hasFault())
      return std::nullopt;
    if (llvm::is_contained(result, normal)) {
      emit.fault(ErrorCode::OnnxNode,
                 "axis " + Twine(axis) + " is given twice");
      return std::nullopt;
    }
    result.push_back(normal);
  }
  return result;
}

StringRef NodeImporter::unreadAttribute() const {
  for (const auto &[name, attribute] : attributes)
    if (!asked.contains(name))
      return name;
  return {};
}

LogicalResult NodeImporter::unsupported(const Twine &why) {
  unsupportedReason = why.str();
  return failure();
}

LogicalResult NodeImporter::invalid(const Twine &why) {
  emit.fault(ErrorCode::OnnxNode, why);
  return failure();
}

//===--- Types and tensors ------------------------------------------------===//

Type heddle::onnx::elementType(MLIRContext *context, DataType type) {
  auto integer = [&](unsigned width, bool isUnsigned) -> Type {
    return IntegerType::get(context, width,
                            isUnsigned ? IntegerType::Unsigned
                                       : IntegerType::Signless);
  };
  switch (type) {
  case DataType::Float:
    return Float32Type::get(context);
  case DataType::Double:
    return Float64Type::get(context);
  case DataType::Float16:
    return Float16Type::get(context);
  case DataType::Bfloat16:
    return BFloat16Type::get(context);
  case DataType::Float8E4M3FN:
    return Float8E4M3FNType::get(context);
  case DataType::Float8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case DataType::Float8E5M2:
    return Float8E5M2Type::get(context);
  case DataType::Float8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case DataType::Float8E8M0:
    return Float8E8M0FNUType::get(context);
  case DataType::Float4E2M1:
    return Float4E2M1FNType::get(context);
  case DataType::Bool:
    return integer(1, false);
  case DataType::Int2:
    return integer(2, false);
  case DataType::Int4:
    return integer(4, false);
  case DataType::Int8:
    return integer(8, false);
  case DataType::Int16:
    return integer(16, false);
  case DataType::Int32:
    return integer(32, false);
  case DataType::Int64:
    return integer(64, false);
  case DataType::Uint2:
    return integer(2, true);
  case DataType::Uint4:
    return integer(4, true);
  case DataType::Uint8:
    return integer(8, true);
  case DataType::Uint16:
    return integer(16, true);
  case DataType::Uint32:
    return integer(32, true);
  case DataType::Uint64:
    return integer(64, true);
  case DataType::Undefined:
  case DataType::String:
  case DataType::Complex64:
  case DataType::Complex128:
    return {};
  }
  return {};
}

ElementsAttr
heddle::onnx::tensorConstant(MLIRContext *context, const Tensor &tensor,
                             const std::shared_ptr<MappedFile> &file,
                             std::string &message) {
  Type element = elementType(context, tensor.type);
  if (!element) {
    message = "it has the element type " + spell(tensor.type) +
              ", which heddle does not have";
    return {};
  }
  TensorBytes bytes;
  if (std::optional<ReadError> error = readTensor(tensor, bytes)) {
    message = error->message;
    return {};
  }
  auto type = RankedTensorType::get(tensor.shape, element);
  if (type.getNumElements() == 0)
    return DenseElementsAttr::get(type, ArrayRef<mlir::Attribute>());
  if (!bytes.isView)
    return makeConstant(type, tensor.name, std::move(bytes.owned));
  if (bytes.view.size() > kHandleThresholdBytes)
    return makeWeight(type, tensor.name, file,
                      bytes.view.data() - file->bytes().data(),
                      bytes.view.size());
  return makeConstant(type, tensor.name,
                      std::vector<char>(bytes.view.begin(), bytes.view.end()));
}
