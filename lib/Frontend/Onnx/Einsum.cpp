// Einsum: products of operands with named dimensions, summed over those that
// the result does not have.

#include "NodeImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// A value whose dimensions have labels: letters, and small numbers for those
/// that an ellipsis stands for.
struct Labelled {
  Value value;
  SmallVector<int> labels;
};

/// The labels of one operand or result; an ellipsis takes `hidden` dimensions.
std::optional<SmallVector<int>> parseLabels(StringRef text, int64_t hidden) {
  SmallVector<int> labels;
  bool sawEllipsis = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ')
      continue;
    if (text.substr(i).starts_with("...") && !sawEllipsis) {
      for (int64_t d = 0; d < hidden; ++d)
        labels.push_back(int(d));
      sawEllipsis = true;
      i += 2;
      continue;
    }
    if (!llvm::isAlpha(text[i]))
      return std::nullopt;
    labels.push_back(text[i] + 256);
  }
  return labels;
}

int64_t lettersIn(StringRef text) {
  return llvm::count_if(text, [](char c) { return llvm::isAlpha(c); });
}

/// A label that occurs twice in one operand means its diagonal: what lies off
/// it becomes zero, and one of the two dimensions is summed away.
Labelled takeDiagonals(Emitter &emit, Labelled operand) {
  for (size_t i = 0; i < operand.labels.size(); ++i) {
    for (size_t j = i + 1; j < operand.labels.size();) {
      if (operand.labels[i] != operand.labels[j]) {
        ++j;
        continue;
      }
      Value x = operand.value;
      if (!Extent::meet(emit.shapeOf(x)[i], emit.shapeOf(x)[j])) {
        emit.fault(ErrorCode::OnnxNode,
                   "a label stands for two different extents");
        return operand;
      }
      RankedTensorType positions =
          emit.type(emit.shapeOf(x), emit.builder.getI64Type());
      Value isDiagonal =
          emit.compare(emit.iota(positions, i), emit.iota(positions, j),
                       stablehlo::ComparisonDirection::EQ);
      x = emit.select(isDiagonal, x, emit.splatLike(x, 0));
      operand.value = emit.reduce(x, int64_t(j), Combine::Add);
      operand.labels.erase(operand.labels.begin() + j);
    }
  }
  return operand;
}

/// Sums away the labels that nothing after this operand needs.
Labelled sumAway(Emitter &emit, Labelled operand,
                 llvm::function_ref<bool(int)> isNeeded) {
  OwnedExtents dims;
  SmallVector<int> kept;
  for (auto [i, label] : llvm::enumerate(operand.labels)) {
    if (isNeeded(label))
      kept.push_back(label);
    else
      dims.push_back(i);
  }
  return {emit.reduce(operand.value, dims, Combine::Add), kept};
}

/// Dimensions of extent 1 that broadcast against a larger one of the other
/// operand are dropped.
Labelled dropOnes(Emitter &emit, Labelled operand, const Labelled &other) {
  Shape shape;
  SmallVector<int> kept;
  for (auto [i, label] : llvm::enumerate(operand.labels)) {
    Extent extent = emit.shapeOf(operand.value)[i];
    auto *match = llvm::find(other.labels, label);
    bool drops = extent.is(1) && match != other.labels.end() &&
                 !emit.shapeOf(other.value)[match - other.labels.begin()].is(1);
    if (drops)
      continue;
    shape.push_back(extent);
    kept.push_back(label);
  }
  return {emit.reshape(operand.value, shape), kept};
}

