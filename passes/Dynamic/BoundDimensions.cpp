// Gives a program the extents of each call as values, and keeps what lies
// beyond them out.
//
// It stands behind the recognition of composites and layouts, which work on
// types with extents: a mask in between would hide what belongs together.

#include "dialects/Chlo/Chlo.h"
#include "dialects/Kernel/EntryFunctions.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/EntryStates.h"
#include "passes/Dynamic/BoundedPart.h"
#include "passes/Dynamic/DeclareSizes.h"
#include "passes/Dynamic/HeldPositions.h"
#include "passes/Dynamic/PaddingMasker.h"
#include "passes/Dynamic/Passes.h"
#include "passes/Dynamic/TrueExtents.h"
#include "passes/Dynamic/TrueForms.h"
#include "passes/Dynamic/VerifyExtents.h"
#include "passes/Graph/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_BOUNDDIMENSIONS
#include "passes/Dynamic/Passes.h.inc"

namespace {

/// One entry of the module.
class Binder {
public:
  Binder(func::FuncOp main, SizeTable &table, const BoundedSizes &sizes)
      : main(main), table(table), sizes(sizes) {}

  /// Masks `bounded`, operations of the entry whose extents the table has.
  LogicalResult run(ArrayRef<Operation *> bounded);

private:
  /// The arguments that hold symbols, and what the program computes for them,
  /// by their names.
  llvm::StringMap<Value> symbols();
  void unpackArguments(PaddingMasker &masker, Operation *anchor);
  void packResults(PaddingMasker &masker);
  /// Whether the true elements come first in the memory of the tensor.
  static bool isInFront(RankedTensorType type,
                        ArrayRef<size::Expression> extents) {
    bool first = true;
    for (auto [size, extent] : llvm::zip_equal(type.getShape(), extents)) {
      if (!extent.isConstant() && !first)
        return false;
      first &= size == 1;
    }
    return true;
  }
  static size::Expression product(ArrayRef<size::Expression> extents) {
    size::Expression result = extents.front();
    for (size::Expression extent : extents.drop_front())
      result = result * extent;
    return result;
  }

  func::FuncOp main;
  SizeTable &table;
  const BoundedSizes &sizes;
};

} // namespace

llvm::StringMap<Value> Binder::symbols() {
  llvm::StringMap<Value> holders;
  for (BlockArgument argument : main.getArguments())
    if (auto name = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      kExtentAttrName))
      holders[name.getValue()] = argument;
  Operation *end = main.front().getTerminator();
  for (OpOperand &result : end->getOpOperands())
    if (auto name = main.getResultAttrOfType<StringAttr>(
            result.getOperandNumber(), kExtentAttrName))
      holders[name.getValue()] = result.get();
  return holders;
}

/// An input whose true elements do not come first is a row of elements that
/// the program spreads.
void Binder::unpackArguments(PaddingMasker &masker, Operation *anchor) {
  OpBuilder builder(anchor);
  for (BlockArgument argument : main.getArguments()) {
    SmallVector<size::Expression> extents(table.extents(argument));
    if (extents.empty())
      continue;
    auto type = cast<RankedTensorType>(argument.getType());
    if (isInFront(type, extents))
      continue;
    auto row =
        RankedTensorType::get({type.getNumElements()}, type.getElementType());
    argument.setType(row);
    table.setExtents(argument, {product(extents)});
    // Users of the argument itself come after this.
    SmallVector<OpOperand *> uses = llvm::map_to_vector(
        argument.getUses(), [](OpOperand &u) { return &u; });
    Value spread = masker.reflow(builder, argument.getLoc(), argument,
                                 type.getShape(), extents);
    for (OpOperand *use : uses)
      use->set(spread);
  }
}

void Binder::packResults(PaddingMasker &masker) {
  Operation *end = main.front().getTerminator();
  OpBuilder builder(end);
  for (unsigned i = 0; i < end->getNumOperands(); ++i) {
    Value result = end->getOperand(i);
    SmallVector<size::Expression> extents(table.extents(result));
    if (extents.empty())
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    if (isInFront(type, extents))
      continue;
    end->setOperand(i,
                    masker.reflow(builder, result.getLoc(), result,
                                  {type.getNumElements()}, {product(extents)}));
  }
}

