// An input says which products of f32 multiply rounded factors.
//
// What rounding does to a program's results is measured, product by product,
// and not guessed from norms or noise: floating-point formats have no state, so
// that a factor rounded and widened again is the factor that a narrower kernel
// reads. One program answers for all products and formats, because the choice
// is data.

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Precision.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Precision/AskedProducts.h"
#include "passes/Precision/Passes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_INSTRUMENTPRECISION
#include "passes/Precision/Passes.h.inc"

namespace {
struct InstrumentPrecision
    : impl::InstrumentPrecisionBase<InstrumentPrecision> {
  using impl::InstrumentPrecisionBase<
      InstrumentPrecision>::InstrumentPrecisionBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> entries = kernel::entryFunctions(getOperation());
    if (entries.size() != 1) {
      emitError(getOperation().getLoc(), ErrorCode::BadCommandLine)
          << "there are " << entries.size()
          << " entries; the products of one can be chosen by an input";
      return signalPassFailure();
    }
    SmallVector<FloatType> types;
    if (!readFormats(types))
      return signalPassFailure();
    SmallVector<Operation *> products =
        findAskedProducts(getOperation()).products;
    OpBuilder builder(&getContext());
    Value rounding = addInput(builder, entries.front(), products.size());
    for (auto [number, product] : llvm::enumerate(products))
      choose(builder, product, rounding, number, types);
  }

  /// False after an error, which has been reported.
  bool readFormats(SmallVectorImpl<FloatType> &types) {
    if (formats.empty())
      formats = {std::string("bf16")};
    for (const std::string &name : formats) {
      types.push_back(llvm::StringSwitch<FloatType>(name)
                          .Case("bf16", BFloat16Type::get(&getContext()))
                          .Case("f16", Float16Type::get(&getContext()))
                          .Default(FloatType()));
      if (types.back())
        continue;
      emitError(getOperation().getLoc(), ErrorCode::BadCommandLine)
          << "a format of factors is '" << name << "'; bf16 or f16 is wanted";
      return false;
    }
    return true;
  }

  /// The argument behind all others, a number for each product.
  Value addInput(OpBuilder &builder, func::FuncOp entry, int64_t products) {
    auto type = RankedTensorType::get(products, builder.getI32Type());
    auto name = builder.getNamedAttr("heddle.name",
                                     builder.getStringAttr(kRoundingInputName));
    unsigned last = entry.getNumArguments();
    LogicalResult added = entry.insertArgument(
        last, type, builder.getDictionaryAttr(name), entry.getLoc());
    assert(succeeded(added) && "an entry has a plain function type");
    (void)added;
    return entry.getArgument(last);
  }

  void choose(OpBuilder &builder, Operation *product, Value rounding,
              int64_t number, ArrayRef<FloatType> types) {
    Location loc = product->getLoc();
    builder.setInsertionPoint(product);
    auto scalar = RankedTensorType::get({}, builder.getI32Type());
    Value chosen = stablehlo::SliceOp::create(
        builder, loc, RankedTensorType::get(1, builder.getI32Type()), rounding,
        ArrayRef<int64_t>{number}, ArrayRef<int64_t>{number + 1},
        ArrayRef<int64_t>{1});
    chosen = stablehlo::ReshapeOp::create(builder, loc, scalar, chosen);
    SmallVector<Value> isFormat;
    for (size_t i = 0; i < types.size(); ++i) {
      Value format = stablehlo::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(scalar, builder.getI32IntegerAttr(i + 1)));
      isFormat.push_back(stablehlo::CompareOp::create(
          builder, loc, chosen, format, stablehlo::ComparisonDirection::EQ));
    }
    // One value may be both factors.
    Value left = product->getOperand(0), right = product->getOperand(1);
    Value chosenLeft = rounded(builder, loc, left, isFormat, types);
    product->setOperand(0, chosenLeft);
    product->setOperand(1, left == right
                               ? chosenLeft
                               : rounded(builder, loc, right, isFormat, types));
  }

  /// `value`, or what is left of it in the format that was chosen.
  Value rounded(OpBuilder &builder, Location loc, Value value,
                ArrayRef<Value> isFormat, ArrayRef<FloatType> types) {
    RankedTensorType type = typeOf(value);
    // A choice before the rounding makes rounded weights no matter of constants
    // alone: else the packer would store one for each format.
    Value zero = stablehlo::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type,
                               builder.getFloatAttr(type.getElementType(), 0)));
    Value result = value;
    for (auto [is, factor] : llvm::zip_equal(isFormat, types)) {
      Value taken = stablehlo::SelectOp::create(builder, loc, is, value, zero);
      Value narrow =
          stablehlo::ConvertOp::create(builder, loc, type.clone(factor), taken);
      Value wide = stablehlo::ConvertOp::create(builder, loc, type, narrow);
      result = stablehlo::SelectOp::create(builder, loc, is, wide, result);
    }
    return result;
  }
};

} // namespace
} // namespace heddle
