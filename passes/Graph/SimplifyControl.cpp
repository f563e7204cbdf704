// Loops and branches: what they carry without need.
//
// Exporters hand constants and weights around every loop as if they changed. A
// value that does not is better read from outside: a weight can be packed then,
// and nothing is copied into the loop's memory.

#include "passes/Graph/Constants.h"
#include "passes/Graph/Simplify.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {
namespace {

/// The loop without the values in `dropped`. What they were is set before.
void dropCarried(WhileOp op, const llvm::SmallBitVector &dropped,
                 ValueRange replacements, PatternRewriter &rewriter) {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (auto [i, operand] : llvm::enumerate(op.getOperands()))
    if (!dropped[i]) {
      operands.push_back(operand);
      types.push_back(op->getResult(i).getType());
    }
  Operation *terminator = op.getBody().front().getTerminator();
  rewriter.modifyOpInPlace(terminator, [&] {
    llvm::BitVector gone(dropped.size());
    for (unsigned i : dropped.set_bits())
      gone.set(i);
    terminator->eraseOperands(gone);
  });
  for (Region *region : {&op.getCond(), &op.getBody()})
    for (int i = dropped.size() - 1; i >= 0; --i)
      if (dropped[i])
        region->front().eraseArgument(i);
  OperationState state(op.getLoc(), op->getName(), operands, types,
                       op->getDiscardableAttrs().empty()
                           ? ArrayRef<NamedAttribute>()
                           : op->getAttrs());
  state.addRegion();
  state.addRegion();
  auto lean = cast<WhileOp>(rewriter.create(state));
  rewriter.inlineRegionBefore(op.getCond(), lean.getCond(),
                              lean.getCond().end());
  rewriter.inlineRegionBefore(op.getBody(), lean.getBody(),
                              lean.getBody().end());
  SmallVector<Value> results;
  unsigned next = 0;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    results.push_back(dropped[i] ? replacements[i] : lean->getResult(next++));
  rewriter.replaceOp(op, results);
}

/// A carried value that the body hands on as it is, is the operand; so is one
/// that the body replaces by the operand itself.
struct DropInvariant : OpRewritePattern<WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WhileOp op,
                                PatternRewriter &rewriter) const override {
    Block &condition = op.getCond().front(), &body = op.getBody().front();
    Operation *terminator = body.getTerminator();
    unsigned count = op->getNumOperands();
    llvm::SmallBitVector dropped(count);
    SmallVector<Value> replacements(count);
    for (unsigned i = 0; i < count; ++i) {
      Value next = terminator->getOperand(i), operand = op->getOperand(i);
      if ((next != body.getArgument(i) && next != operand) ||
          operand.getType() != next.getType())
        continue;
      dropped.set(i);
      replacements[i] = operand;
      rewriter.replaceAllUsesWith(condition.getArgument(i), operand);
      rewriter.replaceAllUsesWith(body.getArgument(i), operand);
    }
    if (dropped.none())
      return rewriter.notifyMatchFailure(op, "all carried values change");
    dropCarried(op, dropped, replacements, rewriter);
    return success();
  }
};

/// A carried value that neither the condition, nor a result, nor the next round
/// of another one needs.
struct DropUnusedCarried : OpRewritePattern<WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WhileOp op,
                                PatternRewriter &rewriter) const override {
    Block &condition = op.getCond().front(), &body = op.getBody().front();
    Operation *terminator = body.getTerminator();
    unsigned count = op->getNumOperands();
    llvm::SmallBitVector dropped(count);
    for (unsigned i = 0; i < count; ++i)
      dropped[i] = op->getResult(i).use_empty() &&
                   condition.getArgument(i).use_empty() &&
                   onlyFeeds(body.getArgument(i), terminator, i);
    if (dropped.none())
      return rewriter.notifyMatchFailure(op, "all carried values are needed");
    // The ops of the body that made them are dead after this, but still read
    // the arguments.
    for (unsigned i : dropped.set_bits()) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceAllUsesWith(body.getArgument(i), op->getOperand(i));
    }
    dropCarried(op, dropped, SmallVector<Value>(count), rewriter);
    return success();
  }

