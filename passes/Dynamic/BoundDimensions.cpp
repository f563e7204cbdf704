// Gives a program the extents of each call as values, and keeps what lies
// beyond them out.

#include "passes/Dynamic/BoundDimensions.h"

#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "passes/Dynamic/PaddingMasker.h"

using namespace mlir;

namespace heddle {
namespace {

class Binder {
public:
  Binder(ModuleOp module, func::FuncOp main, SizeTable &table,
         const BoundedSizes &sizes)
      : module(module), main(main), table(table), sizes(sizes) {}

  LogicalResult run();

private:
  LogicalResult checkSymbols();
  void addExtents();
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

  ModuleOp module;
  func::FuncOp main;
  SizeTable &table;
  const BoundedSizes &sizes;
  llvm::StringMap<Value> symbols;
};

} // namespace

/// A call tells a symbol's value by the shape of an input.
LogicalResult Binder::checkSymbols() {
  for (const BoundedSymbol &symbol : sizes.symbols()) {
    auto wanted = size::Expression::symbol(module.getContext(), symbol.name);
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
  auto type = RankedTensorType::get({}, builder.getI32Type());
  for (const BoundedSymbol &symbol : sizes.symbols()) {
    unsigned position = main.getNumArguments();
    NamedAttribute name = builder.getNamedAttr(
        kExtentAttrName, builder.getStringAttr(symbol.name));
    (void)main.insertArgument(position, type, builder.getDictionaryAttr({name}),
                              main.getLoc());
    symbols[symbol.name] = main.getArgument(position);
  }
}

/// An input whose true elements do not come first is a row of elements that
/// the program spreads.
void Binder::unpackArguments(PaddingMasker &masker, Operation *anchor) {
  OpBuilder builder(anchor);
  for (BlockArgument argument : main.getArguments()) {
    SmallVector<size::Expression> extents(table.extents(argument));
    if (extents.empty())
      continue;
    main.setArgAttr(argument.getArgNumber(), kShapeAttrName,
                    size::extentsAttr(module.getContext(), extents));
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
    main.setResultAttr(i, kShapeAttrName,
                       size::extentsAttr(module.getContext(), extents));
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

LogicalResult boundDimensions(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock())
    return emitError(module.getLoc(), ErrorCode::StableHloInvalid)
           << "the module has no function 'main' of one block";
  BoundedSizes sizes(module);
  SizeTable table = SizeTable::takeFrom(module);
  return Binder(module, main, table, sizes).run();
}

} // namespace heddle
