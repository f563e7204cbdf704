// Rules of operations whose places are data.

#include "dialects/Sharding/RuleRegistration.h"
#include "dialects/Sharding/Samples.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle::sharding {

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// The dimensions of indices that are not the vector of an index.
static SmallVector<int64_t> placesOf(ArrayRef<int64_t> indices,
                                     int64_t vectorDim) {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < int64_t(indices.size()); ++dim)
    if (dim != vectorDim)
      dims.push_back(dim);
  return dims;
}

static FactorRule ofGather(GatherOp op) {
  RuleBuilder builder(op);
  auto numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> from = shapeOf(op.getOperand());
  ArrayRef<int64_t> indices = shapeOf(op.getStartIndices());
  ArrayRef<int64_t> to = shapeOf(op.getResult());
  ArrayRef<int64_t> offsets = numbers.getOffsetDims();
  ArrayRef<int64_t> collapsed = numbers.getCollapsedSliceDims();
  ArrayRef<int64_t> batching = numbers.getOperandBatchingDims();
  ArrayRef<int64_t> indexBatching = numbers.getStartIndicesBatchingDims();
  int64_t vectorDim = numbers.getIndexVectorDim();
  SmallVector<int64_t> places = placesOf(indices, vectorDim);

  // One result for each place; batches are of the operand, too.
  SmallVector<int64_t> placeDims;
  for (int64_t dim = 0; dim < int64_t(to.size()); ++dim)
    if (!llvm::is_contained(offsets, dim))
      placeDims.push_back(dim);
  for (auto [place, result] : llvm::zip_equal(places, placeDims)) {
    const int64_t *batch = llvm::find(indexBatching, place);
    int64_t operandDim = batch == indexBatching.end()
                             ? -1
                             : batching[batch - indexBatching.begin()];
    builder.add({operandDim, place}, {result}, indices[place]);
  }
  // What is taken at a place: whole dimensions pass through, parts do not.
  size_t next = 0;
  for (int64_t dim = 0; dim < int64_t(from.size()); ++dim) {
    if (llvm::is_contained(collapsed, dim) || llvm::is_contained(batching, dim))
      continue;
    int64_t result = offsets[next++];
    int64_t taken = op.getSliceSizes()[dim];
    if (taken == from[dim]) {
      builder.add({dim, -1}, {result}, taken);
    } else if (taken == 1) {
      builder.add({dim, -1}, {-1}, from[dim], FactorKind::Reduction);
      builder.add({-1, -1}, {result}, 1, FactorKind::NeedReplication);
    } else {
      builder.add({dim, -1}, {result}, from[dim], FactorKind::NeedReplication,
                  true);
    }
  }
  // Each device looks for the places that it has; all others give zero.
  for (int64_t dim : collapsed)
    builder.add({dim, -1}, {-1}, from[dim],
                from[dim] == 1 ? FactorKind::NeedReplication
                               : FactorKind::Reduction);
  if (vectorDim < int64_t(indices.size()))
    builder.add({-1, vectorDim}, {-1}, indices[vectorDim],
                FactorKind::NeedReplication);
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// Whether terms that are scattered separately can be joined: by one operation
/// of a sum, a product, a maximum and so on for each result, the same for all.
static bool joinsTerms(Region &body) {
  Operation *end = body.front().getTerminator();
  std::optional<OperationName> kind;
  for (Value value : end->getOperands()) {
    Operation *op = value.getDefiningOp();
    if (!op || !isa<AddOp, MulOp, MaxOp, MinOp, AndOp, OrOp, XorOp>(op) ||
        (kind && *kind != op->getName()))
      return false;
    kind = op->getName();
  }
  return kind.has_value();
}

static FactorRule ofScatter(ScatterOp op) {
  RuleBuilder builder(op);
  auto numbers = op.getScatterDimensionNumbers();
  size_t count = op.getInputs().size();
  ArrayRef<int64_t> into = shapeOf(op.getInputs().front());
  ArrayRef<int64_t> indices = shapeOf(op.getScatterIndices());
  ArrayRef<int64_t> update = shapeOf(op.getUpdates().front());
  ArrayRef<int64_t> windows = numbers.getUpdateWindowDims();
  ArrayRef<int64_t> inserted = numbers.getInsertedWindowDims();
  ArrayRef<int64_t> batching = numbers.getInputBatchingDims();
  ArrayRef<int64_t> indexBatching = numbers.getScatterIndicesBatchingDims();
  int64_t vectorDim = numbers.getIndexVectorDim();
  FactorKind joined = joinsTerms(op.getUpdateComputation())
                          ? FactorKind::Reduction
                          : FactorKind::NeedReplication;

  auto add = [&](int64_t inputDim, int64_t indexDim, int64_t updateDim,
                 int64_t size, FactorKind kind = FactorKind::PassThrough) {
    SmallVector<int64_t> operands(count, inputDim);
    operands.push_back(indexDim);
    operands.append(count, updateDim);
    builder.add(operands, SmallVector<int64_t>(count, inputDim), size, kind);
  };
  SmallVector<int64_t> places = placesOf(indices, vectorDim), placeDims;
  for (int64_t dim = 0; dim < int64_t(update.size()); ++dim)
    if (!llvm::is_contained(windows, dim))
      placeDims.push_back(dim);
  for (auto [place, dim] : llvm::zip_equal(places, placeDims)) {
    const int64_t *batch = llvm::find(indexBatching, place);
    if (batch == indexBatching.end())
      add(-1, place, dim, indices[place], joined);
    else
      add(batching[batch - indexBatching.begin()], place, dim, indices[place]);
  }
  size_t next = 0;
  for (int64_t dim = 0; dim < int64_t(into.size()); ++dim) {
    if (llvm::is_contained(inserted, dim) || llvm::is_contained(batching, dim))
      continue;
    int64_t updateDim = windows[next++];
    if (update[updateDim] == into[dim]) {
      add(dim, -1, updateDim, into[dim]);
      continue;
    }
    add(dim, -1, -1, into[dim], FactorKind::NeedReplication);
    add(-1, -1, updateDim, update[updateDim], FactorKind::NeedReplication);
  }
  for (int64_t dim : inserted)
    add(dim, -1, -1, into[dim]);
  if (vectorDim < int64_t(indices.size()))
    add(-1, vectorDim, -1, indices[vectorDim], FactorKind::NeedReplication);
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

static FactorRule ofSort(SortOp op) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  bool isAlone = true;
  for (auto [dim, size] : llvm::enumerate(shape))
    isAlone &= int64_t(dim) == int64_t(op.getDimension()) || size == 1;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    bool isSorted = int64_t(dim) == int64_t(op.getDimension());
    builder.addAll(dim, size,
                   isSorted ? FactorKind::NeedReplication
                            : FactorKind::PassThrough,
                   isSorted && isAlone);
  }
  return builder.build();
}

