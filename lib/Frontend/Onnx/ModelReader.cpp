// ModelProto, GraphProto, NodeProto and what hangs on them. Field numbers are
// those of onnx.proto.

#include "Limits.h"
#include "Protobuf.h"

#include <stdexcept>

using namespace llvm;
using namespace heddle::onnx;

namespace {

/// Graphs in attributes, types in types: deeper models are attacks.
constexpr int kMaxDepth = 64;

/// Memory that reading may take, besides the mapped file itself.
constexpr size_t kBaseBudgetBytes = 32 << 20;

class ModelReader {
public:
  explicit ModelReader(size_t fileBytes)
      : budget(kBaseBudgetBytes + fileBytes) {}

  void readModel(StringRef bytes, Model &model);

private:
  void readGraph(StringRef bytes, Graph &graph, int depth);
  void readNode(StringRef bytes, Node &node, int depth);
  void readAttribute(StringRef bytes, Attribute &attribute, int depth);
  void readValueInfo(StringRef bytes, ValueInfo &info);
  void readType(StringRef bytes, ValueType &type);
  void readTensorType(StringRef bytes, ValueType &type);
  void readShape(StringRef bytes, ValueType &type);
  void readFunction(StringRef bytes, Function &function);
  void readOperatorSet(StringRef bytes, OperatorSet &set);

  /// Adds one element, charged before it exists. A vector that grows holds up
  /// to three times its content.
  template <typename T> T &add(std::vector<T> &list) {
    charge(2 * sizeof(T));
    return list.emplace_back();
  }
  void charge(size_t bytes) {
    if (bytes > budget)
      throw ReadError{ReadError::TooMany,
                      "it has more nodes, names and attributes than its size "
                      "can justify"};
    budget -= bytes;
  }
  static void checkDepth(int depth) {
    if (depth > kMaxDepth)
      throw ReadError{ReadError::TooDeep, "graphs are nested more than " +
                                              std::to_string(kMaxDepth) +
                                              " deep"};
  }

