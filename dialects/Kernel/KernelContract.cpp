// The verifier of contractions, and what passes ask of them: the roles of
// dimensions, and how far they run.

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/RootVerification.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::kernel;

Type ContractOp::getLhsElement() { return elementIn(getLhsType(), getLhs()); }
Type ContractOp::getRhsElement() { return elementIn(getRhsType(), getRhs()); }
Type ContractOp::getSumElement() {
  return sumElement(getAccumulator(), getResult());
}
AffineMap ContractOp::getLhsMap() { return mapAt(getIndexingMaps(), 0); }
AffineMap ContractOp::getRhsMap() { return mapAt(getIndexingMaps(), 1); }
AffineMap ContractOp::getOutMap() { return mapAt(getIndexingMaps(), 2); }

/// The dimensions of a map in the order of its results.
static SmallVector<unsigned> orderedDims(AffineMap map) {
  SmallVector<unsigned> order;
  for (AffineExpr result : map.getResults())
    for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
      if (result.isFunctionOfDim(dim) && !llvm::is_contained(order, dim))
        order.push_back(dim);
  return order;
}

ContractOp::Dims ContractOp::getDims() {
  Dims dims;
  AffineMap lhs = getLhsMap(), rhs = getRhsMap(), out = getOutMap();
  for (unsigned dim : orderedDims(out)) {
    if (!rhs.isFunctionOfDim(dim))
      dims.m.push_back(dim);
    else if (lhs.isFunctionOfDim(dim))
      dims.batch.push_back(dim);
  }
  for (unsigned dim : orderedDims(rhs)) {
    if (!out.isFunctionOfDim(dim))
      dims.k.push_back(dim);
    else if (!lhs.isFunctionOfDim(dim))
      dims.n.push_back(dim);
  }
  return dims;
}

Value ContractOp::getLimit(unsigned dim) { return findLimit(*this, dim); }

void ContractOp::setLimits(ArrayRef<std::pair<unsigned, Value>> limits) {
  replaceLimits(*this, limits);
}

/// The limit's value where it is the same in all calls.
static std::optional<int64_t> constantLimit(Value limit) {
  if (auto size = limit.getDefiningOp<SizeOp>())
    return size::Expression(size.getFunction()).asConstant();
  APInt value;
  if (matchPattern(limit, m_ConstantInt(&value)))
    return value.getSExtValue();
  return std::nullopt;
}

namespace {
/// A limit that is always the extent is none.
struct DropFullLimits : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<std::pair<unsigned, Value>> left;
    for (auto [dim, limit] : llvm::zip_equal(op.getLimited(), op.getLimits()))
      if (constantLimit(limit) != op.getExtents()[dim])
        left.push_back({dim, limit});
    if (left.size() == op.getLimits().size())
      return rewriter.notifyMatchFailure(op, "no limit is always the extent");
    rewriter.modifyOpInPlace(op, [&] { op.setLimits(left); });
    return success();
  }
};
} // namespace

void ContractOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<DropFullLimits>(context);
}

/// rhs stored as `rhs_packing` says of [batch..., K, N], read by (batch, n, k).
static LogicalResult verifyPackedRhs(ContractOp op) {
  if (!isMatrixPacking(*op.getRhsPacking()))
    return op.emitOpError()
           << "has an unknown packing '" << *op.getRhsPacking() << "'";
  ContractOp::Dims dims = op.getDims();
  SmallVector<unsigned> wanted = dims.batch;
  llvm::append_range(wanted, dims.n);
  llvm::append_range(wanted, dims.k);
  AffineMap map = op.getRhsMap();
  if (!map.isProjectedPermutation() || orderedDims(map) != wanted)
    return op.emitOpError() << "map of a packed rhs names batch, n and k "
                               "dimensions in this order, not "
                            << AffineMapAttr::get(map);
  ArrayRef<int64_t> extents = op.getExtents();
  auto product = [&](ArrayRef<unsigned> dims) {
    int64_t size = 1;
    for (unsigned dim : dims)
      size *= extents[dim];
    return size;
  };
  SmallVector<int64_t> matrices;
  for (unsigned dim : dims.batch)
    matrices.push_back(extents[dim]);
  matrices.append({product(dims.k), product(dims.n)});
  auto type = cast<RankedTensorType>(op.getRhs().getType());
  RankedTensorType stored = storedType(
      *op.getRhsPacking(), RankedTensorType::get(matrices, op.getRhsElement()));
  if (!stored)
    return op.emitOpError() << "packing '" << *op.getRhsPacking()
                            << "' does not fit [" << matrices << "]";
  if (type.getShape() != stored.getShape())
    return op.emitOpError()
           << "packed rhs is " << type << ", wanted the shape ["
           << stored.getShape() << "]";
  return success();
}

LogicalResult ContractOp::verify() {
  ArrayRef<int64_t> extents = getExtents();
  if (getIndexingMaps().size() != 3)
    return emitOpError() << "wants 3 indexing maps, has "
                         << getIndexingMaps().size();
  if (getIteratorTypes().size() != extents.size())
    return emitOpError() << "has " << extents.size() << " extents and "
                         << getIteratorTypes().size() << " iterator types";
  for (Attribute map : getIndexingMaps())
    if (cast<AffineMapAttr>(map).getValue().getNumDims() != extents.size())
      return emitOpError() << "has " << extents.size()
                           << " extents, but the map " << map;

  if (failed(verifyLimits(*this, getLimits().size(), getLimited(),
                          extents.size(),
                          "which are not dimensions in ascending order")) ||
      failed(verifyElement(*this, "lhs_type", getLhsType(), getLhs())) ||
      failed(verifyElement(*this, "rhs_type", getRhsType(), getRhs())) ||
      failed(verifyAccumulator(*this, getAccumulator())) ||
      failed(verifyExactness(*this, getPrecision(), getAlgorithm())))
    return failure();
  AffineMap out = getOutMap();
  unsigned parallel = 0;
  for (auto [dim, attr] : llvm::enumerate(getIteratorTypes())) {
    StringRef kind = cast<StringAttr>(attr).getValue();
    if (kind != "parallel" && kind != "reduction")
      return emitOpError() << "has an unknown iterator type '" << kind << "'";
    parallel += kind == "parallel";
    if (out.isFunctionOfDim(dim) != (kind == "parallel"))
      return emitOpError() << "dimension " << dim << " is " << kind
                           << ", which the map of the result "
                           << AffineMapAttr::get(out) << " contradicts";
    if (extents[dim] != 1 && !getLhsMap().isFunctionOfDim(dim) &&
        !getRhsMap().isFunctionOfDim(dim))
      return emitOpError() << "dimension " << dim
                           << " indexes neither lhs nor rhs";
  }
  if (failed(verifyOutMap(*this, out, parallel, extents, getType())) ||
      failed(
          verifyAccess(*this, "lhs", getLhsMap(), extents, getLhs().getType())))
    return failure();
  if (getRhsPacking())
    return verifyPackedRhs(*this);
  return verifyAccess(*this, "rhs", getRhsMap(), extents, getRhs().getType());
}
