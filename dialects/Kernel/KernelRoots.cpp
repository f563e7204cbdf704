// Verifiers of contractions, convolutions, attention and windows, and what
// passes ask of them.

#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/ElementKind.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::kernel;

static AffineMap mapAt(ArrayAttr maps, unsigned i) {
  return cast<AffineMapAttr>(maps[i]).getValue();
}

/// Each of an op's maps must read inside its tensor, over the iteration
/// extents.
static LogicalResult verifyAccess(Operation *op, StringRef name, AffineMap map,
                                  ArrayRef<int64_t> extents, Type type) {
  if (accessInBounds(map, extents, cast<RankedTensorType>(type)))
    return success();
  return op->emitOpError() << "map of " << name << " "
                           << AffineMapAttr::get(map)
                           << " is not linear or leaves " << type
                           << " over the extents [" << extents << "]";
}

/// The map of an output names each of `dims` once, and they fill the tensor.
static LogicalResult verifyOutMap(Operation *op, AffineMap map,
                                  unsigned numDims, ArrayRef<int64_t> extents,
                                  Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (!map.isProjectedPermutation() || map.getNumResults() != numDims ||
      static_cast<int64_t>(numDims) != tensor.getRank())
    return op->emitOpError() << "map of the result " << AffineMapAttr::get(map)
                             << " is no permutation of its dimensions";
  for (auto [i, extent] : llvm::enumerate(tensor.getShape()))
    if (extents[map.getDimPosition(i)] != extent)
      return op->emitOpError() << "result " << type << " has extent " << extent
                               << " in dimension " << i << ", the iteration "
                               << extents[map.getDimPosition(i)];
  return success();
}

/// An operand's element type in the model: `given`, or the tensor's own.
static Type elementIn(std::optional<Type> given, Value operand) {
  return given ? *given
               : cast<RankedTensorType>(operand.getType()).getElementType();
}

/// What tensors hold must have room for the model's type, and be another one.
static LogicalResult verifyElement(Operation *op, StringRef name,
                                   std::optional<Type> given, Value operand) {
  Type held = cast<RankedTensorType>(operand.getType()).getElementType();
  if (!given)
    return success();
  std::optional<ElementKind> kind = elementKind(*given),
                             holder = elementKind(held);
  if (kind && holder && *given != held && isa<IntegerType>(held) &&
      (bitWidth(*holder) == 8 * storedBytes(*kind) ||
       (isa<IntegerType>(*given) && bitWidth(*holder) == bitWidth(*kind))))
    return success();
  return op->emitOpError() << name << " " << *given << " is not held as "
                           << held;
}

/// What the products of `op`'s operands are summed in.
static Type sumElement(std::optional<Type> accumulator, Value result) {
  return accumulator
             ? *accumulator
             : cast<RankedTensorType>(result.getType()).getElementType();
}

/// An accumulator is a float type, and another one than the result's.
static LogicalResult verifyAccumulator(Operation *op,
                                       std::optional<Type> accumulator) {
  Type held =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  if (!accumulator || (isa<FloatType>(*accumulator) && isa<FloatType>(held) &&
                       *accumulator != held))
    return success();
  return op->emitOpError() << "sums in " << *accumulator << ", which is no way "
                           << "to " << held;
}

/// What a product of `op` asks of its exactness: a precision for each operand,
/// or an algorithm.
static LogicalResult verifyExactness(Operation *op,
                                     std::optional<ArrayAttr> precision,
                                     std::optional<Attribute> algorithm) {
  if (precision &&
      (precision->size() != 2 ||
       !llvm::all_of(*precision, llvm::IsaPred<stablehlo::PrecisionAttr>)))
    return op->emitOpError() << "has a precision that is not StableHLO's, one "
                             << "for each operand";
  if (algorithm && !isa<stablehlo::DotAlgorithmAttr>(*algorithm))
    return op->emitOpError() << "has an algorithm that is not StableHLO's";
  if (algorithm && precision)
    return op->emitOpError() << "has a precision beside an algorithm";
  return success();
}

static bool uses(AffineMap map, unsigned dim) {
  return map.isFunctionOfDim(dim);
}

//===----------------------------------------------------------------------===//
// SizeOp
//===----------------------------------------------------------------------===//

