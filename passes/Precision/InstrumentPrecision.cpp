// An input says which products of f32 multiply rounded factors.
//
// What rounding does to a program's results is measured, product by product,
// and not guessed from norms or noise: formats have no state, so that a factor
// rounded and widened again is the factor that a narrower kernel reads. One
// program answers for all products and formats, because the choice is data.

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Precision.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Precision/AskedProducts.h"
#include "passes/Precision/FactorFormat.h"
#include "passes/Precision/Passes.h"

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
    parsed.clear();
    quantizer = {};
    if (!readFormats())
      return signalPassFailure();
    SmallVector<Operation *> products =
        findAskedProducts(getOperation()).products;
    OpBuilder builder(&getContext());
    Value rounding = addInput(builder, entries.front(), products.size());
    for (auto [number, product] : llvm::enumerate(products))
      choose(builder, product, rounding, number);
  }

  /// False after an error, which has been reported.
  bool readFormats() {
    if (formats.empty())
      formats = {std::string("bf16")};
    for (const std::string &name : formats) {
      auto format = FactorFormat::parse(name, &getContext());
      if (!format) {
        emitError(getOperation().getLoc(), ErrorCode::BadCommandLine)
            << "a format of factors is '" << name << "'; "
            << FactorFormat::kNames << " is wanted";
        return false;
      }
      parsed.push_back(*format);
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
              int64_t number) {
    Location loc = product->getLoc();
    builder.setInsertionPoint(product);
    auto scalar = RankedTensorType::get({}, builder.getI32Type());
    Value chosen = stablehlo::SliceOp::create(
        builder, loc, RankedTensorType::get(1, builder.getI32Type()), rounding,
        ArrayRef<int64_t>{number}, ArrayRef<int64_t>{number + 1},
        ArrayRef<int64_t>{1});
    chosen = stablehlo::ReshapeOp::create(builder, loc, scalar, chosen);
    SmallVector<Value> isFormat;
    for (size_t i = 0; i < parsed.size(); ++i) {
      Value format = stablehlo::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(scalar, builder.getI32IntegerAttr(i + 1)));
      isFormat.push_back(stablehlo::CompareOp::create(
          builder, loc, chosen, format, stablehlo::ComparisonDirection::EQ));
    }
    Value left = product->getOperand(0), right = product->getOperand(1);
    Value chosenLeft = left, chosenRight = right;
    for (auto [is, format] : llvm::zip_equal(isFormat, parsed)) {
      if (format.type) {
        // One value may be both factors.
        bool isOne = chosenLeft == chosenRight;
        chosenLeft = rounded(builder, loc, left, chosenLeft, is, format.type);
        chosenRight =
            isOne ? chosenLeft
                  : rounded(builder, loc, right, chosenRight, is, format.type);
      } else if (std::optional<int64_t> axis =
                     weightAxis(product, format.weights)) {
        chosenRight = quantized(
            builder, loc, quantizer.integersOf(right, *axis, format.weights),
            chosenRight, is);
      }
    }
    product->setOperand(0, chosenLeft);
    product->setOperand(1, chosenRight);
  }

  /// `value`, or zeros where it is not chosen. What is computed from it is no
  /// matter of constants alone, also where it is a weight: else the packer
  /// would store the results for each format.
  Value onlyIf(OpBuilder &builder, Location loc, Value is, Value value) {
    Value zero = stablehlo::ConstantOp::create(
        builder, loc,
        cast<DenseElementsAttr>(builder.getZeroAttr(value.getType())));
    return stablehlo::SelectOp::create(builder, loc, is, value, zero);
  }

  /// What is left of `value` in the type if it `is` chosen, or else
  /// `otherwise`.
  Value rounded(OpBuilder &builder, Location loc, Value value, Value otherwise,
                Value is, FloatType type) {
    Value taken = onlyIf(builder, loc, is, value);
    Value narrow = stablehlo::ConvertOp::create(
        builder, loc, typeOf(value).clone(type), taken);
    Value wide =
        stablehlo::ConvertOp::create(builder, loc, value.getType(), narrow);
    return stablehlo::SelectOp::create(builder, loc, is, wide, otherwise);
  }

  /// The same for a weight in integers, which are stored beside it: an eighth
  /// or a quarter of what it takes.
  Value quantized(OpBuilder &builder, Location loc, const WeightIntegers &parts,
                  Value otherwise, Value is) {
    Value wide =
        parts.dequantized(builder, onlyIf(builder, loc, is, parts.integers));
    return stablehlo::SelectOp::create(builder, loc, is, wide, otherwise);
  }

  SmallVector<FactorFormat> parsed;
  WeightQuantizer quantizer;
};

} // namespace
} // namespace heddle
