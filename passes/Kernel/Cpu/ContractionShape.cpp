// Sorts the dimensions of a contraction into rows, columns, depth and batch.

#include "passes/Kernel/Cpu/ContractionShape.h"

#include "dialects/Kernel/Factors.h"
#include "dialects/Kernel/Packing.h"
#include "dialects/Kernel/TermRuns.h"
#include "passes/Kernel/Cpu/StepProducts.h"

using namespace mlir;

namespace heddle {

Extent ContractionShape::count(ArrayRef<ContractionDim> dims) {
  return productOf(llvm::map_to_vector(
      dims, [](const ContractionDim &dim) { return dim.extent; }));
}

void joinDims(SmallVectorImpl<ContractionDim> &dims) {
  SmallVector<ContractionDim> joined;
  for (const ContractionDim &dim : dims) {
    if (!joined.empty()) {
      // Whole runs of `dim` are left out if `last` is limited.
      ContractionDim &last = joined.back();
      if (last.lhs == dim.lhs * dim.extent &&
          last.rhs == dim.rhs * dim.extent && !dim.limit) {
        // What is sized has no limits.
        last.limitScale *= dim.extent.bound();
        last.extent = last.extent * dim.extent;
        last.lhs = dim.lhs;
        last.rhs = dim.rhs;
        continue;
      }
    }
    joined.push_back(dim);
  }
  dims.assign(joined.begin(), joined.end());
}

/// How many rows the tiles cut from a dimension have on average.
static double meanRows(int64_t extent) {
  return double(extent) / splitRows(extent, 8).count();
}

static void dropUnitDims(SmallVectorImpl<ContractionDim> &dims) {
  llvm::erase_if(dims,
                 [](const ContractionDim &dim) { return dim.extent.is(1); });
}

/// Takes out the dimension with the largest `merit`, the last of equals.
template <typename Merit>
static std::optional<ContractionDim>
takeBest(SmallVectorImpl<ContractionDim> &dims, Merit merit) {
  auto best = dims.begin();
  for (auto dim = dims.begin(); dim != dims.end(); ++dim)
    if (merit(*dim) >= merit(*best))
      best = dim;
  if (best == dims.end())
    return std::nullopt;
  ContractionDim dim = *best;
  dims.erase(best);
  return dim;
}

void ContractionShape::setRows(SmallVector<ContractionDim> dims,
                               const Machine &machine, Type accumulator,
                               bool hasMatrixRows) {
  fillsMatrices = hasMatrixRows && isPacked && perStep > 1 && !scaled &&
                  !machine.matrixProduct(accumulator).empty();
  dropUnitDims(dims);
  int64_t least = fillsMatrices ? machine.rowsWorthMatrices : 0;
  if (auto best = takeBest(dims, [&](const ContractionDim &dim) {
        int64_t extent = dim.extent.bound();
        return std::make_pair(extent >= least, meanRows(extent));
      }))
    row = *best;
  outerRows = std::move(dims);
}

/// What a step takes of a packed rhs; nothing if that is one term, or if rhs is
/// dequantized.
static std::optional<StepTerms> packedTerms(kernel::ContractOp op,
                                            int64_t panelColumns) {
  return stepTerms(op.getRhsPacking().value_or(""),
                   kernel::matrixQuads(panelColumns),
                   kernel::matrixPairs(panelColumns), op.getLhsElement(),
                   op.getRhsElement());
}

LogicalResult ContractionShape::setTerms(kernel::ContractOp op,
                                         int64_t panelColumns) {
  std::optional<StepTerms> terms =
      scaled ? StepTerms{scaled->terms(), "words", "f32 or f16 times f32",
                         (op.getLhsElement().isF32() ||
                          op.getLhsElement().isF16()) &&
                             op.getRhsElement().isF32()}
             : packedTerms(op, panelColumns);
  if (!terms)
    return success();
  if (!terms->areFactors || depth.size() != 1 || !depth[0].lhs.is(1) ||
      depth[0].limit || (scaled && !depth[0].extent.isMultipleOf(terms->count)))
    return op.emitOpError("reads ")
           << terms->name << " of rows, and is no sum of " << terms->types
           << " whose terms follow each other"
           << (scaled ? ", a multiple of " + std::to_string(terms->count) : "");
  countInSteps(terms->count);
  if (scaled) {
    depth[0].rhs = rhsPerStep() * panelColumns;
    panelStride = panelStride / perStep * rhsPerStep();
  }
  return success();
}

void ContractionShape::setPairs(kernel::ContractOp op) {
  if (kernel::mayPairActivations(op) && depth.size() == 1 &&
      depth[0].lhs.is(1) && !depth[0].limit)
    countInSteps(kernel::kPair);
}

void ContractionShape::countInSteps(int64_t terms) {
  ContractionDim &only = depth[0];
  perStep = terms;
  termStride = only.rhs;
  rest = only.extent.rem(terms);
  only.extent = only.extent.floorDiv(terms);
  only.lhs = terms;
  only.rhs = only.rhs * terms;
}

FailureOr<ContractionShape> ContractionShape::analyze(kernel::ContractOp op,
                                                      const Machine &machine) {
  int64_t panelColumns = machine.panelColumns;
  ContractionShape shape;
  shape.lhs = op.getLhs();
  shape.rhs = op.getRhs();
  auto isUnsigned = [](Type type) {
    return type.isUnsignedInteger() || type.isInteger(1);
  };
  shape.lhsUnsigned = isUnsigned(op.getLhsElement());
  shape.rhsUnsigned = isUnsigned(op.getRhsElement());
  FailureOr<std::optional<ScaledWords>> scaled =
      ScaledWords::of(op, panelColumns);
  if (failed(scaled))
    return failure();
  shape.scaled = *scaled;
  if (shape.scaled)
    shape.rhs = shape.scaled->numbers;
  shape.isPacked = op.getRhsPacking().has_value() || shape.scaled;
  AffineMap outMap = op.getOutMap();
  auto lhsType = cast<RankedTensorType>(op.getLhs().getType());
  auto rhsType = cast<RankedTensorType>(op.getRhs().getType());
  SmallVector<WalkedTensor> walked = {{op.getLhsMap(), op.getLhs()},
                                      {outMap, op.getType()}};
  if (!shape.isPacked)
    walked.emplace_back(op.getRhsMap(), op.getRhs());
  FailureOr<SmallVector<Extent>> found =
      loopExtents(op, op.getExtents(), walked);
  if (failed(found))
    return failure();
  SmallVector<Extent> extents = std::move(*found);
  kernel::ContractOp::Dims roles = op.getDims();
  auto isSized = [](const Extent &extent) { return extent.isSized(); };
  if (llvm::any_of(extents, isSized) && !op.getLimits().empty())
    return op.emitOpError("has both limits and true extents");
  if (shape.isPacked &&
      (size::hasExtents(rhsType) ||
       llvm::any_of(llvm::concat<unsigned>(roles.n, roles.k, roles.batch),
                    [&](unsigned dim) { return extents[dim].isSized(); })))
    return op.emitOpError("has packed columns of which a call says how many "
                          "there are");

  TrueAccess lhsAccess(op.getLhsMap(), lhsType), rhsAccess(extents.size());
  if (shape.isPacked) {
    // [batch..., panel, k, column]: the columns' place depends on the panel,
    // the other dimensions have strides.
    int64_t stride = panelColumns;
    for (unsigned dim : llvm::reverse(roles.k)) {
      rhsAccess.strides[dim] = stride;
      stride *= extents[dim].bound();
    }
    // Steps are stored whole.
    if (std::optional<StepTerms> terms = packedTerms(op, panelColumns))
      stride = llvm::alignTo(stride, panelColumns * terms->count);
    shape.panelStride = stride;
    int64_t columns = 1;
    for (unsigned dim : roles.n)
      columns *= extents[dim].bound();
    stride *= llvm::divideCeil(columns, panelColumns);
    for (unsigned dim : llvm::reverse(roles.batch)) {
      rhsAccess.strides[dim] = stride;
      stride *= extents[dim].bound();
    }
  } else {
    rhsAccess = TrueAccess(op.getRhsMap(), rhsType);
  }
  shape.lhsOffset = lhsAccess.offset;
  shape.rhsOffset = rhsAccess.offset;

  auto dimsOf = [&](ArrayRef<unsigned> numbers) {
    SmallVector<ContractionDim> dims;
    for (unsigned dim : numbers) {
      ContractionDim entry{extents[dim], lhsAccess.strides[dim],
                           rhsAccess.strides[dim], std::nullopt};
      if (auto position =
              outMap.getResultPosition(getAffineDimExpr(dim, op.getContext())))
        entry.out = *position;
      entry.limit = op.getLimit(dim);
      dims.push_back(entry);
    }
    return dims;
  };
  SmallVector<ContractionDim> rows = dimsOf(roles.m), columns = dimsOf(roles.n);
  shape.outer = dimsOf(roles.batch);
  // What only one operand names and the result does not is summed all the
  // same.
  SmallVector<unsigned> summed = roles.k;
  for (unsigned dim = 0; dim < extents.size(); ++dim)
    if (!outMap.isFunctionOfDim(dim) && !llvm::is_contained(summed, dim))
      summed.push_back(dim);
  shape.depth = dimsOf(summed);
  dropUnitDims(rows);
  dropUnitDims(shape.outer);

  // One column against many rows: the other way round the rows fill vectors.
  if (!shape.isPacked && count(columns).is(1) && count(rows).bound() > 1) {
    std::swap(shape.lhs, shape.rhs);
    std::swap(shape.lhsUnsigned, shape.rhsUnsigned);
    std::swap(shape.lhsOffset, shape.rhsOffset);
    std::swap(rows, columns);
    for (auto *dims : {&rows, &columns, &shape.outer, &shape.depth})
      for (ContractionDim &dim : *dims)
        std::swap(dim.lhs, dim.rhs);
  }
  if (!shape.isPacked)
    shape.setPairs(op);
  else if (failed(shape.setTerms(op, panelColumns)))
    return failure();
  // Even of one product it matters whether it is summed.
  llvm::erase_if(shape.depth, [](const ContractionDim &dim) {
    return dim.extent.is(1) && !dim.limit;
  });

  shape.setRows(rows, machine,
                cast<RankedTensorType>(op.getType()).getElementType(),
                kernel::hasMatrixRows(op, machine.rowsWorthMatrices));
  dropUnitDims(columns);
  if (shape.isPacked) {
    shape.columns = columns;
  } else {
    if (auto column = takeBest(columns, [](const ContractionDim &dim) {
          return std::make_pair(dim.rhs.is(1), dim.extent.bound());
        }))
      shape.columns.push_back(*column);
    shape.outer.append(columns.begin(), columns.end());
    // The order of summation is free: walk lhs forward.
    llvm::sort(shape.depth,
               [](const ContractionDim &a, const ContractionDim &b) {
                 return a.lhs.bound() > b.lhs.bound();
               });
  }
  joinDims(shape.depth);
  return shape;
}

} // namespace heddle