LogicalResult Binder::run(ArrayRef<Operation *> bounded) {
  Block &block = main.front();
  // Between what is computed from extents alone and the program.
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  auto addAnchor = [&] {
    return numberEverywhere(builder, main.getLoc(),
                            RankedTensorType::get({}, builder.getI32Type()), 0)
        .getDefiningOp();
  };
  Operation *anchor = addAnchor();
  llvm::StringMap<Value> holders = symbols();
  // What an operation of the program computes is known behind it.
  llvm::StringMap<Operation *> anchors;
  for (auto &[name, holder] : holders)
    if (Operation *op = holder.getDefiningOp()) {
      builder.setInsertionPointAfter(op);
      anchors[name] = addAnchor();
    }
  ExtentValues values(anchor, holders, anchors);
  PaddingMasker masker(table, values, sizes);
  if (failed(masker.run(bounded)))
    return failure();
  unpackArguments(masker, anchor);
  packResults(masker);
  anchor->erase();
  for (auto &[name, own] : anchors)
    own->erase();
  main.setType(FunctionType::get(main.getContext(), block.getArgumentTypes(),
                                 block.getTerminator()->getOperandTypes()));
  return success();
}

namespace {
struct BoundDimensions : impl::BoundDimensionsBase<BoundDimensions> {
  using BoundDimensionsBase::BoundDimensionsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!module->hasAttr(kSymbolsAttrName))
      return;
    if (failed(bound(module)))
      return signalPassFailure();
    // What passes before left alone for its open sizes.
    OpPassManager rest(ModuleOp::getOperationName());
    rest.addPass(createExpandCustomCalls());
    rest.addPass(createAssignConvolutionLayout());
    rest.addPass(createSimplify());
    rest.addPass(createSymbolDCEPass());
    if (failed(runPipeline(rest, module)))
      signalPassFailure();
  }

private:
  static LogicalResult boundAll(func::FuncOp entry, SizeTable &table,
                                const BoundedSizes &sizes) {
    return Binder(entry, table, sizes)
        .run(llvm::map_to_vector(entry.front(),
                                 [](Operation &op) { return &op; }));
  }

  /// Types keep their extents where kernels run over them.
  static LogicalResult boundPart(func::FuncOp entry, SizeTable &table,
                                 const BoundedSizes &sizes) {
    writeInTrueForms(entry, sizes);
    BoundedPart bounded(entry, table, sizes);
    bounded.part();
    holdWithinTrueExtents(entry);
    // Sizes as data become values everywhere.
    llvm::SmallPtrSet<Operation *, 8> apart(llvm::from_range,
                                            bounded.operations());
    SmallVector<Operation *> visited(bounded.operations());
    entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (apart.contains(op))
        return WalkResult::skip();
      if (isa<size::TensorOp>(op))
        visited.push_back(op);
      return WalkResult::advance();
    });
    return Binder(entry, table, sizes).run(visited);
  }

  static bool isDeclared(func::FuncOp entry) {
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      if (entry.getArgAttr(i, kExtentAttrName))
        return true;
    return false;
  }

  /// Whether sizes of calls, or lengths of states, say what it does.
  static bool isOpen(func::FuncOp entry) {
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      if (entry.getArgAttr(i, kStateShapeAttrName))
        return true;
    return llvm::any_of(entry.getArgumentTypes(), size::hasExtents) ||
           llvm::any_of(entry.getResultTypes(), size::hasExtents);
  }

  LogicalResult bound(ModuleOp module) {
    BoundedSizes sizes(module);
    SmallVector<func::FuncOp> entries = kernel::entryFunctions(module);
    for (func::FuncOp entry : entries) {
      if (!entry.getBody().hasOneBlock())
        return emitError(entry.getLoc(), ErrorCode::StableHloInvalid)
               << "the function '" << entry.getName()
               << "' is not one block of operations";
      if ((isOpen(entry) && !isDeclared(entry) &&
           failed(declareSizes(entry))) ||
          failed(verifyExtents(entry, sizes)))
        return failure();
    }
    SizeTable table = masksAll ? SizeTable::takeFrom(module) : SizeTable();
    for (func::FuncOp entry : entries)
      if (failed(masksAll ? boundAll(entry, table, sizes)
                          : boundPart(entry, table, sizes)))
        return failure();
    return success();
  }
};
} // namespace

} // namespace heddle