private:
  /// Whether `value` reaches nothing but operand `i` of the terminator, by way
  /// of a few ops.
  static bool onlyFeeds(Value value, Operation *terminator, unsigned i) {
    SmallVector<Value> open = {value};
    for (unsigned n = 0; n < open.size(); ++n)
      for (OpOperand &use : open[n].getUses()) {
        Operation *user = use.getOwner();
        if (user == terminator) {
          if (use.getOperandNumber() != i)
            return false;
          continue;
        }
        if (open.size() > 16 || user->getBlock() != terminator->getBlock() ||
            !isMemoryEffectFree(user))
          return false;
        llvm::append_range(open, user->getResults());
      }
    return true;
  }
};

/// A token says when, not what: the order of effects is the order of ops.
struct DropCarriedTokens : OpRewritePattern<WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WhileOp op,
                                PatternRewriter &rewriter) const override {
    llvm::SmallBitVector dropped(op->getNumOperands());
    SmallVector<Value> replacements(op->getNumOperands());
    for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
      if (!isa<TokenType>(operand.getType()))
        continue;
      dropped.set(i);
      replacements[i] = operand;
      for (Region *region : {&op.getCond(), &op.getBody()})
        rewriter.replaceAllUsesWith(region->getArgument(i), operand);
    }
    if (dropped.none())
      return rewriter.notifyMatchFailure(op, "carries no token");
    dropCarried(op, dropped, replacements, rewriter);
    return success();
  }
};

/// What all branches return from outside, what nobody reads, and tokens.
template <typename Op> struct DropBranchResults : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    llvm::BitVector dropped(op->getNumResults());
    SmallVector<Value> replacements(op->getNumResults());
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      Value result = op->getResult(i);
      if (isa<TokenType>(result.getType())) {
        rewriter.setInsertionPoint(op);
        replacements[i] =
            CreateTokenOp::create(rewriter, op.getLoc(), result.getType());
      } else if (!result.use_empty()) {
        replacements[i] = common(op, i);
      }
      dropped[i] = replacements[i] || result.use_empty();
    }
    if (dropped.none())
      return rewriter.notifyMatchFailure(op, "all results are needed");
    SmallVector<Type> types;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      if (!dropped[i])
        types.push_back(op->getResult(i).getType());
    rewriter.setInsertionPoint(op);
    OperationState state(op.getLoc(), op->getName(), op->getOperands(), types,
                         op->getAttrs());
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    Operation *lean = rewriter.create(state);
    for (auto [from, to] :
         llvm::zip_equal(op->getRegions(), lean->getRegions())) {
      rewriter.inlineRegionBefore(from, to, to.end());
      Operation *terminator = to.front().getTerminator();
      rewriter.modifyOpInPlace(terminator,
                               [&] { terminator->eraseOperands(dropped); });
    }
    unsigned next = 0;
    for (unsigned i = 0; i < replacements.size(); ++i)
      if (!dropped[i])
        replacements[i] = lean->getResult(next++);
    rewriter.replaceOp(op, replacements);
    return success();
  }

private:
  /// The value from outside that all branches return as result `i`.
  static Value common(Operation *op, unsigned i) {
    Value first;
    for (Region &region : op->getRegions()) {
      Value value = region.front().getTerminator()->getOperand(i);
      if (region.isAncestor(value.getParentRegion()) ||
          (first && value != first) ||
          value.getType() != op->getResult(i).getType())
        return {};
      first = value;
    }
    return first;
  }
};

//===----------------------------------------------------------------------===//
// Tuples
//===----------------------------------------------------------------------===//

