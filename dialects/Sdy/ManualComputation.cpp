// Computations that are written for one device's part: their text, what they
// must fulfil, and which of them mean nothing.

#include "dialects/Sdy/ShardingText.h"
#include "dialects/Sdy/ShardingVerification.h"
#include "dialects/Sdy/ValueShardings.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace heddle::sdy {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

ParseResult ManualComputationOp::parse(OpAsmParser &parser,
                                       OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  TensorShardingPerValueAttr in, out;
  ManualAxesAttr manual;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in_shardings") || parser.parseEqual() ||
      parseShardings(parser, in) || parser.parseKeyword("out_shardings") ||
      parser.parseEqual() || parseShardings(parser, out) ||
      parser.parseKeyword("manual_axes") || parser.parseEqual() ||
      parseManualAxes(parser, manual) ||
      parseComputation(parser, result, operands, place))
    return failure();
  auto &properties = result.getOrAddProperties<Properties>();
  properties.in_shardings = in;
  properties.out_shardings = out;
  properties.manual_axes = manual;
  return success();
}

void ManualComputationOp::print(OpAsmPrinter &printer) {
  printer << '(' << getTensors() << ") in_shardings=";
  printShardings(printer, getInShardings());
  printer << " out_shardings=";
  printShardings(printer, getOutShardings());
  printer << " manual_axes=";
  printManualAxes(printer.getStream(), getManualAxes());
  printComputation(printer, *this,
                   {"in_shardings", "out_shardings", "manual_axes"});
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static LogicalResult verifyManualFirst(ManualComputationOp op,
                                       TensorShardingAttr sharding,
                                       StringRef what, size_t index) {
  for (auto [dim, axes] : llvm::enumerate(sharding.getDimShardings())) {
    AxisRefAttr free;
    for (AxisRefAttr axis : axes.getAxes()) {
      bool isManual =
          llvm::is_contained(op.getManualAxes().getAxes(), axis.getName());
      if (isManual && free)
        return op.emitOpError()
               << what << ' ' << index << ": dimension " << dim
               << " has manual axis " << axis.text() << " after axis "
               << free.text() << ", which is free; manual axes come first";
      if (!isManual)
        free = axis;
    }
  }
  return success();
}

/// The type of a part along the manual axes.
static Type partType(Type type, TensorShardingAttr sharding, MeshAttr mesh,
                     ManualAxesAttr manual) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  auto dims = llvm::map_to_vector(
      sharding.getDimShardings(), [&](DimensionShardingAttr dim) {
        return DimensionShardingAttr::closed(
            type.getContext(),
            llvm::filter_to_vector(dim.getAxes(), [&](AxisRefAttr axis) {
              return llvm::is_contained(manual.getAxes(), axis.getName());
            }));
      });
  return sharding.withDimensions(dims).localType(tensor, mesh);
}

static LogicalResult verifyValues(ManualComputationOp op,
                                  TensorShardingPerValueAttr shardings,
                                  TypeRange wholes, TypeRange parts,
                                  StringRef what) {
  if (failed(verifyShardings(shardings, wholes, op, what)))
    return failure();
  if (wholes.size() != parts.size())
    return op.emitOpError() << "has " << wholes.size() << ' ' << what
                            << "s, but its body has " << parts.size();
  for (auto [index, sharding, whole, part] :
       llvm::enumerate(shardings.getShardings(), wholes, parts)) {
    if (failed(verifyManualFirst(op, sharding, what, index)))
      return failure();
    MeshAttr mesh = sharding.meshOf(op);
    if (mesh.isSingleDevice())
      continue;
    Type expected = partType(whole, sharding, mesh, op.getManualAxes());
    if (expected != part)
      return op.emitOpError() << what << ' ' << index << " is " << part
                              << " in the body; a device's part of " << whole
                              << " is " << expected;
  }
  return success();
}