/// The product of two operands; labels in both stay as batches if they are
/// needed later, otherwise they are contracted.
Labelled multiply(Emitter &emit, Labelled lhs, Labelled rhs,
                  llvm::function_ref<bool(int)> isNeeded) {
  auto neededWith = [&](const Labelled &other) {
    return [&](int label) {
      return isNeeded(label) || llvm::is_contained(other.labels, label);
    };
  };
  Labelled left = dropOnes(emit, lhs, rhs), right = dropOnes(emit, rhs, lhs);
  left = sumAway(emit, left, neededWith(right));
  right = sumAway(emit, right, neededWith(left));
  OwnedExtents leftBatch, rightBatch, leftContract, rightContract;
  Labelled result;
  for (auto [i, label] : llvm::enumerate(left.labels)) {
    auto *match = llvm::find(right.labels, label);
    if (match == right.labels.end())
      continue;
    int64_t j = match - right.labels.begin();
    if (isNeeded(label)) {
      leftBatch.push_back(i);
      rightBatch.push_back(j);
      result.labels.push_back(label);
    } else {
      leftContract.push_back(i);
      rightContract.push_back(j);
    }
  }
  for (int label : left.labels)
    if (!llvm::is_contained(right.labels, label))
      result.labels.push_back(label);
  for (int label : right.labels)
    if (!llvm::is_contained(left.labels, label))
      result.labels.push_back(label);
  result.value = emit.dotGeneral(left.value, right.value, leftBatch, rightBatch,
                                 leftContract, rightContract);
  return result;
}

/// Without an arrow: the ellipsis first, then the letters that occur once, in
/// alphabetical order.
std::string impliedResult(StringRef operands) {
  std::string result = operands.contains("...") ? "..." : "";
  for (int c = 0; c < 128; ++c)
    if (llvm::isAlpha(char(c)) && operands.count(char(c)) == 1)
      result += char(c);
  return result;
}

LogicalResult importEinsum(NodeImporter &node) {
  Emitter &emit = node.emit;
  StringRef equation = node.stringAttribute("equation", "");
  auto [inputs, arrowResult] = equation.split("->");
  std::string resultText =
      equation.contains("->") ? arrowResult.str() : impliedResult(inputs);
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  if (terms.size() != node.numOperands())
    return node.invalid("equation '" + equation + "' has " +
                        Twine(terms.size()) + " terms for " +
                        Twine(node.numOperands()) + " operands");

  // Dimensions under an ellipsis align at the right.
  int64_t hidden = 0;
  for (auto [i, term] : llvm::enumerate(terms))
    if (term.contains("..."))
      hidden = std::max(hidden, node.rank(i) - lettersIn(term));
  SmallVector<Labelled> operands;
  for (auto [i, term] : llvm::enumerate(terms)) {
    int64_t own = node.rank(i) - lettersIn(term);
    std::optional<SmallVector<int>> labels = parseLabels(term, own);
    if (!labels || own < 0 || int64_t(labels->size()) != node.rank(i))
      return node.invalid("equation '" + equation +
                          "' does not fit an operand of the shape " +
                          spellShape(node.shape(i)));
    for (int &label : *labels)
      if (label < 256)
        label += int(hidden - own);
    operands.push_back(takeDiagonals(emit, {node.operand(i), *labels}));
  }
  std::optional<SmallVector<int>> wanted = parseLabels(resultText, hidden);
  if (!wanted || emit.hasFault())
    return node.invalid("equation '" + equation + "' has no result");

  Labelled result = operands.front();
  for (size_t i = 1; i <= operands.size(); ++i) {
    auto later =
        ArrayRef(operands).drop_front(std::min(i + 1, operands.size()));
    auto isNeeded = [&](int label) {
      if (llvm::is_contained(*wanted, label))
        return true;
      return llvm::any_of(later, [label](const Labelled &operand) {
        return llvm::is_contained(operand.labels, label);
      });
    };
    result = i < operands.size() ? multiply(emit, result, operands[i], isNeeded)
                                 : sumAway(emit, result, isNeeded);
    if (emit.hasFault())
      return failure();
  }
  OwnedExtents order;
  for (int label : *wanted) {
    auto *match = llvm::find(result.labels, label);
    if (match == result.labels.end())
      return node.invalid("equation '" + equation +
                          "' has a label only in its result");
    order.push_back(match - result.labels.begin());
  }
  if (order.size() != result.labels.size())
    return node.invalid("equation '" + equation +
                        "' repeats a label in its "
                        "result");
  return node.result(emit.transpose(result.value, order));
}

} // namespace

void heddle::onnx::addEinsum(OperatorTable &table) {
  table.add("Einsum", {12, 28}, 1, kAnyNumber, importEinsum);
}
