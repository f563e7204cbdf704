// Rules of operations that take, put and join parts of tensors.

#include "dialects/Sharding/RuleRegistration.h"
#include "dialects/Sharding/Samples.h"

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle::sharding {

//===----------------------------------------------------------------------===//
// Static parts
//===----------------------------------------------------------------------===//

static FactorRule ofSlice(SliceOp op) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> from = shapeOf(op.getOperand()),
                    to = shapeOf(op.getResult());
  for (auto [dim, size] : llvm::enumerate(from))
    builder.addAll(dim, size,
                   size == to[dim] ? FactorKind::PassThrough
                                   : FactorKind::Halo);
  return builder.build();
}

static FactorRule ofPad(PadOp op) {
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getOperand()))) {
    bool isPadded = op.getEdgePaddingLow()[dim] ||
                    op.getEdgePaddingHigh()[dim] ||
                    op.getInteriorPadding()[dim];
    builder.add({int64_t(dim), -1}, {int64_t(dim)}, size,
                isPadded ? FactorKind::Halo : FactorKind::PassThrough);
  }
  return builder.build();
}

/// Whether pieces of what is joined can be had from neighbours: all are slices,
/// or slices of the one tensor that is joined besides.
static bool joinsNeighbours(ConcatenateOp op) {
  Value other;
  SmallVector<Value> sliced;
  bool sameOther = true;
  for (Value input : op.getInputs()) {
    if (auto slice = input.getDefiningOp<SliceOp>()) {
      sliced.push_back(slice.getOperand());
      continue;
    }
    sameOther &= !other || other == input;
    other = input;
  }
  if (sliced.empty() || !sameOther)
    return false;
  return !other ||
         llvm::all_of(sliced, [&](Value from) { return from == other; });
}

static FactorRule ofConcatenate(ConcatenateOp op) {
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult()))) {
    if (int64_t(dim) != int64_t(op.getDimension()))
      builder.addAll(dim, size);
    else
      builder.addAll(dim, size,
                     joinsNeighbours(op) ? FactorKind::Permutation
                                         : FactorKind::NeedReplication);
  }
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Parts whose place is data
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> behind(ArrayRef<int64_t> first, Operation *op) {
  SmallVector<int64_t> dims(first);
  dims.resize(op->getNumOperands(), -1);
  return dims;
}

static FactorRule ofDynamicSlice(DynamicSliceOp op) {
  RuleBuilder builder(op);
  for (auto [at, size] : llvm::enumerate(shapeOf(op.getOperand()))) {
    int64_t dim = at;
    bool isPart = op.getSliceSizes()[dim] != size;
    builder.add(behind({dim}, op), {dim}, size,
                isPart ? FactorKind::NeedReplication : FactorKind::PassThrough,
                isPart);
  }
  return builder.build();
}

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && (isa<sdy::ConstantOp>(op) || matchPattern(op, m_Constant()));
}

static FactorRule ofDynamicUpdateSlice(DynamicUpdateSliceOp op) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> update = shapeOf(op.getUpdate());
  bool isFixed = llvm::all_of(op.getStartIndices(), isConstant);
  for (auto [at, size] : llvm::enumerate(shapeOf(op.getOperand()))) {
    int64_t dim = at;
    if (update[dim] == size) {
      builder.add(behind({dim, dim}, op), {dim}, size);
      continue;
    }
    builder.add(behind({dim, -1}, op), {dim}, size);
    builder.add(behind({-1, dim}, op), {-1}, update[dim],
                isFixed ? FactorKind::PassThrough
                        : FactorKind::NeedReplication);
  }
  return builder.build();
}

void addSlicingRules(RuleRegistration &rules) {
  rules.add<SliceOp, ofSlice>(
      sample({"tensor<4x6x8xf32>"},
             "%r = stablehlo.slice %a [0:4, 1:4, 0:8:2] : "
             "(tensor<4x6x8xf32>) -> tensor<4x3x4xf32>",
             "tensor<4x3x4xf32>"));
  rules.add<PadOp, ofPad>(
      sample({"tensor<4x6xf32>", "tensor<f32>"},
             "%r = stablehlo.pad %a, %b, low = [0, 1], high = [0, -2], "
             "interior = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> "
             "tensor<4x10xf32>",
             "tensor<4x10xf32>"));
  rules.add<ConcatenateOp, ofConcatenate>(
      sample({"tensor<4x6xf32>", "tensor<4x2xf32>"},
             "%r = stablehlo.concatenate %a, %b, dim = 1 : "
             "(tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<4x8xf32>",
             "tensor<4x8xf32>"));
  rules.add<DynamicSliceOp, ofDynamicSlice>(
      sample({"tensor<4x6xf32>"},
             R"(%i = stablehlo.constant dense<2> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.dynamic_slice %a, %z, %i, sizes = [4, 3] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>)",
             "tensor<4x3xf32>"));
  rules.add<DynamicUpdateSliceOp, ofDynamicUpdateSlice>(
      sample({"tensor<4x6xf32>", "tensor<4x3xf32>", "tensor<i32>"},
             R"(%z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %a, %b, %z, %c : (tensor<4x6xf32>, tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>)",
             "tensor<4x6xf32>"));
}

} // namespace heddle::sharding
