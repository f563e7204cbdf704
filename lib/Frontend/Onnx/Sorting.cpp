// Operators that order elements.

#include "ComputedShapes.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// k as a scalar of 32 bits: one that is more than there is stays so.
static Value countOf(NodeImporter &node, const Extent &extent) {
  Emitter &emit = node.emit;
  Value k = emit.reshape(node.operand(1), {});
  Value most = emit.splatLike(k, double(extent.bound()) + 1);
  Value isMore = emit.compare(k, emit.numberLike(k, extent),
                              stablehlo::ComparisonDirection::GT);
  k = emit.maximum(emit.select(isMore, most, k), emit.splatLike(k, -1));
  return emit.convert(k, node.builder().getI32Type());
}

/// The first k of a stable sort along the axis, with their positions. Without
/// `sorted` any order is allowed, so this one is too.
static LogicalResult importTopK(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t axis =
      node.normalizeAxis(node.integerAttribute("axis", -1), node.rank(0));
  bool largest = node.integerAttribute("largest", 1) != 0;
  (void)node.integerAttribute("sorted", 1);
  std::optional<Extent> k;
  Value count;
  if (node.version() >= 10 && isComputed(node, 1) && emit.mayComputeSizes()) {
    Extent extent = node.shape(0)[axis];
    count = countOf(node, extent);
    k = emit.computedExtent(extent.bound(), count);
  } else if (node.version() < 10)
    k = node.integerAttribute("k", -1);
  else if (node.has(1))
    k = node.size(1, "k");
  else
    return node.invalid("k is missing");
  if (emit.hasFault() || !k)
    return failure();
  Extent extent = node.shape(0)[axis];
  if (!count &&
      (!k->wantNotNegative(k->text() + " >= 0") ||
       !(extent - *k).wantNotNegative(k->text() + " <= " + extent.text())))
    return node.invalid("k = " + k->text() + " of an extent of " +
                        extent.text());
  Value positions =
      emit.iota(emit.type(node.shape(0), node.builder().getI64Type()), axis);
  auto [values, indices] =
      emit.sortPairs(node.operand(0), positions, axis, largest);
  auto first = [&](Value value) {
    return count ? emit.firstOf(value, axis, *k, count)
                 : emit.sliceDim(value, axis, 0, *k);
  };
  node.set(0, first(values));
  node.set(1, first(indices));
  return success();
}

void heddle::onnx::addSorting(OperatorTable &table) {
  table.add("TopK", {1, 10, 11, 24}, 1, 2, importTopK, 2);
}
