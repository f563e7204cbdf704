// What is checked of a model before a single op is made: operator sets,
// functions, and whether every operator is known.

#include "Importer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Nodes after all calls are expanded. A chain of functions that each call the
/// one before twice doubles at each step.
static constexpr uint64_t kMaxNodes = 1'000'000;

LogicalResult Importer::checkModel() {
  if (failed(checkOperatorSets(model.operatorSets, "the model")) ||
      failed(checkFunctions()))
    return failure();
  return checkShapeOptions();
}

LogicalResult Importer::checkOperatorSets(ArrayRef<OperatorSet> sets,
                                          StringRef where) {
  int64_t version = operatorSetOf(sets, "");
  if (version == 0 ||
      (version >= kFirstOperatorSet && version <= kLastOperatorSet))
    return success();
  return heddle::emitError(modelLocation(), ErrorCode::OnnxOpset)
         << where << " uses operator set " << version
         << " of the default domain; " << kFirstOperatorSet << " to "
         << kLastOperatorSet << " are read";
}

/// Domain, name and overload in one; none of them holds a NUL that could make
/// two equal.
static std::string functionKey(StringRef domain, StringRef name,
                               StringRef overload) {
  std::string key = isDefaultDomain(domain) ? "" : domain.str();
  key += '\0';
  key += name;
  key += '\0';
  key += overload;
  return key;
}

const Function *Importer::lookupFunction(const Node &node) const {
  if (functions.empty())
    return nullptr;
  return functions.lookup(functionKey(node.domain, node.op, node.overload));
}

namespace {
/// Counts the nodes that a call of each function becomes; finds recursion.
class Expansion {
public:
  using Lookup = llvm::function_ref<const Function *(const Node &)>;
  explicit Expansion(Lookup lookup) : lookup(lookup) {}

  /// Nothing for a function that calls itself, and for calls nested too deeply.
  std::optional<uint64_t> count(ArrayRef<Node> nodes) {
    if (depth == kMaxDepth)
      return std::nullopt;
    ++depth;
    uint64_t total = 0;
    for (const Node &node : nodes) {
      std::optional<uint64_t> one = count(node);
      if (!one)
        return std::nullopt;
      total = llvm::SaturatingAdd(total, *one);
    }
    --depth;
    return total;
  }

private:
  std::optional<uint64_t> count(const Node &node) {
    uint64_t total = 1;
    for (const onnx::Attribute &attribute : node.attributes) {
      if (!attribute.graph)
        continue;
      std::optional<uint64_t> inner = count(attribute.graph->nodes);
      if (!inner)
        return std::nullopt;
      total = llvm::SaturatingAdd(total, *inner);
    }
    const Function *function = lookup(node);
    if (!function)
      return total;
    auto [entry, isNew] = counts.try_emplace(function, std::nullopt);
    if (isNew) {
      std::optional<uint64_t> inner = count(function->nodes);
      if (!inner)
        return std::nullopt;
      counts[function] = inner;
      return llvm::SaturatingAdd(total, *inner);
    }
    // Met again before its own count was known: it calls itself.
    if (!entry->second)
      return std::nullopt;
    return llvm::SaturatingAdd(total, *entry->second);
  }

  /// Calls and graphs within each other; the walks after this one recurse as
  /// deeply.
  static constexpr int kMaxDepth = 128;
  int depth = 0;
  Lookup lookup;
  llvm::DenseMap<const Function *, std::optional<uint64_t>> counts;
};
} // namespace

LogicalResult Importer::checkFunctions() {
  for (const Function &function : model.functions) {
    if (failed(checkOperatorSets(function.operatorSets,
                                 "function '" + function.name.str() + "'")))
      return failure();
    if (!functions
             .try_emplace(
                 functionKey(function.domain, function.name, function.overload),
                 &function)
             .second)
      return heddle::emitError(modelLocation(), ErrorCode::OnnxFunction)
             << "function '" << function.name << "' is defined twice";
  }
  auto lookup = [this](const Node &node) { return lookupFunction(node); };
  std::optional<uint64_t> nodes = Expansion(lookup).count(model.graph.nodes);
  if (!nodes)
    return heddle::emitError(modelLocation(), ErrorCode::OnnxFunction)
           << "a model-local function calls itself, or calls nest too deeply";
  if (*nodes > kMaxNodes)
    return heddle::emitError(modelLocation(), ErrorCode::TooMany)
           << "the model has more than " << kMaxNodes
           << " nodes after its functions are expanded";
  return success();
}

void Importer::listUnknownOperators(ArrayRef<Node> nodes,
                                    ArrayRef<OperatorSet> sets,
                                    StringRef path) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node &node = nodes[i];
    Location loc = nodeLocation(node, i, path);
    std::string inner = cast<NameLoc>(loc).getName().str();
    if (const Function *function = lookupFunction(node)) {
      listUnknownOperators(function->nodes, function->operatorSets, inner);
      continue;
    }
    int64_t set = operatorSetOf(sets, node.domain);
    const Operator *op = operators.lookup(node.domain, node.op);
    if (!op)
      report(loc, node.domain, node.op, set,
             "heddle does not read this operator");
    else if (set == 0)
      report(loc, node.domain, node.op, set,
             "the model imports no operator set of this domain");
    else if (operatorVersion(*op, set) == 0)
      report(loc, node.domain, node.op, set,
             "the operator exists only since opset " +
                 Twine(op->versions.front()));
    for (const onnx::Attribute &attribute : node.attributes)
      if (attribute.graph)
        listUnknownOperators(attribute.graph->nodes, sets, inner);
  }
}
