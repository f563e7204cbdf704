// Sequences of tensors. Their lengths are known when compiling, so that a
// sequence is a list of values: the operands of a stablehlo.tuple, which
// nothing reads in the end.

#include "NodeImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// The elements of a sequence; a fault if the operand is a tensor.
static std::optional<SmallVector<Value>> elements(NodeImporter &node,
                                                  size_t operand) {
  auto tuple = node.operand(operand).getDefiningOp<stablehlo::TupleOp>();
  if (!tuple) {
    (void)node.invalid("its input " + Twine(operand) + " is no sequence");
    return std::nullopt;
  }
  return SmallVector<Value>(tuple->getOperands());
}

static LogicalResult sequence(NodeImporter &node, ValueRange values) {
  OpBuilder &builder = node.builder();
  return node.result(stablehlo::TupleOp::create(
      builder, node.emit.loc,
      TupleType::get(builder.getContext(), TypeRange(values)), values));
}

/// A position among `count` places; negative ones count from the end.
static std::optional<int64_t> position(NodeImporter &node, size_t operand,
                                       int64_t count, int64_t otherwise) {
  if (!node.has(operand))
    return otherwise;
  std::optional<int64_t> given = node.integer(operand, "the position");
  if (!given)
    return std::nullopt;
  int64_t place = *given < 0 ? *given + count : *given;
  if (place >= 0 && place < count)
    return place;
  (void)node.invalid("position " + Twine(*given) + " is outside " +
                     Twine(count) + " places of the sequence");
  return std::nullopt;
}

static LogicalResult importSequenceEmpty(NodeImporter &node) {
  node.ignoreAttribute("dtype");
  return sequence(node, {});
}

static LogicalResult importSequenceConstruct(NodeImporter &node) {
  return sequence(node, node.allOperands());
}

static LogicalResult importSequenceInsert(NodeImporter &node) {
  std::optional<SmallVector<Value>> values = elements(node, 0);
  if (!values)
    return failure();
  int64_t length = values->size();
  // Behind the last element is a place too, but none that -1 means.
  std::optional<int64_t> place = length;
  if (node.has(2)) {
    place = node.integer(2, "the position");
    if (place && *place != length)
      place = position(node, 2, length, length);
  }
  if (!place)
    return failure();
  values->insert(values->begin() + *place, node.operand(1));
  return sequence(node, *values);
}

static LogicalResult importSequenceErase(NodeImporter &node) {
  std::optional<SmallVector<Value>> values = elements(node, 0);
  if (!values)
    return failure();
  int64_t length = values->size();
  if (length == 0)
    return node.invalid("the sequence is empty");
  std::optional<int64_t> place = position(node, 1, length, length - 1);
  if (!place)
    return failure();
  values->erase(values->begin() + *place);
  return sequence(node, *values);
}

static LogicalResult importSequenceAt(NodeImporter &node) {
  std::optional<SmallVector<Value>> values = elements(node, 0);
  if (!values)
    return failure();
  std::optional<int64_t> place = position(node, 1, values->size(), 0);
  return place ? node.result((*values)[*place]) : failure();
}

static LogicalResult importSequenceLength(NodeImporter &node) {
  std::optional<SmallVector<Value>> values = elements(node, 0);
  if (!values)
    return failure();
  return node.result(node.emit.splatInteger(
      RankedTensorType::get({}, node.builder().getI64Type()), values->size()));
}

/// A tensor of one more dimension, of extent 1, at the axis.
static Value withDimension(Emitter &emit, Value value, int64_t axis) {
  Shape shape = emit.shapeOf(value);
  shape.insert(shape.begin() + axis, 1);
  return emit.reshape(value, shape);
}