/// A loop that carries tuples carries their members.
struct OpenCarriedTuple : OpRewritePattern<WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WhileOp op,
                                PatternRewriter &rewriter) const override {
    auto *found = llvm::find_if(op->getOpOperands(), [](OpOperand &operand) {
      return isa<TupleType>(operand.get().getType());
    });
    if (found == op->getOpOperands().end())
      return rewriter.notifyMatchFailure(op, "carries no tuple");
    unsigned at = found->getOperandNumber();
    auto type = cast<TupleType>(found->get().getType());
    unsigned parts = type.size();
    Location loc = op.getLoc();

    SmallVector<Value> operands(op->getOperands());
    SmallVector<Type> types(op->getResultTypes());
    open(rewriter, loc, operands, at, parts);
    types.erase(types.begin() + at);
    types.insert(types.begin() + at, type.begin(), type.end());
    OperationState state(loc, op->getName(), operands, types);
    state.addRegion();
    state.addRegion();
    for (Region *region : {&op.getCond(), &op.getBody()}) {
      Block &block = region->front();
      rewriter.setInsertionPointToStart(&block);
      SmallVector<Value> members;
      for (unsigned i = 0; i < parts; ++i)
        members.push_back(
            block.insertArgument(at + 1 + i, type.getType(i), loc));
      Value whole = TupleOp::create(rewriter, loc, type, members);
      rewriter.replaceAllUsesWith(block.getArgument(at), whole);
      block.eraseArgument(at);
    }
    Operation *terminator = op.getBody().front().getTerminator();
    rewriter.setInsertionPoint(terminator);
    SmallVector<Value> next(terminator->getOperands());
    open(rewriter, loc, next, at, parts);
    rewriter.modifyOpInPlace(terminator,
                             [&] { terminator->setOperands(next); });

    rewriter.setInsertionPoint(op);
    auto flat = cast<WhileOp>(rewriter.create(state));
    rewriter.inlineRegionBefore(op.getCond(), flat.getCond(),
                                flat.getCond().end());
    rewriter.inlineRegionBefore(op.getBody(), flat.getBody(),
                                flat.getBody().end());
    SmallVector<Value> results(flat->getResults());
    Value whole = TupleOp::create(rewriter, loc, type,
                                  ArrayRef(results).slice(at, parts));
    results.erase(results.begin() + at, results.begin() + at + parts);
    results.insert(results.begin() + at, whole);
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// Puts the members of value `at` in its place.
  static void open(PatternRewriter &rewriter, Location loc,
                   SmallVector<Value> &values, unsigned at, unsigned parts) {
    Value whole = values[at];
    values.erase(values.begin() + at);
    for (unsigned i = 0; i < parts; ++i)
      values.insert(values.begin() + at + i,
                    GetTupleElementOp::create(rewriter, loc, whole, i));
  }
};

/// A branch that returns a tuple returns its members.
template <typename Op> struct OpenReturnedTuple : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto results = op->getResults();
    auto found = llvm::find_if(
        results, [](Value result) { return isa<TupleType>(result.getType()); });
    if (found == results.end())
      return rewriter.notifyMatchFailure(op, "returns no tuple");
    unsigned at = std::distance(results.begin(), found);
    auto type = cast<TupleType>((*found).getType());
    SmallVector<Type> types(op->getResultTypes());
    types.erase(types.begin() + at);
    types.insert(types.begin() + at, type.begin(), type.end());
    OperationState state(op.getLoc(), op->getName(), op->getOperands(), types,
                         op->getAttrs());
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    rewriter.setInsertionPoint(op);
    Operation *flat = rewriter.create(state);
    for (auto [from, to] :
         llvm::zip_equal(op->getRegions(), flat->getRegions())) {
      rewriter.inlineRegionBefore(from, to, to.end());
      Operation *terminator = to.front().getTerminator();
      rewriter.setInsertionPoint(terminator);
      SmallVector<Value> values(terminator->getOperands());
      Value whole = values[at];
      values.erase(values.begin() + at);
      for (unsigned i = 0; i < type.size(); ++i)
        values.insert(
            values.begin() + at + i,
            GetTupleElementOp::create(rewriter, op.getLoc(), whole, i));
      rewriter.modifyOpInPlace(terminator,
                               [&] { terminator->setOperands(values); });
    }
    rewriter.setInsertionPointAfter(flat);
    SmallVector<Value> replacements(flat->getResults());
    Value whole =
        TupleOp::create(rewriter, op.getLoc(), type,
                        ArrayRef(replacements).slice(at, type.size()));
    replacements.erase(replacements.begin() + at,
                       replacements.begin() + at + type.size());
    replacements.insert(replacements.begin() + at, whole);
    rewriter.replaceOp(op, replacements);
    return success();
  }
};

} // namespace

void populateSimplifyControlPatterns(RewritePatternSet &patterns) {
  patterns
      .add<DropInvariant, DropUnusedCarried, DropCarriedTokens,
           DropBranchResults<IfOp>, DropBranchResults<CaseOp>, OpenCarriedTuple,
           OpenReturnedTuple<IfOp>, OpenReturnedTuple<CaseOp>>(
          patterns.getContext());
}

} // namespace heddle