LogicalResult ManualComputationOp::verify() {
  Block &body = getBody().front();
  auto end = dyn_cast<ReturnOp>(body.back());
  if (!end)
    return emitOpError() << "has a body that does not end in sdy.return";
  MeshAttr mesh;
  for (TensorShardingPerValueAttr list : {getInShardings(), getOutShardings()})
    for (TensorShardingAttr sharding : list.getShardings())
      if (!mesh)
        mesh = sharding.meshOf(*this);
  for (StringAttr axis : getManualAxes().getAxes())
    if (mesh && !mesh.hasAxis(axis))
      return emitOpError() << "is manual along axis " << axis
                           << ", which its mesh does not have";
  if (failed(verifyValues(*this, getInShardings(), getOperandTypes(),
                          body.getArgumentTypes(), "operand")))
    return failure();
  return verifyValues(*this, getOutShardings(), getResultTypes(),
                      end.getOperandTypes(), "result");
}

//===----------------------------------------------------------------------===//
// Canonical forms
//===----------------------------------------------------------------------===//

static TensorShardingPerValueAttr
mapShardings(TensorShardingPerValueAttr shardings,
             llvm::function_ref<TensorShardingAttr(TensorShardingAttr)> map) {
  return TensorShardingPerValueAttr::get(
      shardings.getContext(),
      llvm::map_to_vector(shardings.getShardings(), map));
}

namespace {

/// Operands that the body does not read are not passed.
struct DropUnusedOperands : OpRewritePattern<ManualComputationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ManualComputationOp op,
                                PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    llvm::BitVector unused(body.getNumArguments());
    for (BlockArgument argument : body.getArguments())
      if (argument.use_empty())
        unused.set(argument.getArgNumber());
    if (unused.none())
      return rewriter.notifyMatchFailure(op, "all operands are read");
    rewriter.modifyOpInPlace(op, [&] {
      SmallVector<TensorShardingAttr> kept;
      for (auto [index, sharding] :
           llvm::enumerate(op.getInShardings().getShardings()))
        if (!unused.test(index))
          kept.push_back(sharding);
      op.setInShardingsAttr(
          TensorShardingPerValueAttr::get(op.getContext(), kept));
      op->eraseOperands(unused);
      body.eraseArguments(unused);
    });
    return success();
  }
};

/// A body without manual axes stands in place of its computation.
struct InlineWithoutAxes : OpRewritePattern<ManualComputationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ManualComputationOp op,
                                PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    bool isEmpty = op->getNumResults() == 0 && op->getNumOperands() == 0 &&
                   llvm::hasSingleElement(body);
    if (isEmpty) {
      rewriter.eraseOp(op);
      return success();
    }
    if (!op.getManualAxes().getAxes().empty())
      return rewriter.notifyMatchFailure(op, "it has manual axes");
    Operation *end = body.getTerminator();
    SmallVector<Value> results(end->getOperands());
    rewriter.inlineBlockBefore(&body, op, op.getTensors());
    rewriter.eraseOp(end);
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Along an axis of size 1 the part is the whole.
struct DropAxesOfSizeOne : OpRewritePattern<ManualComputationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ManualComputationOp op,
                                PatternRewriter &rewriter) const override {
    TensorShardingAttr first;
    for (TensorShardingPerValueAttr list :
         {op.getInShardings(), op.getOutShardings()})
      if (!list.empty())
        first = list.getShardings().front();
    MeshAttr mesh = first ? first.meshOf(op) : MeshAttr();
    if (!mesh)
      return rewriter.notifyMatchFailure(op, "it names no mesh");
    SmallVector<StringAttr> kept, dropped;
    for (StringAttr axis : op.getManualAxes().getAxes())
      (mesh.sizeOf(axis) == 1 ? dropped : kept).push_back(axis);
    if (dropped.empty())
      return rewriter.notifyMatchFailure(op, "all axes have parts");
    auto droppedAxes = ManualAxesAttr::get(op.getContext(), dropped);
    auto map = [&](TensorShardingAttr sharding) {
      return withoutManualAxes(sharding, droppedAxes);
    };
    rewriter.modifyOpInPlace(op, [&] {
      op.setInShardingsAttr(mapShardings(op.getInShardings(), map));
      op.setOutShardingsAttr(mapShardings(op.getOutShardings(), map));
      op.setManualAxesAttr(ManualAxesAttr::get(op.getContext(), kept));
    });
    return success();
  }
};

} // namespace

void ManualComputationOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropUnusedOperands, InlineWithoutAxes, DropAxesOfSizeOne>(
      context);
}

} // namespace heddle::sdy