/// As a gather of whole rows at one place for each index.
static FactorRule ofTorchIndexSelect(TorchIndexSelectOp op) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> from = shapeOf(op.getOperand());
  ArrayRef<int64_t> index = shapeOf(op.getIndex());
  int64_t dim = op.getDim(), batches = op.getBatchDims();
  int64_t added = int64_t(index.size()) - batches;
  for (int64_t at = 0; at < int64_t(from.size()); ++at) {
    if (at == dim)
      builder.add({at, -1}, {-1}, from[at], FactorKind::NeedReplication);
    else
      builder.add({at, at < batches ? at : -1},
                  {at < dim ? at : at + added - 1}, from[at]);
  }
  for (int64_t at = batches; at < int64_t(index.size()); ++at)
    builder.add({-1, at}, {dim + at - batches}, index[at]);
  return builder.build();
}

void addIndexingRules(RuleRegistration &rules) {
  rules.add<GatherOp, ofGather>(
      sample(
          {"tensor<5x6x4xf32>", "tensor<4x2xi32>"},
          R"(%r = "stablehlo.gather"(%a, %b) {dimension_numbers = #stablehlo.gather<
    offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3, 4>} : (tensor<5x6x4xf32>, tensor<4x2xi32>) -> tensor<4x3x4xf32>)",
          "tensor<4x3x4xf32>"),
      sample(
          {"tensor<4x3x6xf32>", "tensor<6x4x1xi32>"},
          R"(%r = "stablehlo.gather"(%a, %b) {dimension_numbers = #stablehlo.gather<
    offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0],
    start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1, 6>} : (tensor<4x3x6xf32>, tensor<6x4x1xi32>) -> tensor<6x4x6xf32>)",
          "tensor<6x4x6xf32>"));
  rules.add<ScatterOp, ofScatter>(
      sample({"tensor<5x6x4xf32>", "tensor<4x2xi32>", "tensor<4x3x4xf32>"},
             R"(%r = "stablehlo.scatter"(%a, %b, %c) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0],
    scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}
      : (tensor<5x6x4xf32>, tensor<4x2xi32>, tensor<4x3x4xf32>) -> tensor<5x6x4xf32>)",
             "tensor<5x6x4xf32>"));
  rules.add<SortOp, ofSort>(sample({"tensor<4x6xf32>", "tensor<4x6xi32>"},
                                   R"(%r, %s = "stablehlo.sort"(%a, %b) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>, %u: tensor<i32>, %v: tensor<i32>):
      %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %z : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>))",
                                   "tensor<4x6xf32>"));
  rules.add<TorchIndexSelectOp, ofTorchIndexSelect>(
      sample({"tensor<4x5x6xf32>", "tensor<8xi32>"},
             "%r = \"stablehlo.torch_index_select\"(%a, %b) {dim = 1 : i64, "
             "batch_dims = 0 : i64} : (tensor<4x5x6xf32>, tensor<8xi32>) -> "
             "tensor<4x8x6xf32>",
             "tensor<4x8x6xf32>"));
}

} // namespace heddle::sharding
