// Operators that order elements.

#include "NodeImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// The first k of a stable sort along the axis, with their positions. Without
/// `sorted` any order is allowed, so this one is too.
static LogicalResult importTopK(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t axis =
      node.normalizeAxis(node.integerAttribute("axis", -1), node.rank(0));
  bool largest = node.integerAttribute("largest", 1) != 0;
  (void)node.integerAttribute("sorted", 1);
  std::optional<Extent> k;
  if (node.version() < 10)
    k = node.integerAttribute("k", -1);
  else if (node.has(1))
    k = node.size(1, "k");
  else
    return node.invalid("k is missing");
  if (emit.hasFault() || !k)
    return failure();
  Extent extent = node.shape(0)[axis];
  if (!k->wantNotNegative(k->text() + " >= 0") ||
      !(extent - *k).wantNotNegative(k->text() + " <= " + extent.text()))
    return node.invalid("k = " + k->text() + " of an extent of " +
                        extent.text());
  Value positions =
      emit.iota(emit.type(node.shape(0), node.builder().getI64Type()), axis);
  auto [values, indices] =
      emit.sortPairs(node.operand(0), positions, axis, largest);
  node.set(0, emit.sliceDim(values, axis, 0, *k));
  node.set(1, emit.sliceDim(indices, axis, 0, *k));
  return success();
}

void heddle::onnx::addSorting(OperatorTable &table) {
  table.add("TopK", {1, 10, 11, 24}, 1, 2, importTopK, 2);
}
