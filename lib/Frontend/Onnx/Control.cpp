// Graphs in attributes: scopes and results of bodies, and If. A known condition
// takes its branch; an unknown one becomes stablehlo.if.

#include "Importer.h"
#include "LoopEmitter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Nodes that the bodies of all loops and branches together may become. A body
/// is imported once for every step that is unrolled.
static constexpr int64_t kMaxBodyNodes = 1'000'000;

const onnx::Attribute *heddle::onnx::findAttribute(const Node &node,
                                                   StringRef name) {
  for (const onnx::Attribute &attribute : node.attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

std::optional<bool> heddle::onnx::knownBool(Value value) {
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
  bodyNodes += graph.nodes.size();
  if (bodyNodes > kMaxBodyNodes)
    return heddle::emitError(loc, ErrorCode::TooMany)
           << "the bodies of loops and branches become more than "
           << kMaxBodyNodes << " nodes";
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

LogicalResult Importer::defineOutputs(const Node &node, ValueRange values,
                                      Scope &scope, Location loc) {
  for (auto [name, value] : llvm::zip_equal(node.outputs, values)) {
    Definition definition;
    definition.value = value;
    if (failed(defineResult(name, definition, scope, loc)))
      return failure();
  }
  return success();
}

bool heddle::onnx::anyPoisoned(ArrayRef<Definition> definitions) {
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
  if (std::optional<bool> known = knownBool(operands[0])) {
    FailureOr<SmallVector<Definition>> taken =
        importBranch(*known ? *onTrue : *onFalse);
    if (failed(taken))
      return failure();
    for (auto [name, result] : llvm::zip_equal(node.outputs, *taken))
      if (failed(defineResult(name, result, scope, loc)))
        return failure();
    return success();
  }

  bool isInvalid = false, isPoisoned = false, isList = false;
  auto values =
      [&](const onnx::Attribute &branch) -> std::optional<SmallVector<Value>> {
    FailureOr<SmallVector<Definition>> results = importBranch(branch);
    isInvalid |= failed(results);
    isPoisoned |= succeeded(results) && anyPoisoned(*results);
    if (isInvalid || isPoisoned)
      return std::nullopt;
    SmallVector<Value> values = llvm::map_to_vector(
        *results, [](const Definition &d) { return d.value; });
    isList |= llvm::any_of(values, isSequence);
    if (isList)
      return std::nullopt;
    return values;
  };
  Emitter emit(builder, loc, *decompositions);
  std::optional<SmallVector<Value>> results = emitIf(
      emit, emit.reshape(operands[0], {}), [&] { return values(*onTrue); },
      [&] { return values(*onFalse); });
  if (isInvalid)
    return failure();
  if (isPoisoned)
    return poisonOutputs(node, scope, loc);
  if (isList)
    return refuse(node, scope, loc,
                  "the branches give sequences, and the condition is computed "
                  "from the inputs");
  if (!results)
    return refuse(node, scope, loc,
                  "the branches give values of different types, and the "
                  "condition is computed from the inputs");
  return defineOutputs(node, *results, scope, loc);
}

void heddle::onnx::addControl(OperatorTable &table) {
  // Imported by the walk itself, which knows the scopes.
  table.add("If", {1, 11, 13, 16, 19, 21, 23, 24, 25}, 1, 1, nullptr,
            kAnyNumber);
  table.add("Loop", {1, 11, 13, 16, 19, 21, 23, 24, 25}, 2, kAnyNumber, nullptr,
            kAnyNumber);
  table.add("Scan", {8, 9, 11, 16, 19, 21, 23, 24, 25}, 1, kAnyNumber, nullptr,
            kAnyNumber);
}
