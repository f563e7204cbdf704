// If, Loop and Scan. Every operation is pure, so that both branches of a
// condition may be computed; loops are unrolled, which asks for a known number
// of steps.

#include "Importer.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Steps that a loop may have, and nodes that all of them together may become.
static constexpr int64_t kMaxSteps = 1024;
static constexpr int64_t kMaxUnrolledNodes = 100'000;

static const onnx::Attribute *findAttribute(const Node &node, StringRef name) {
  for (const onnx::Attribute &attribute : node.attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

/// Graphs in attributes and the nodes in them, all the way down.
static int64_t countNodes(const Graph &graph) {
  int64_t count = graph.nodes.size();
  for (const Node &node : graph.nodes)
    for (const onnx::Attribute &attribute : node.attributes)
      if (attribute.graph)
        count += countNodes(*attribute.graph);
  return count;
}

/// A known condition; nothing if it is computed from the inputs.
static std::optional<bool> knownBool(Value value) {
  std::optional<Literal> known = readLiteral(value);
  if (!known || known->isFloat() || known->size() != 1)
    return std::nullopt;
  return known->integers.front() != 0;
}

FailureOr<SmallVector<Definition>>
Importer::importBody(const Graph &graph, ArrayRef<Value> arguments,
                     const Scope &outer, Location loc) {
  Scope body;
  body.parent = &outer;
  body.operatorSets = outer.operatorSets;
  body.path = cast<NameLoc>(loc).getName().str();
  for (const auto &entry : outer.functionAttributes)
    body.functionAttributes[entry.first()] = entry.second;
  if (graph.inputs.size() != arguments.size())
    return heddle::emitError(loc, ErrorCode::OnnxNode)
           << "the body takes " << graph.inputs.size() << " inputs, not "
           << arguments.size();
  for (auto [input, value] : llvm::zip_equal(graph.inputs, arguments)) {
    Definition definition;
    definition.value = value;
    if (failed(define(input.name, definition, body, loc)))
      return failure();
  }
  if (failed(addInitializers(graph, body)) ||
      failed(importNodes(graph.nodes, body)))
    return failure();
  SmallVector<Definition> results;
  for (const ValueInfo &output : graph.outputs) {
    Definition *definition = lookup(output.name, body);
    if (!definition)
      return heddle::emitError(loc, ErrorCode::OnnxGraph)
             << "nothing defines the output '" << output.name
             << "' of the body";
    if (!definition->isPoisoned && failed(materialize(*definition, loc)))
      return failure();
    results.push_back(*definition);
  }
  return results;
}

LogicalResult Importer::poisonOutputs(const Node &node, Scope &scope,
                                      Location loc) {
  Definition poisoned;
  poisoned.isPoisoned = true;
  for (StringRef output : node.outputs)
    if (failed(define(output, poisoned, scope, loc)))
      return failure();
  return success();
}

LogicalResult Importer::refuse(const Node &node, Scope &scope, Location loc,
                               const Twine &why) {
  report(loc, node.domain, node.op, operatorSetOf(scope.operatorSets, ""), why);
  return poisonOutputs(node, scope, loc);
}

static bool anyPoisoned(ArrayRef<Definition> definitions) {
  return llvm::any_of(definitions,
                      [](const Definition &d) { return d.isPoisoned; });
}

LogicalResult Importer::importIf(const Node &node, ArrayRef<Value> operands,
                                 Scope &scope, Location loc) {
  const onnx::Attribute *onTrue = findAttribute(node, "then_branch");
  const onnx::Attribute *onFalse = findAttribute(node, "else_branch");
  if (!onTrue || !onFalse || !onTrue->graph || !onFalse->graph ||
      !operands[0] || !Emitter::elementOf(operands[0]).isInteger(1) ||
      Emitter::typeOf(operands[0]).getNumElements() != 1)
    return heddle::emitError(loc, ErrorCode::OnnxNode)
           << "If needs two branches and one condition of type bool";

  auto importBranch =
      [&](const onnx::Attribute &branch) -> FailureOr<SmallVector<Definition>> {
    FailureOr<SmallVector<Definition>> results =
        importBody(*branch.graph, {}, scope, loc);
    if (succeeded(results) && results->size() != node.outputs.size())
      return heddle::emitError(loc, ErrorCode::OnnxNode)
             << "a branch has " << results->size() << " outputs, the node "
             << node.outputs.size();
    return results;
  };
  SmallVector<Definition> results;
  if (std::optional<bool> known = knownBool(operands[0])) {
    FailureOr<SmallVector<Definition>> taken =
        importBranch(*known ? *onTrue : *onFalse);
    if (failed(taken))
      return failure();
    results = std::move(*taken);
  } else {
    FailureOr<SmallVector<Definition>> first = importBranch(*onTrue);
    if (failed(first))
      return failure();
    FailureOr<SmallVector<Definition>> second = importBranch(*onFalse);
    if (failed(second))
      return failure();
    if (anyPoisoned(*first) || anyPoisoned(*second))
      return poisonOutputs(node, scope, loc);
    Emitter emit(builder, loc, *decompositions);
    Value condition = emit.reshape(operands[0], {});
    for (auto [left, right] : llvm::zip_equal(*first, *second)) {
      if (left.value.getType() != right.value.getType())
        return refuse(node, scope, loc,
                      "the branches give values of different shapes, and the "
                      "condition is computed from the inputs");
      Definition chosen;
      chosen.value =
          emit.select(emit.broadcastTo(condition, Emitter::shapeOf(left.value)),
                      left.value, right.value);
      results.push_back(chosen);
    }
  }
  for (auto [name, result] : llvm::zip_equal(node.outputs, results))
    if (failed(define(name, result, scope, loc)))
      return failure();
  return success();
}

LogicalResult Importer::importLoop(const Node &node, ArrayRef<Value> operands,
                                   Scope &scope, Location loc) {
  const onnx::Attribute *body = findAttribute(node, "body");
  if (!body || !body->graph || operands.size() < 2 ||
      llvm::is_contained(operands.drop_front(2), Value()) ||
      body->graph->outputs.size() + 1 < operands.size() ||
      node.outputs.size() + 1 != body->graph->outputs.size())
    return heddle::emitError(loc, ErrorCode::OnnxNode)
           << "the loop's body does not fit its inputs and outputs";
  std::optional<bool> goesOn = true;
  int64_t steps = kMaxSteps + 1;
  if (operands[0]) {
    std::optional<Literal> count = readLiteral(operands[0]);
    if (!count || count->isFloat() || count->size() != 1)
      return refuse(node, scope, loc,
                    "the number of steps is computed from the inputs");
    steps = std::max<int64_t>(count->integers.front(), 0);
  }
  if (operands[1])
    goesOn = knownBool(operands[1]);

  Emitter emit(builder, loc, *decompositions);
  SmallVector<Value> carried(operands.drop_front(2));
  SmallVector<SmallVector<Value>> stacked(node.outputs.size() - carried.size());
  Value condition =
      emit.splatInteger(RankedTensorType::get({}, builder.getI1Type()), 1);
  int64_t nodes = countNodes(*body->graph);
  for (int64_t step = 0; step < steps; ++step) {
    if (!goesOn)
      return refuse(node, scope, loc,
                    "whether the loop goes on is computed from the inputs");
    if (!*goesOn)
      break;
    if (step == kMaxSteps || step * nodes > kMaxUnrolledNodes)
      return refuse(node, scope, loc,
                    "the loop has too many steps to be unrolled");
    SmallVector<Value> arguments{
        emit.splatInteger(RankedTensorType::get({}, builder.getI64Type()),
                          step),
        condition};
    arguments.append(carried);
    FailureOr<SmallVector<Definition>> results =
        importBody(*body->graph, arguments, scope, loc);
    if (failed(results))
      return failure();
    if (anyPoisoned(*results))
      return poisonOutputs(node, scope, loc);
    condition = results->front().value;
    goesOn = knownBool(condition);
    for (size_t i = 0; i < carried.size(); ++i)
      carried[i] = (*results)[1 + i].value;
    for (size_t i = 0; i < stacked.size(); ++i)
      stacked[i].push_back((*results)[1 + carried.size() + i].value);
  }
  for (SmallVector<Value> &pieces : stacked) {
    FailureOr<Value> joined = stack(emit, pieces, /*axis=*/0);
    if (failed(joined))
      return refuse(node, scope, loc,
                    "what the steps give cannot be put together");
    carried.push_back(*joined);
  }
  for (auto [name, value] : llvm::zip_equal(node.outputs, carried)) {
    Definition definition;
    definition.value = value;
    if (failed(define(name, definition, scope, loc)))
      return failure();
  }
  return success();
}

FailureOr<Value> Importer::stack(Emitter &emit, ArrayRef<Value> pieces,
                                 int64_t axis) {
  if (pieces.empty())
    return failure();
  int64_t rank = Emitter::typeOf(pieces.front()).getRank() + 1;
  if (axis < -rank || axis >= rank)
    return failure();
  axis = axis < 0 ? axis + rank : axis;
  SmallVector<Value> slices;
  for (Value piece : pieces) {
    if (piece.getType() != pieces.front().getType())
      return failure();
    OwnedExtents shape(Emitter::shapeOf(piece));
    shape.insert(shape.begin() + axis, 1);
    slices.push_back(emit.reshape(piece, shape));
  }
  Value joined = emit.concatenate(slices, axis);
  if (emit.hasFault())
    return failure();
  return joined;
}

LogicalResult Importer::importScan(const Node &node, ArrayRef<Value> operands,
                                   Scope &scope, Location loc) {
  const onnx::Attribute *body = findAttribute(node, "body");
  const onnx::Attribute *count = findAttribute(node, "num_scan_inputs");
  int64_t scanned = count ? count->i : 0;
  int64_t states = int64_t(operands.size()) - scanned;
  auto list = [&](StringRef name, int64_t size) {
    const onnx::Attribute *attribute = findAttribute(node, name);
    SmallVector<int64_t> values =
        attribute ? readInts(*attribute) : SmallVector<int64_t>(size, 0);
    values.resize(size, 0);
    return values;
  };
  if (!body || !body->graph || scanned < 1 || states < 0 ||
      llvm::is_contained(operands, Value()) ||
      body->graph->outputs.size() != node.outputs.size() ||
      int64_t(node.outputs.size()) < states)
    return heddle::emitError(loc, ErrorCode::OnnxNode)
           << "the scan's body does not fit its inputs and outputs";
  int64_t stackedCount = int64_t(node.outputs.size()) - states;
  SmallVector<int64_t> axes = list("scan_input_axes", scanned);
  SmallVector<int64_t> backwards = list("scan_input_directions", scanned);
  SmallVector<int64_t> outAxes = list("scan_output_axes", stackedCount);
  SmallVector<int64_t> outBackwards =
      list("scan_output_directions", stackedCount);
  int64_t steps = -1;
  for (int64_t i = 0; i < scanned; ++i) {
    RankedTensorType type = Emitter::typeOf(operands[states + i]);
    if (axes[i] < -type.getRank() || axes[i] >= type.getRank())
      return heddle::emitError(loc, ErrorCode::OnnxNode)
             << "scan_input_axes are outside the inputs";
    axes[i] = axes[i] < 0 ? axes[i] + type.getRank() : axes[i];
    if (steps >= 0 && steps != type.getDimSize(axes[i]))
      return heddle::emitError(loc, ErrorCode::OnnxNode)
             << "the inputs differ in their number of steps";
    steps = type.getDimSize(axes[i]);
  }
  if (steps > kMaxSteps || steps * countNodes(*body->graph) > kMaxUnrolledNodes)
    return refuse(node, scope, loc,
                  "the scan has too many steps to be unrolled");

  Emitter emit(builder, loc, *decompositions);
  SmallVector<Value> carried(operands.take_front(states));
  SmallVector<SmallVector<Value>> stacked(stackedCount);
  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<Value> arguments(carried);
    for (int64_t i = 0; i < scanned; ++i) {
      int64_t at = backwards[i] ? steps - 1 - step : step;
      Value whole = operands[states + i];
      OwnedExtents shape(Emitter::shapeOf(whole));
      shape.erase(shape.begin() + axes[i]);
      arguments.push_back(
          emit.reshape(emit.sliceDim(whole, axes[i], at, at + 1), shape));
    }
    FailureOr<SmallVector<Definition>> results =
        importBody(*body->graph, arguments, scope, loc);
    if (failed(results))
      return failure();
    if (anyPoisoned(*results))
      return poisonOutputs(node, scope, loc);
    for (int64_t i = 0; i < states; ++i)
      carried[i] = (*results)[i].value;
    for (int64_t i = 0; i < stackedCount; ++i)
      stacked[i].push_back((*results)[states + i].value);
  }
  for (auto [i, pieces] : llvm::enumerate(stacked)) {
    if (outBackwards[i])
      std::reverse(pieces.begin(), pieces.end());
    FailureOr<Value> joined = stack(emit, pieces, outAxes[i]);
    if (failed(joined))
      return refuse(node, scope, loc,
                    "what the steps give cannot be put together");
    carried.push_back(*joined);
  }
  for (auto [name, value] : llvm::zip_equal(node.outputs, carried)) {
    Definition definition;
    definition.value = value;
    if (failed(define(name, definition, scope, loc)))
      return failure();
  }
  return success();
}

void heddle::onnx::addControl(OperatorTable &table) {
  // Imported by the walk itself, which knows the scopes.
  table.add("If", {13, 16, 19, 21, 23, 24, 25}, 1, 1, nullptr, kAnyNumber);
  table.add("Loop", {13, 16, 19, 21, 23, 24, 25}, 2, kAnyNumber, nullptr,
            kAnyNumber);
  table.add("Scan", {11, 16, 19, 21, 23, 24, 25}, 1, kAnyNumber, nullptr,
            kAnyNumber);
}
