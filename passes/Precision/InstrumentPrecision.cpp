// An input says which products of f32 multiply rounded factors.
//
// What rounding does to a program's results is measured, product by product,
// and not guessed from norms or noise: a factor rounded and widened again is
// the factor that a narrower kernel reads. One program answers for all products
// and formats, because the choice is data. So are the scales of bytes: the same
// program tells the ranges that these follow from.

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Precision.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Precision/AskedProducts.h"
#include "passes/Precision/FactorBytes.h"
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
    extremesOf.clear();
    if (!readFormats())
      return signalPassFailure();
    SmallVector<Operation *> products =
        findAskedProducts(getOperation()).products;
    OpBuilder builder(&getContext());
    func::FuncOp entry = entries.front();
    auto count = int64_t(products.size());
    rounding = addInput(builder, entry, kRoundingInputName,
                        RankedTensorType::get(count, builder.getI32Type()));
    bool hasBytes = llvm::any_of(
        parsed, [](const FactorFormat &format) { return format.isBytes; });
    auto pairs = RankedTensorType::get({count, 2}, builder.getF32Type());
    if (hasBytes) {
      addExtremes(builder, entry, products, pairs);
      scales = addInput(builder, entry, kFirstScalesInputName, pairs);
    }
    for (auto [number, product] : llvm::enumerate(products))
      choose(builder, product, number);
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
            << FactorFormat::names() << " is wanted";
        return false;
      }
      parsed.push_back(*format);
    }
    return true;
  }

  static DictionaryAttr named(OpBuilder &builder, StringRef name) {
    return builder.getDictionaryAttr(
        builder.getNamedAttr("heddle.name", builder.getStringAttr(name)));
  }

  /// The argument behind all others.
  static Value addInput(OpBuilder &builder, func::FuncOp entry, StringRef name,
                        RankedTensorType type) {
    unsigned last = entry.getNumArguments();
    LogicalResult added =
        entry.insertArgument(last, type, named(builder, name), entry.getLoc());
    assert(succeeded(added) && "an entry has a plain function type");
    (void)added;
    return entry.getArgument(last);
  }

  /// The result behind all others: what the first factors reach from and to.
  void addExtremes(OpBuilder &builder, func::FuncOp entry,
                   ArrayRef<Operation *> products, RankedTensorType type) {
    Operation *end = entry.getBody().front().getTerminator();
    SmallVector<Value> all;
    for (Operation *product : products)
      llvm::append_range(all, channelAxis(product)
                                  ? extremes(product->getOperand(0))
                                  : noExtremes(entry));
    builder.setInsertionPoint(end);
    Value row = stablehlo::ConcatenateOp::create(
        builder, entry.getLoc(),
        RankedTensorType::get(2 * products.size(), builder.getF32Type()), all,
        /*dimension=*/0);
    row = stablehlo::ReshapeOp::create(builder, entry.getLoc(), type, row);
    end->insertOperands(end->getNumOperands(), row);
    LogicalResult added = entry.insertResult(
        entry.getNumResults(), type, named(builder, kExtremesOutputName));
    assert(succeeded(added) && "an entry has a plain function type");
    (void)added;
  }

  using Extremes = SmallVector<Value, 2>;

  /// The least and the largest element of `value`, each [1].
  Extremes &extremes(Value value) {
    Extremes &both = extremesOf[value];
    if (!both.empty())
      return both;
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    for (bool isLeast : {true, false})
      both.push_back(extreme(builder, value, isLeast));
    return both;
  }

  static Value extreme(OpBuilder &builder, Value value, bool isLeast) {
    Location loc = value.getLoc();
    auto scalar = RankedTensorType::get({}, builder.getF32Type());
    Value start = stablehlo::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            scalar, APFloat::getInf(APFloat::IEEEsingle(), !isLeast)));
    auto reduce = stablehlo::ReduceOp::create(
        builder, loc, TypeRange(scalar), ValueRange(value), ValueRange(start),
        builder.getDenseI64ArrayAttr(
            llvm::to_vector(llvm::seq<int64_t>(typeOf(value).getRank()))));
    {
      OpBuilder::InsertionGuard guard(builder);
      Block *block = builder.createBlock(&reduce.getBody(), {},
                                         {scalar, scalar}, {loc, loc});
      Value one = block->getArgument(0), other = block->getArgument(1);
      Value kept =
          isLeast
              ? stablehlo::MinOp::create(builder, loc, one, other).getResult()
              : stablehlo::MaxOp::create(builder, loc, one, other).getResult();
      stablehlo::ReturnOp::create(builder, loc, kept);
    }
    return stablehlo::ReshapeOp::create(
        builder, loc, RankedTensorType::get(1, builder.getF32Type()),
        reduce->getResult(0));
  }

  /// Two zeros.
  static Extremes noExtremes(func::FuncOp entry) {
    OpBuilder builder = OpBuilder::atBlockBegin(&entry.getBody().front());
    Value zero = stablehlo::ConstantOp::create(
        builder, entry.getLoc(),
        DenseElementsAttr::get(RankedTensorType::get(1, builder.getF32Type()),
                               builder.getF32FloatAttr(0)));
    return {zero, zero};
  }

  /// The number at `position` of an input of the instrumented program.
  static Value numberAt(OpBuilder &builder, Location loc, Value input,
                        ArrayRef<int64_t> position) {
    SmallVector<int64_t> ones(position.size(), 1), limits;
    for (int64_t place : position)
      limits.push_back(place + 1);
    Type element = elementOf(input);
    Value slice = stablehlo::SliceOp::create(
        builder, loc, RankedTensorType::get(ones, element), input, position,
        limits, ones);
    return stablehlo::ReshapeOp::create(
        builder, loc, RankedTensorType::get({}, element), slice);
  }

  void choose(OpBuilder &builder, Operation *product, int64_t number) {
    Location loc = product->getLoc();
    builder.setInsertionPoint(product);
    auto scalar = RankedTensorType::get({}, builder.getI32Type());
    Value chosen = numberAt(builder, loc, rounding, number);
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
      } else if (format.isBytes) {
        std::optional<int64_t> axis = channelAxis(product);
        if (!axis)
          continue;
        chosenLeft = inBytes(builder, loc, left, chosenLeft, is, number);
        chosenRight = quantized(
            builder, loc, quantizer.channelsOf(right, *axis), chosenRight, is);
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

  /// The same for a first factor in bytes.
  Value inBytes(OpBuilder &builder, Location loc, Value value, Value otherwise,
                Value is, int64_t number) {
    Type byte = builder.getIntegerType(8, /*isSigned=*/false);
    Value scale = numberAt(builder, loc, scales, {number, 0});
    Value zeroPoint = stablehlo::ConvertOp::create(
        builder, loc, RankedTensorType::get({}, byte),
        numberAt(builder, loc, scales, {number, 1}));
    Value wide = roundedToBytes(builder, loc, onlyIf(builder, loc, is, value),
                                scale, zeroPoint);
    return stablehlo::SelectOp::create(builder, loc, is, wide, otherwise);
  }

  SmallVector<FactorFormat> parsed;
  WeightQuantizer quantizer;
  /// Of first factors that may have bytes.
  llvm::DenseMap<Value, Extremes> extremesOf;
  /// Inputs, the second only where bytes are a format.
  Value rounding, scales;
};

} // namespace
} // namespace heddle
