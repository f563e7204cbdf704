// Gives a program the extents of each call as values, and keeps what lies
// beyond them out.

#include "passes/Dynamic/BoundDimensions.h"

#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "passes/Dynamic/PaddingMasker.h"

#include "mlir/IR/AffineMap.h"

using namespace mlir;

namespace heddle {
namespace {

class Binder {
public:
  Binder(ModuleOp module, func::FuncOp main, SizeTable &table,
         const SampleSizes &sizes)
      : module(module), main(main), table(table), sizes(sizes) {}

  LogicalResult run();

private:
  LogicalResult checkSymbols();
  void addExtents();
  void unpackArguments(PaddingMasker &masker, Operation *anchor);
  void packResults(PaddingMasker &masker);
  AffineMap mapOf(ArrayRef<AffineExpr> extents) {
    return AffineMap::get(0, sizes.symbols().size(), extents,
                          module.getContext());
  }
  /// Whether the true elements come first in the memory of the tensor.
  static bool isInFront(RankedTensorType type, ArrayRef<AffineExpr> extents) {
    bool first = true;
    for (auto [size, extent] : llvm::zip_equal(type.getShape(), extents)) {
      if (!isa<AffineConstantExpr>(extent) && !first)
        return false;
      first &= size == 1;
    }
    return true;
  }
  static AffineExpr product(ArrayRef<AffineExpr> extents) {
    AffineExpr result = extents.front();
    for (AffineExpr extent : extents.drop_front())
      result = result * extent;
    return result;
  }

  ModuleOp module;
  func::FuncOp main;
  SizeTable &table;
  const SampleSizes &sizes;
  SmallVector<Value> symbols;
};

} // namespace

/// A call tells a symbol's value by the shape of an input.
LogicalResult Binder::checkSymbols() {
  for (auto [i, symbol] : llvm::enumerate(sizes.symbols())) {
    AffineExpr wanted = getAffineSymbolExpr(i, module.getContext());
    if (llvm::none_of(main.getArguments(), [&](Value argument) {
          return llvm::is_contained(table.extents(argument), wanted);
        }))
      return emitError(main.getLoc(), ErrorCode::OnnxShapeOption)
             << "'" << symbol.name
             << "' is the size of no input: nothing would tell its value";
  }
  return success();
}

void Binder::addExtents() {
  Builder builder(module.getContext());
  SmallVector<Attribute> list;
  auto type = RankedTensorType::get({}, builder.getI32Type());
  for (auto [i, symbol] : llvm::enumerate(sizes.symbols())) {
    list.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(symbol.name)),
         builder.getNamedAttr("minimum",
                              builder.getI64IntegerAttr(symbol.minimum)),
         builder.getNamedAttr("maximum",
                              builder.getI64IntegerAttr(symbol.maximum))}));
    unsigned position = main.getNumArguments();
    NamedAttribute number = builder.getNamedAttr(
        kExtentAttrName, builder.getI64IntegerAttr(int64_t(i)));
    (void)main.insertArgument(
        position, type, builder.getDictionaryAttr({number}), main.getLoc());
    symbols.push_back(main.getArgument(position));
  }
  module->setAttr(kSymbolsAttrName, builder.getArrayAttr(list));
}

/// An input whose true elements do not come first is a row of elements that
/// the program spreads.
void Binder::unpackArguments(PaddingMasker &masker, Operation *anchor) {
  OpBuilder builder(anchor);
  for (BlockArgument argument : main.getArguments()) {
    SmallVector<AffineExpr> extents(table.extents(argument));
    if (extents.empty())
      continue;
    main.setArgAttr(argument.getArgNumber(), kShapeAttrName,
                    AffineMapAttr::get(mapOf(extents)));
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
    SmallVector<AffineExpr> extents(table.extents(result));
    if (extents.empty())
      continue;
    main.setResultAttr(i, kShapeAttrName, AffineMapAttr::get(mapOf(extents)));
    auto type = cast<RankedTensorType>(result.getType());
    if (isInFront(type, extents))
      continue;
    end->setOperand(i,
                    masker.reflow(builder, result.getLoc(), result,
                                  {type.getNumElements()}, {product(extents)}));
  }
}

LogicalResult Binder::run() {
  if (failed(checkSymbols()))
    return failure();
  Block &block = main.front();
  addExtents();
  // Between what is computed from extents alone and the program.
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  Operation *anchor =
      numberEverywhere(builder, main.getLoc(),
                       RankedTensorType::get({}, builder.getI32Type()), 0)
          .getDefiningOp();
  ExtentValues values(anchor, symbols);
  PaddingMasker masker(table, values, sizes);
  if (failed(masker.run(block)))
    return failure();
  unpackArguments(masker, anchor);
  packResults(masker);
  anchor->erase();
  main.setType(FunctionType::get(module.getContext(), block.getArgumentTypes(),
                                 block.getTerminator()->getOperandTypes()));
  return success();
}

LogicalResult boundDimensions(ModuleOp largest, ArrayRef<ModuleOp> others,
                              const SampleSizes &sizes) {
  auto main = largest.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock())
    return emitError(largest.getLoc(), ErrorCode::StableHloInvalid)
           << "the module has no function 'main' of one block";
  FailureOr<SizeTable> table = SizeTable::compare(largest, others, sizes);
  if (failed(table))
    return failure();
  return Binder(largest, main, *table, sizes).run();
}

} // namespace heddle
