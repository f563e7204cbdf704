// Decides which operations run as one kernel: roots with epilogues, rows, what
// is left.

#include "passes/Dispatch/DispatchGroups.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/TrueLoops.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/RegisteredCalls.h"
#include "passes/Dispatch/CallEffects.h"
#include "passes/Dispatch/Epilogue.h"
#include "passes/Lower/ControlFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

bool heddle::isDuplicated(Operation *op) {
  return isa<arith::ConstantOp, tensor::EmptyOp, linalg::FillOp,
             tensor::ExtractOp, prec::DequantizeOp, prec::UnpackOp>(op);
}

bool heddle::staysOutside(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             kernel::WeightRefOp, kernel::DispatchOp, kernel::LaunchOp,
             kernel::SizeOp, kernel::CollectiveOp, kernel::RankOp>(op) ||
         isControlFlow(op) || stablehlo::isRegisteredCall(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

DispatchGroups::DispatchGroups(Block &block, const FusionFacts &facts)
    : block(block), facts(facts) {
  unsigned piece = 0;
  for (Operation &op : block) {
    later.push_back(later.size());
    placeOf[&op] = later.back();
    if (hasCallEffect(&op))
      ++piece;
    else if (piece)
      pieceOf[&op] = piece;
  }
  formRoots();
  formRows();
  formRest();
}

void DispatchGroups::assign(ArrayRef<Operation *> ops) {
  DispatchGroup group(ops);
  llvm::sort(group,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : group)
    groupOf[op] = groups.size();
  span(placeOf.lookup(group.front()), placeOf.lookup(group.back()));
  groups.push_back(std::move(group));
}

void DispatchGroups::span(unsigned first, unsigned last) {
  for (unsigned place = lastBefore(first); place < last;
       place = lastBefore(place))
    later[place] = place + 1;
}

unsigned DispatchGroups::lastBefore(unsigned place) {
  unsigned last = place;
  while (later[last] != last)
    last = later[last];
  // The next search finds it in one step.
  while (later[place] != last)
    place = std::exchange(later[place], last);
  return last;
}

bool DispatchGroups::isFree(Operation *op) const {
  return op && op->getBlock() == &block && !groupOf.contains(op) &&
         !isDuplicated(op) && !staysOutside(op);
}

Operation *DispatchGroups::inBlock(Operation *op) const {
  return block.findAncestorOpInBlock(*op);
}

//===----------------------------------------------------------------------===//
// Roots and their epilogues
//===----------------------------------------------------------------------===//

/// The generic that can run on the tiles of `root` as they are computed.
static linalg::GenericOp epilogueOf(Operation *root) {
  Value result = root->getResult(0);
  if (!result.hasOneUse() || !rootOfEpilogue(*result.use_begin()))
    return {};
  return cast<linalg::GenericOp>(*result.user_begin());
}

void DispatchGroups::formRoots() {
  // A generic that could follow two roots follows the one that is computed
  // last: the other's result is in memory by then anyway.
  for (Operation &op : llvm::reverse(block)) {
    if (!takesEpilogue(&op))
      continue;
    linalg::GenericOp epilogue = epilogueOf(&op);
    if (epilogue && isFree(epilogue) && inOnePiece(&op, epilogue))
      assign({&op, epilogue});
    else
      assign({&op});
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

using RowExtents = SmallVector<size::Expression>;

/// The true extents of the leading dimensions over which `op` reduces row by
/// row; empty if it does not.
static RowExtents reducedRows(linalg::GenericOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  unsigned rows =
      llvm::find(iterators, utils::IteratorType::reduction) - iterators.begin();
  bool trailing = llvm::all_of(
      ArrayRef(iterators).drop_front(rows), [](utils::IteratorType iterator) {
        return iterator == utils::IteratorType::reduction;
      });
  if (rows == iterators.size() || !trailing)
    return {};
  std::optional<RowExtents> extents = kernel::trueLoops(op);
  if (!extents)
    return {};
  extents->truncate(rows);
  return *extents;
}

/// Whether `map` reads row (d0, ..., dR-1) of its tensor and no other. A row
/// dimension of one point may also be read as 0.
static bool staysInRow(AffineMap map, ArrayRef<size::Expression> rows) {
  if (map.getNumResults() < rows.size())
    return false;
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    if (i < rows.size()) {
      auto dim = dyn_cast<AffineDimExpr>(result);
      bool same = dim && dim.getPosition() == i;
      if (!same && !(rows[i].isConstant(1) && isa<AffineConstantExpr>(result)))
        return false;
      continue;
    }
    for (unsigned row = 0; row < rows.size(); ++row)
      if (result.isFunctionOfDim(row))
        return false;
  }
  return true;
}

/// Whether the generic works row by row over these extents.
static bool isRowWise(linalg::GenericOp op, ArrayRef<size::Expression> rows) {
  std::optional<RowExtents> extents = kernel::trueLoops(op);
  if (!extents || extents->size() < rows.size() ||
      ArrayRef(*extents).take_front(rows.size()) != rows)
    return false;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (utils::IteratorType iterator :
       ArrayRef(iterators).take_front(rows.size()))
    if (iterator != utils::IteratorType::parallel)
      return false;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!staysInRow(op.getMatchingIndexingMap(&init), rows))
      return false;
  return true;
}

/// No op between: whatever `op` reads of the group it reads directly, and the
/// other way round, also by way of other groups.
bool DispatchGroups::mayJoin(const llvm::SetVector<Operation *> &group,
                             Operation *op) {
  unsigned last = placeOf.lookup(op);
  for (Operation *member : group)
    last = std::max(last, placeOf.lookup(member));
  last = lastBefore(last);
  // Everything that depends on `from` by way of somebody outside, as far as
  // it may lead back.
  auto reaches = [&](ArrayRef<Operation *> from,
                     llvm::function_ref<bool(Operation *)> inside,
                     llvm::function_ref<bool(Operation *)> target) {
    llvm::SetVector<Operation *> seen;
    auto visitUsers = [&](Operation *source, bool fromInside) {
      for (Operation *user : source->getUsers()) {
        Operation *top = inBlock(user);
        if (!top || (fromInside && (inside(top) || target(top))))
          continue;
        if (target(top) || inside(top))
          return true;
        if (placeOf.lookup(top) > last)
          continue;
        // A group waits for all its inputs before it gives any result.
        auto whole = groupOf.find(top);
        if (whole == groupOf.end())
          seen.insert(top);
        else
          seen.insert(groups[whole->second].begin(),
                      groups[whole->second].end());
      }
      return false;
    };
    for (Operation *source : from)
      if (visitUsers(source, true))
        return true;
    for (unsigned i = 0; i < seen.size(); ++i)
      if (visitUsers(seen[i], false))
        return true;
    return false;
  };
  auto isMember = [&](Operation *o) { return group.contains(o); };
  auto isOp = [&](Operation *o) { return o == op; };
  return !reaches(group.getArrayRef(), isMember, isOp) &&
         !reaches({op}, isOp, isMember);
}

void DispatchGroups::growRows(llvm::SetVector<Operation *> &group,
                              ArrayRef<size::Expression> rows) {
  // Between two members, rows must match in both directions.
  auto fits = [&](linalg::GenericOp op) {
    for (OpOperand *input : op.getDpsInputOperands())
      if (group.contains(input->get().getDefiningOp()) &&
          (!staysInRow(op.getMatchingIndexingMap(input), rows) ||
           kernel::mayWalkPart(*input)))
        return false;
    for (Value init : op.getDpsInits())
      if (group.contains(init.getDefiningOp()))
        return false;
    // What is gathered from must be whole.
    bool whole = true;
    op.getBody()->walk([&](tensor::ExtractOp extract) {
      whole &= !group.contains(extract.getTensor().getDefiningOp());
    });
    for (OpResult result : op->getResults()) {
      for (OpOperand &use : result.getUses()) {
        if (!group.contains(inBlock(use.getOwner())))
          continue;
        auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
        if (!reader || !reader.isDpsInput(&use) ||
            !staysInRow(reader.getMatchingIndexingMap(&use), rows) ||
            kernel::mayWalkPart(use))
          return false;
      }
    }
    return whole;
  };
  auto tryAdd = [&](Operation *op) {
    auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
    if (!generic || !isFree(op) || group.contains(op) ||
        static_cast<int64_t>(group.size()) >= facts.maximumRowOperations ||
        !inOnePiece(group.front(), op) || !isRowWise(generic, rows) ||
        !fits(generic) || !mayJoin(group, op))
      return false;
    group.insert(op);
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Operation *> members(group.getArrayRef());
    for (Operation *member : members) {
      for (Value operand : cast<linalg::GenericOp>(member).getInputs())
        changed |= tryAdd(operand.getDefiningOp());
      for (Operation *user : member->getUsers())
        changed |= tryAdd(inBlock(user));
    }
  }
}

void DispatchGroups::formRows() {
  for (auto op : block.getOps<linalg::GenericOp>()) {
    if (!isFree(op))
      continue;
    RowExtents rows = reducedRows(op);
    if (rows.empty())
      continue;
    llvm::SetVector<Operation *> group;
    group.insert(op);
    growRows(group, rows);
    assign(group.getArrayRef());
  }
}

void DispatchGroups::formRest() {
  for (Operation &op : block)
    if (isFree(&op))
      assign({&op});
}