LogicalResult SizeOp::verify() {
  AffineMap map = getFunction();
  if (map.getNumDims() != 0 || map.getNumResults() != 1)
    return emitOpError() << "has " << getFunctionAttr()
                         << " instead of one function of symbols";
  if (map.getNumSymbols() != getSymbols().size())
    return emitOpError() << "has " << getSymbols().size() << " symbols for "
                         << getFunctionAttr();
  for (Type type : getSymbols().getTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getRank() != 0 || !isa<IntegerType>(tensor.getElementType()))
      return emitOpError() << "has a symbol in " << type
                           << "; an integer in a tensor of rank 0 is wanted";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ContractOp
//===----------------------------------------------------------------------===//

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
    if (!uses(rhs, dim))
      dims.m.push_back(dim);
    else if (uses(lhs, dim))
      dims.batch.push_back(dim);
  }
  for (unsigned dim : orderedDims(rhs)) {
    if (!uses(out, dim))
      dims.k.push_back(dim);
    else if (!uses(lhs, dim))
      dims.n.push_back(dim);
  }
  return dims;
}

Value ContractOp::getLimit(unsigned dim) {
  for (auto [number, limit] : llvm::zip_equal(getLimited(), getLimits()))
    if (number == static_cast<int64_t>(dim))
      return limit;
  return {};
}

void ContractOp::setLimits(ArrayRef<std::pair<unsigned, Value>> limits) {
  SmallVector<int64_t> dims;
  SmallVector<Value> values;
  for (auto [dim, limit] : limits) {
    dims.push_back(dim);
    values.push_back(limit);
  }
  getLimitsMutable().assign(values);
  setLimited(dims);
}