static LogicalResult importConcatFromSequence(NodeImporter &node) {
  Emitter &emit = node.emit;
  bool isNew = node.integerAttribute("new_axis", 0) != 0;
  int64_t axis = node.integerAttribute("axis", 0);
  std::optional<SmallVector<Value>> values = elements(node, 0);
  if (!values)
    return failure();
  if (values->empty())
    return node.invalid("the sequence is empty");
  for (Value value : *values)
    if (Emitter::typeOf(value).getRank() !=
            Emitter::typeOf(values->front()).getRank() ||
        Emitter::elementOf(value) != Emitter::elementOf(values->front()))
      return node.invalid("the tensors of the sequence differ in type or rank");
  axis = node.normalizeAxis(axis, Emitter::typeOf(values->front()).getRank() +
                                      (isNew ? 1 : 0));
  if (emit.hasFault())
    return failure();
  if (isNew)
    for (Value &value : *values)
      value = withDimension(emit, value, axis);
  return node.result(emit.concatenate(*values, axis));
}

/// Pieces of one size, of one size each, or (without a second input) of extent
/// 1, whose dimension `keepdims` = 0 drops.
static LogicalResult importSplitToSequence(NodeImporter &node) {
  Emitter &emit = node.emit;
  bool keeps = node.integerAttribute("keepdims", 1) != 0 || node.has(1);
  int64_t axis =
      node.normalizeAxis(node.integerAttribute("axis", 0), node.rank(0));
  if (emit.hasFault())
    return failure();
  int64_t extent = emit.knownExtentOf(node.operand(0), axis);
  OwnedExtents sizes(node.has(1) ? 0 : extent, 1);
  if (node.has(1)) {
    std::optional<OwnedExtents> given = node.integers(1, "the split");
    if (!given)
      return failure();
    sizes = *given;
    if (node.rank(1) == 0) {
      int64_t size = sizes.front();
      if (size < 1)
        return node.invalid("pieces of the size " + Twine(size));
      // The last one is smaller where they do not divide the extent.
      sizes.assign(extent / size, size);
      if (extent % size != 0)
        sizes.push_back(extent % size);
    }
  }
  int64_t start = 0;
  SmallVector<Value> pieces;
  for (int64_t size : sizes) {
    if (size < 0 || size > extent - start)
      return node.invalid("the pieces do not add up to the extent " +
                          Twine(extent));
    Value piece = emit.sliceDim(node.operand(0), axis, start, start + size);
    start += size;
    if (!keeps) {
      Shape shape = node.shape(0);
      shape.erase(shape.begin() + axis);
      piece = emit.reshape(piece, shape);
    }
    pieces.push_back(piece);
  }
  if (start != extent)
    return node.invalid("the pieces do not add up to the extent " +
                        Twine(extent));
  return sequence(node, pieces);
}

/// What is optional is known when compiling: there is a tensor, or nothing.
static LogicalResult importOptionalHasElement(NodeImporter &node) {
  auto flag = RankedTensorType::get({}, node.builder().getI1Type());
  return node.result(node.emit.splatInteger(flag, node.has(0)));
}

static LogicalResult importOptionalGetElement(NodeImporter &node) {
  return node.result(node.operand(0));
}

void heddle::onnx::addSequences(OperatorTable &table) {
  table.add("SequenceEmpty", {11}, 0, 0, importSequenceEmpty);
  table.add("SequenceConstruct", {11}, 1, kAnyNumber, importSequenceConstruct);
  table.add("SequenceInsert", {11}, 2, 3, importSequenceInsert).takesSequences =
      true;
  table.add("SequenceErase", {11}, 1, 2, importSequenceErase).takesSequences =
      true;
  table.add("SequenceAt", {11}, 2, 2, importSequenceAt).takesSequences = true;
  table.add("SequenceLength", {11}, 1, 1, importSequenceLength).takesSequences =
      true;
  table.add("ConcatFromSequence", {11}, 1, 1, importConcatFromSequence)
      .takesSequences = true;
  table.add("SplitToSequence", {11, 24}, 1, 2, importSplitToSequence);
  table.add("OptionalHasElement", {15, 18, 28}, 0, 1, importOptionalHasElement)
      .takesSequences = true;
  table.add("OptionalGetElement", {15, 18, 28}, 1, 1, importOptionalGetElement)
      .takesSequences = true;
}