  size_t budget;
};

void ModelReader::readModel(StringRef bytes, Model &model) {
  bool hasGraph = false;
  for (Message message(bytes); message.next();) {
    switch (message.field()) {
    case 1:
      model.irVersion = message.varint();
      break;
    case 2:
      model.producer = message.bytes();
      break;
    case 7:
      // Protobuf merges a repeated single message; two graphs are no model.
      if (hasGraph)
        throw ReadError{ReadError::Malformed, "it holds two graphs"};
      hasGraph = true;
      readGraph(message.bytes(), model.graph, /*depth=*/0);
      break;
    case 8:
      readOperatorSet(message.bytes(), add(model.operatorSets));
      break;
    case 25:
      readFunction(message.bytes(), add(model.functions));
      break;
    default:
      message.skip();
    }
  }
  if (!hasGraph)
    throw ReadError{ReadError::Malformed, "it holds no graph"};
}

void ModelReader::readOperatorSet(StringRef bytes, OperatorSet &set) {
  for (Message message(bytes); message.next();) {
    if (message.field() == 1)
      set.domain = message.bytes();
    else if (message.field() == 2)
      set.version = message.varint();
    else
      message.skip();
  }
}

void ModelReader::readGraph(StringRef bytes, Graph &graph, int depth) {
  checkDepth(depth);
  for (Message message(bytes); message.next();) {
    switch (message.field()) {
    case 1:
      readNode(message.bytes(), add(graph.nodes), depth);
      break;
    case 2:
      graph.name = message.bytes();
      break;
    case 5:
      readTensorMessage(message.bytes(), add(graph.initializers));
      break;
    case 11:
      readValueInfo(message.bytes(), add(graph.inputs));
      break;
    case 12:
      readValueInfo(message.bytes(), add(graph.outputs));
      break;
    case 15: {
      // SparseTensorProto.values carries the name.
      StringRef name;
      for (Message sparse(message.bytes()); sparse.next();) {
        if (sparse.field() == 1) {
          Tensor values;
          readTensorMessage(sparse.bytes(), values);
          name = values.name;
        } else {
          sparse.skip();
        }
      }
      add(graph.sparseInitializers) = name;
      break;
    }
    default:
      message.skip();
    }
  }
}

void ModelReader::readNode(StringRef bytes, Node &node, int depth) {
  for (Message message(bytes); message.next();) {
    switch (message.field()) {
    case 1:
      add(node.inputs) = message.bytes();
      break;
    case 2:
      add(node.outputs) = message.bytes();
      break;
    case 3:
      node.name = message.bytes();
      break;
    case 4:
      node.op = message.bytes();
      break;
    case 5:
      readAttribute(message.bytes(), add(node.attributes), depth);
      break;
    case 7:
      node.domain = message.bytes();
      break;
    case 8:
      node.overload = message.bytes();
      break;
    default:
      message.skip();
    }
  }
  if (node.op.empty())
    throw ReadError{ReadError::Malformed,
                    "node '" + node.name.str() + "' names no operator"};
}

void ModelReader::readAttribute(StringRef bytes, Attribute &attribute,
                                int depth) {
  attribute.message = bytes;
  // Files of the first IR versions leave the type out: then the field that is
  // there says it.
  Attribute::Kind found = Attribute::None;
  for (Message message(bytes); message.next();) {
    switch (message.field()) {
    case 1:
      attribute.name = message.bytes();
      break;
    case 2:
      attribute.f = message.float32();
      found = Attribute::Float;
      break;
    case 3:
      attribute.i = message.varint();
      found = Attribute::Int;
      break;
    case 4:
      attribute.s = message.bytes();
      found = Attribute::String;
      break;
    case 5:
      charge(sizeof(Tensor));
      attribute.tensor = std::make_shared<Tensor>();
      readTensorMessage(message.bytes(), *attribute.tensor);
      found = Attribute::Tensor;
      break;
    case 6:
      charge(sizeof(Graph));
      attribute.graph = std::make_shared<Graph>();
      readGraph(message.bytes(), *attribute.graph, depth + 1);
      found = Attribute::Graph;
      break;
    case 7:
      message.floats([](float) {});
      found = Attribute::Floats;
      break;
    case 8:
      message.varints([](int64_t) {});
      found = Attribute::Ints;
      break;
    case 9:
      message.bytes();
      found = Attribute::Strings;
      break;
    case 20:
      attribute.kind = static_cast<Attribute::Kind>(message.varint());
      break;
    case 21:
      attribute.refersTo = message.bytes();
      break;
    default:
      message.skip();
    }
  }
  // An empty list leaves no field, so the stated type wins over none.
  if (attribute.kind == Attribute::None)
    attribute.kind = found;
  bool scalar =
      attribute.kind == Attribute::Tensor || attribute.kind == Attribute::Graph;
  if (scalar && attribute.refersTo.empty() && attribute.kind != found)
    throw ReadError{ReadError::Malformed,
                    "attribute '" + attribute.name.str() + "' lacks its value"};
}

void ModelReader::readValueInfo(StringRef bytes, ValueInfo &info) {
  for (Message message(bytes); message.next();) {
    if (message.field() == 1)
      info.name = message.bytes();
    else if (message.field() == 2)
      readType(message.bytes(), info.type);
    else
      message.skip();
  }
}

void ModelReader::readType(StringRef bytes, ValueType &type) {
  for (Message message(bytes); message.next();) {
    switch (message.field()) {
    case 1:
      type.kind = ValueType::Tensor;
      readTensorType(message.bytes(), type);
      continue;
    case 4:
      type.kind = ValueType::Sequence;
      break;
    case 5:
      type.kind = ValueType::Map;
      break;
    case 7:
      type.kind = ValueType::Opaque;
      break;
    case 8:
      type.kind = ValueType::SparseTensor;
      break;
    case 9:
      type.kind = ValueType::Optional;
      break;
    default:
      break;
    }
    message.skip();
  }
}

void ModelReader::readTensorType(StringRef bytes, ValueType &type) {
  for (Message message(bytes); message.next();) {
    if (message.field() == 1) {
      type.element = static_cast<DataType>(message.varint());
    } else if (message.field() == 2) {
      type.hasShape = true;
      readShape(message.bytes(), type);
    } else {
      message.skip();
    }
  }
}

void ModelReader::readShape(StringRef bytes, ValueType &type) {
  for (Message message(bytes); message.next();) {
    if (message.field() != 1) {
      message.skip();
      continue;
    }
    if (type.shape.size() == kMaxRank)
      throw ReadError{ReadError::TooMany,
                      "a value is declared with more than " +
                          std::to_string(kMaxRank) + " dimensions"};
    charge(2 * sizeof(Dimension));
    Dimension &dimension = type.shape.emplace_back();
    for (Message part(message.bytes()); part.next();) {
      if (part.field() == 1)
        dimension.extent = part.varint();
      else if (part.field() == 2)
        dimension.symbol = part.bytes();
      else
        part.skip();
    }
  }
}

void ModelReader::readFunction(StringRef bytes, Function &function) {
  for (Message message(bytes); message.next();) {
    switch (message.field()) {
    case 1:
      function.name = message.bytes();
      break;
    case 4:
      add(function.inputs) = message.bytes();
      break;
    case 5:
      add(function.outputs) = message.bytes();
      break;
    case 6:
      add(function.attributes) = message.bytes();
      break;
    case 7:
      readNode(message.bytes(), add(function.nodes), /*depth=*/0);
      break;
    case 9:
      readOperatorSet(message.bytes(), add(function.operatorSets));
      break;
    case 10:
      function.domain = message.bytes();
      break;
    case 11:
      readAttribute(message.bytes(), add(function.attributeDefaults),
                    /*depth=*/0);
      break;
    case 13:
      function.overload = message.bytes();
      break;
    default:
      message.skip();
    }
  }
}

} // namespace

std::optional<ReadError> heddle::onnx::readModel(StringRef bytes,
                                                 Model &model) {
  return catchErrors(
      [&] { ModelReader(bytes.size()).readModel(bytes, model); });
}

SmallVector<int64_t> heddle::onnx::readInts(const Attribute &attribute) {
  SmallVector<int64_t> values;
  catchErrors([&] {
    for (Message message(attribute.message); message.next();) {
      if (message.field() == 8)
        message.varints([&](int64_t value) { values.push_back(value); });
      else
        message.skip();
    }
  });
  return values;
}

SmallVector<float> heddle::onnx::readFloats(const Attribute &attribute) {
  SmallVector<float> values;
  catchErrors([&] {
    for (Message message(attribute.message); message.next();) {
      if (message.field() == 7)
        message.floats([&](float value) { values.push_back(value); });
      else
        message.skip();
    }
  });
  return values;
}

SmallVector<StringRef> heddle::onnx::readStrings(const Attribute &attribute) {
  SmallVector<StringRef> values;
  catchErrors([&] {
    for (Message message(attribute.message); message.next();) {
      if (message.field() == 9)
        values.push_back(message.bytes());
      else
        message.skip();
    }
  });
  return values;
}