/// The limit's value where it is the same in all calls.
static std::optional<int64_t> constantLimit(Value limit) {
  if (auto size = limit.getDefiningOp<SizeOp>()) {
    auto constant =
        dyn_cast<AffineConstantExpr>(size.getFunction().getResult(0));
    return constant ? std::optional(constant.getValue()) : std::nullopt;
  }
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

  if (getLimits().size() != getLimited().size())
    return emitOpError() << "has " << getLimits().size() << " limits for "
                         << getLimited().size() << " limited dimensions";
  int64_t above = 0;
  for (int64_t dim : getLimited()) {
    if (dim < above || dim >= static_cast<int64_t>(extents.size()))
      return emitOpError() << "limits [" << getLimited()
                           << "], which are not dimensions in ascending order";
    above = dim + 1;
  }
  if (failed(verifyElement(*this, "lhs_type", getLhsType(), getLhs())) ||
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
    if (uses(out, dim) != (kind == "parallel"))
      return emitOpError() << "dimension " << dim << " is " << kind
                           << ", which the map of the result "
                           << AffineMapAttr::get(out) << " contradicts";
    if (extents[dim] != 1 && !uses(getLhsMap(), dim) && !uses(getRhsMap(), dim))
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

//===----------------------------------------------------------------------===//
// ConvolutionOp
//===----------------------------------------------------------------------===//

Type ConvolutionOp::getLhsElement() {
  return elementIn(getLhsType(), getInput());
}

Type ConvolutionOp::getRhsElement() {
  return elementIn(getRhsType(), getWeights());
}

Type ConvolutionOp::getSumElement() {
  return sumElement(getAccumulator(), getResult());
}

SmallVector<int64_t> ConvolutionOp::getKernelExtents() {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(getWeights().getType()).getShape();
  unsigned first =
      getWeightsPacking() ? leadingPosition(*getWeightsPacking()) : 0;
  return llvm::to_vector(shape.slice(first, getNumSpatialDims()));
}

bool ConvolutionOp::isDepthwise() {
  auto input = cast<RankedTensorType>(getInput().getType());
  return getGroups() > 1 &&
         static_cast<int64_t>(getGroups()) == input.getShape().back();
}

LogicalResult ConvolutionOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto weights = cast<RankedTensorType>(getWeights().getType());
  auto result = cast<RankedTensorType>(getType());
  int64_t spatial = getNumSpatialDims(), groups = getGroups();
  if (failed(verifyElement(*this, "lhs_type", getLhsType(), getInput())) ||
      failed(verifyElement(*this, "rhs_type", getRhsType(), getWeights())) ||
      failed(verifyAccumulator(*this, getAccumulator())) ||
      failed(verifyExactness(*this, getPrecision(), std::nullopt)))
    return failure();
  if (spatial < 1 || spatial > 3 || input.getRank() != spatial + 2 ||
      result.getRank() != spatial + 2)
    return emitOpError() << "wants one to three spatial dimensions and "
                            "tensors of rank "
                         << spatial + 2;
  if (static_cast<int64_t>(getPadding().size()) != 2 * spatial ||
      static_cast<int64_t>(getLhsDilation().size()) != spatial ||
      static_cast<int64_t>(getRhsDilation().size()) != spatial)
    return emitOpError() << "wants one dilation and two paddings for each of "
                         << spatial << " spatial dimensions";
  auto atLeast = [](ArrayRef<int64_t> values, int64_t low) {
    return llvm::all_of(values, [&](int64_t value) { return value >= low; });
  };
  if (!atLeast(getStrides(), 1) || !atLeast(getLhsDilation(), 1) ||
      !atLeast(getRhsDilation(), 1) || !atLeast(getPadding(), 0))
    return emitOpError() << "wants positive strides and dilations, and "
                            "padding that is not negative";

  int64_t inChannels = input.getShape().back();
  int64_t outChannels = result.getShape().back();
  if (groups < 1 || inChannels % groups || outChannels % groups)
    return emitOpError() << groups << " groups do not divide " << inChannels
                         << " input and " << outChannels << " output channels";
  SmallVector<int64_t> wanted;
  bool packed = getWeightsPacking().has_value();
  if (packed && filterGroups(*getWeightsPacking()) != groups)
    return emitOpError() << "packing '" << *getWeightsPacking()
                         << "' is not one for " << groups << " groups";
  if (packed
          ? weights.getRank() < spatial + leadingPosition(*getWeightsPacking())
          : weights.getRank() != spatial + 2)
    return emitOpError() << "has weights " << weights;
  llvm::append_range(wanted, getKernelExtents());
  wanted.append({inChannels / groups, outChannels});
  if (packed) {
    RankedTensorType stored = storedType(
        *getWeightsPacking(), RankedTensorType::get(wanted, getRhsElement()));
    if (!stored)
      return emitOpError() << "packing '" << *getWeightsPacking()
                           << "' does not fit [" << wanted << "]";
    wanted = llvm::to_vector(stored.getShape());
  }
  if (weights.getShape() != ArrayRef<int64_t>(wanted))
    return emitOpError() << "has weights " << weights << ", wanted the shape ["
                         << wanted << "]";

  if (result.getDimSize(0) != input.getDimSize(0))
    return emitOpError() << "has " << input.getDimSize(0) << " images, but "
                         << result.getDimSize(0) << " results";
  SmallVector<int64_t> kernel = getKernelExtents();
  for (int64_t i = 0; i < spatial; ++i) {
    auto dilated = [](int64_t extent, int64_t dilation) {
      return extent == 0 ? 0 : (extent - 1) * dilation + 1;
    };
    int64_t padded = dilated(input.getDimSize(i + 1), getLhsDilation()[i]) +
                     getPadding()[2 * i] + getPadding()[2 * i + 1];
    int64_t window = dilated(kernel[i], getRhsDilation()[i]);
    int64_t extent =
        padded < window ? 0 : (padded - window) / getStrides()[i] + 1;
    if (result.getDimSize(i + 1) != extent)
      return emitOpError() << "result has extent " << result.getDimSize(i + 1)
                           << " in dimension " << i + 1 << ", wanted "
                           << extent;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

Type AttentionOp::getLhsElement() {
  return cast<RankedTensorType>(getQuery().getType()).getElementType();
}
Type AttentionOp::getRhsElement() {
  return cast<RankedTensorType>(getValue().getType()).getElementType();
}
Type AttentionOp::getSumElement() {
  return sumElement(getAccumulator(), getResult());
}
AffineMap AttentionOp::getQueryMap() { return mapAt(getIndexingMaps(), 0); }
AffineMap AttentionOp::getKeyMap() { return mapAt(getIndexingMaps(), 1); }
AffineMap AttentionOp::getValueMap() { return mapAt(getIndexingMaps(), 2); }
AffineMap AttentionOp::getMaskMap() {
  return getMask() ? mapAt(getIndexingMaps(), 3) : AffineMap();
}
AffineMap AttentionOp::getLengthsMap() {
  return getLengths() ? mapAt(getIndexingMaps(), 3 + bool(getMask()))
                      : AffineMap();
}
AffineMap AttentionOp::getSinkMap() {
  return getSink() ? mapAt(getIndexingMaps(), getNumOperands() - 1)
                   : AffineMap();
}
AffineMap AttentionOp::getOutMap() {
  return mapAt(getIndexingMaps(), getNumOperands());
}

LogicalResult AttentionOp::verify() {
  ArrayRef<int64_t> extents = getExtents();
  if (extents.size() < 4)
    return emitOpError() << "wants at least the dimensions m, n, d, e";
  unsigned wanted = getNumOperands() + 1;
  if (getIndexingMaps().size() != wanted)
    return emitOpError() << "wants " << wanted << " indexing maps, has "
                         << getIndexingMaps().size();
  unsigned m = extents.size() - 4, n = m + 1, d = m + 2, e = m + 3;
  struct Use {
    StringRef name;
    AffineMap map;
    Value operand;
    SmallVector<unsigned> forbidden;
  };
  SmallVector<Use> reads = {{"query", getQueryMap(), getQuery(), {n, e}},
                            {"key", getKeyMap(), getKey(), {m, e}},
                            {"value", getValueMap(), getValue(), {m, d}}};
  if (getMask())
    reads.push_back({"mask", getMaskMap(), getMask(), {d, e}});
  if (getLengths())
    reads.push_back({"lengths", getLengthsMap(), getLengths(), {m, n, d, e}});
  if (getSink())
    reads.push_back({"sink", getSinkMap(), getSink(), {m, n, d, e}});
  for (const Use &read : reads) {
    if (failed(verifyAccess(*this, read.name, read.map, extents,
                            read.operand.getType())))
      return failure();
    for (unsigned dim : read.forbidden)
      if (uses(read.map, dim))
        return emitOpError()
               << "map of " << read.name << " " << AffineMapAttr::get(read.map)
               << " may not use d" << dim;
  }
  auto elementOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  if (failed(verifyAccumulator(*this, getAccumulator())) ||
      failed(
          verifyExactness(*this, getScorePrecision(), getScoreAlgorithm())) ||
      failed(verifyExactness(*this, getValuePrecision(), getValueAlgorithm())))
    return failure();
  if (getLengths() && !elementOf(getLengths()).isSignlessInteger(32) &&
      !elementOf(getLengths()).isSignlessInteger(64))
    return emitOpError() << "wants lengths of i32 or i64, not "
                         << elementOf(getLengths());
  if (getSink() && !isa<FloatType>(elementOf(getSink())))
    return emitOpError() << "wants a sink of floats, not "
                         << elementOf(getSink());
  if (getWindow() && static_cast<int64_t>(*getWindow()) < 1)
    return emitOpError() << "wants a window of at least one key, not "
                         << static_cast<int64_t>(*getWindow());
  if (getLogSumExp()) {
    auto type = cast<RankedTensorType>(getLogSumExp().getType());
    if (!type.getElementType().isF32() ||
        type.getShape() != extents.take_front(m + 1))
      return emitOpError() << "gives logarithms of sums as " << type
                           << ", wanted f32 and the shape ["
                           << extents.take_front(m + 1) << "]";
  }
  AffineMap out = getOutMap();
  if (out.getNumDims() != extents.size() || uses(out, n) || uses(out, d))
    return emitOpError() << "map of the result " << AffineMapAttr::get(out)
                         << " names the batch dimensions, m and e";
  return verifyOutMap(*this, out, m + 2, extents, getResult().getType());
}

//===----------------------------------------------------------------------===//
// ReduceWindowOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceWindowOp::verify() {
  size_t count = getInputs().size();
  if (count == 0 || getInits().size() != count || getOutputs().size() != count)
    return emitOpError() << "wants as many initial values and results as "
                            "inputs ("
                         << count << "), at least one";
  auto input = cast<RankedTensorType>(getInputs().front().getType());
  auto output = cast<RankedTensorType>(getOutputs().front().getType());
  size_t rank = input.getRank();
  if (getWindow().size() != rank || getStrides().size() != rank ||
      getPadding().size() != 2 * rank || getBaseDilations().size() != rank ||
      getWindowDilations().size() != rank ||
      output.getRank() != static_cast<int64_t>(rank))
    return emitOpError() << "wants attributes and results for rank " << rank;
  SmallVector<Type> scalars;
  for (auto [in, init, out] :
       llvm::zip_equal(getInputs(), getInits(), getOutputs())) {
    auto type = cast<RankedTensorType>(in.getType());
    if (type.getShape() != input.getShape() ||
        cast<RankedTensorType>(out.getType()).getShape() != output.getShape())
      return emitOpError() << "wants inputs of one shape, and results of one";
    scalars.push_back(init.getType());
  }
  for (Value in : getInputs())
    scalars.push_back(cast<RankedTensorType>(in.getType()).getElementType());
  Block &body = getBody().front();
  if (body.getArgumentTypes() != TypeRange(scalars))
    return emitOpError() << "has a region that takes ("
                         << body.getArgumentTypes() << "), wanted (" << scalars
                         << ")";
  if (body.getTerminator()->getOperandTypes() != getInits().getTypes())
    return emitOpError() << "has a region that gives ("
                         << body.getTerminator()->getOperandTypes()
                         << "), wanted (" << getInits().getTypes() << ")";
  return success();
}
