// Quantized types become stored integers and ops of the prec dialect.
//
// First each op that computes with quantized values is rewritten, its new
// values still of quantized type; then all types change at once. So the meaning
// of a value (its scale and zero point) can be read off its type all the while.

#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "heddle/Support/Diagnostics.h"
#include "passes/Precision/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_IMPORTQUANTIZED
#include "passes/Precision/Passes.h.inc"

namespace {

quant::QuantizedType quantizedElement(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? dyn_cast<quant::QuantizedType>(shaped.getElementType())
                : quant::QuantizedType();
}

IntegerType storageOf(quant::QuantizedType type) {
  return cast<IntegerType>(stablehlo::storedType(type));
}

/// Scales and zero points, and the dimension along which they vary.
struct Parameters {
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  std::optional<int64_t> axis;

  bool operator==(const Parameters &other) const {
    return scales == other.scales && zeroPoints == other.zeroPoints;
  }
};

/// Nothing for kinds of quantization that no op computes with.
std::optional<Parameters> parametersOf(quant::QuantizedType type) {
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(type))
    return Parameters{{uniform.getScale()}, {uniform.getZeroPoint()}, {}};
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type);
  if (!perAxis)
    return std::nullopt;
  return Parameters{llvm::to_vector(perAxis.getScales()),
                    llvm::to_vector(perAxis.getZeroPoints()),
                    perAxis.getQuantizedDimension()};
}

/// Whether the stored integers of one type mean the same in the other, be it
/// along another dimension.
bool meanTheSame(quant::QuantizedType left, quant::QuantizedType right) {
  auto leftParameters = parametersOf(left),
       rightParameters = parametersOf(right);
  return leftParameters && rightParameters &&
         *leftParameters == *rightParameters &&
         storageOf(left) == storageOf(right) &&
         left.getExpressedType() == right.getExpressedType() &&
         left.getStorageTypeMin() == right.getStorageTypeMin() &&
         left.getStorageTypeMax() == right.getStorageTypeMax();
}

/// Ops that pass values on, whatever they are.
bool passesOn(Operation *op) {
  using namespace stablehlo;
  return isa<func::ReturnOp, func::CallOp, stablehlo::ReturnOp, WhileOp, IfOp,
             CaseOp, CompositeOp, CustomCallOp, OptimizationBarrierOp, TupleOp,
             GetTupleElementOp, ConstantOp, BitcastConvertOp, prec::QuantizeOp,
             prec::DequantizeOp>(op);
}

/// Ops that move elements without looking at them.
bool movesElements(Operation *op) {
  using namespace stablehlo;
  return isa<BroadcastInDimOp, BroadcastOp, ConcatenateOp,
             DynamicBroadcastInDimOp, DynamicGatherOp, DynamicPadOp,
             DynamicReshapeOp, DynamicSliceOp, DynamicUpdateSliceOp, GatherOp,
             PadOp, RealDynamicSliceOp, ReshapeOp, ReverseOp, SelectOp, SliceOp,
             TransposeOp>(op);
}

class Importer {
public:
  explicit Importer(ModuleOp module)
      : module(module), builder(module.getContext()) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      // What stands in a computation on elements is rewritten with it.
      Operation *parent = op->getParentOp();
      bool inPayload =
          parent && !isa<ModuleOp, func::FuncOp>(parent) && !passesOn(parent);
      if (inPayload)
        return WalkResult::skip();
      if (hasQuantized(op))
        ops.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *op : ops)
      if (failed(rewrite(op)))
        return failure();
    if (!ops.empty())
      changeTypes();
    return success();
  }

private:
  static bool hasQuantized(Operation *op) {
    return llvm::any_of(op->getOperandTypes(), quantizedElement) ||
           llvm::any_of(op->getResultTypes(), quantizedElement);
  }

  LogicalResult rewrite(Operation *op) {
    builder.setInsertionPoint(op);
    if (passesOn(op))
      return success();
    for (Type type :
         llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                  SmallVector<Type>(op->getResultTypes())))
      if (auto quantized = quantizedElement(type);
          quantized && !parametersOf(quantized))
        return heddle::emitError(op->getLoc(), ErrorCode::TypeUnsupported)
               << "'" << op->getName().getStringRef() << "' on " << type
               << ": quantization per tensor and per axis is supported, not "
                  "this one";
    if (auto quantize = dyn_cast<stablehlo::UniformQuantizeOp>(op))
      return uniformQuantize(quantize);
    if (auto dequantize = dyn_cast<stablehlo::UniformDequantizeOp>(op)) {
      replace(op, expressed(dequantize.getOperand()));
      return success();
    }
    if (movesElements(op) && allMeanTheSame(op))
      return success();
    if (contractsIntegers(op)) {
      contract(op);
      return success();
    }
    return computeExpressed(op);
  }

  static bool allMeanTheSame(Operation *op) {
    quant::QuantizedType result = quantizedElement(op->getResult(0).getType());
    return result && llvm::all_of(op->getOperandTypes(), [&](Type type) {
             auto operand = quantizedElement(type);
             return !operand || meanTheSame(operand, result);
           });
  }

  void replace(Operation *op, Value by) {
    // Types may leave sizes open that operands know. Who asks for the very
    // type, as a return does, keeps it.
    if (by.getType() != op->getResult(0).getType())
      by = stablehlo::ConvertOp::create(builder, op->getLoc(),
                                        op->getResult(0).getType(), by);
    op->getResult(0).replaceAllUsesWith(by);
    op->erase();
  }

  /// A constant of `values`, a scalar if there is one for the whole tensor.
  Value parameter(Location loc, Type element, bool isScalar,
                  ArrayRef<Attribute> values) {
    SmallVector<int64_t> shape;
    if (!isScalar)
      shape.push_back(values.size());
    return stablehlo::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(RankedTensorType::get(shape, element), values));
  }
  Value scaleOf(Location loc, const Parameters &parameters, Type element) {
    return parameter(loc, element, !parameters.axis,
                     llvm::map_to_vector(parameters.scales, [&](double scale) {
                       return Attribute(builder.getFloatAttr(element, scale));
                     }));
  }
  Value zeroPointOf(Location loc, const Parameters &parameters,
                    IntegerType element) {
    return parameter(
        loc, element, !parameters.axis,
        llvm::map_to_vector(parameters.zeroPoints, [&](int64_t zero) {
          return Attribute(IntegerAttr::get(
              element, APInt(element.getWidth(), zero, /*isSigned=*/true,
                             /*implicitTrunc=*/true)));
        }));
  }
  static IntegerAttr axisAttr(OpBuilder &builder,
                              const Parameters &parameters) {
    return parameters.axis ? builder.getI64IntegerAttr(*parameters.axis)
                           : IntegerAttr();
  }

  /// The real numbers that a quantized value stands for.
  Value expressed(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    quant::QuantizedType element = quantizedElement(type);
    Parameters parameters = *parametersOf(element);
    Location loc = value.getLoc();
    // One after the other: compilers differ in the order of arguments.
    Value scale = scaleOf(loc, parameters, element.getExpressedType());
    Value zeroPoint = zeroPointOf(loc, parameters, storageOf(element));
    return prec::DequantizeOp::create(
        builder, loc, type.clone(element.getExpressedType()), value, scale,
        zeroPoint, axisAttr(builder, parameters), /*block=*/IntegerAttr(),
        /*storage_type=*/TypeAttr());
  }

  /// `value` quantized as `type` says; scales are of the value's type.
  Value quantized(Value value, RankedTensorType type) {
    quant::QuantizedType element = quantizedElement(type);
    Parameters parameters = *parametersOf(element);
    Location loc = value.getLoc();
    Type real = getElementTypeOrSelf(value.getType());
    Value scale = scaleOf(loc, parameters, real);
    Value zeroPoint = zeroPointOf(loc, parameters, storageOf(element));
    return prec::QuantizeOp::create(
        builder, loc, type, value, scale, zeroPoint,
        axisAttr(builder, parameters), /*block=*/IntegerAttr(),
        prec::Rounding::NearestEven, element.getStorageTypeMin(),
        element.getStorageTypeMax(),
        /*storage_type=*/TypeAttr());
  }

  LogicalResult uniformQuantize(stablehlo::UniformQuantizeOp op) {
    Value input = op.getOperand();
    if (quantizedElement(input.getType()))
      input = expressed(input);
    replace(op, quantized(input, cast<RankedTensorType>(op.getType())));
    return success();
  }

  /// Whether both sides of a product are integers of at most 8 bits and their
  /// sum fits in 32 bits; then it is exact.
  static bool contractsIntegers(Operation *op) {
    if (!isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op))
      return false;
    auto lhs = quantizedElement(op->getOperand(0).getType());
    auto rhs = quantizedElement(op->getOperand(1).getType());
    auto result = quantizedElement(op->getResult(0).getType());
    if (!lhs || !rhs || !result || !lhs.getExpressedType().isF32() ||
        storageOf(lhs).getWidth() > 8 || storageOf(rhs).getWidth() > 8)
      return false;
    // Scales along a dimension are a factor of the sum only where the sum does
    // not run over it: the features of the kernel, or of the right-hand side.
    auto left = *parametersOf(lhs), right = *parametersOf(rhs);
    if (left.axis)
      return false;
    auto lhsType = cast<RankedTensorType>(op->getOperand(0).getType());
    auto rhsType = cast<RankedTensorType>(op->getOperand(1).getType());
    if (!lhsType.hasStaticShape() || !rhsType.hasStaticShape())
      return false;
    int64_t depth = 1;
    if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
      auto contracted =
          dot.getDotDimensionNumbers().getRhsContractingDimensions();
      auto batch = dot.getDotDimensionNumbers().getRhsBatchingDimensions();
      for (int64_t dim : contracted)
        depth *= rhsType.getDimSize(dim);
      if (right.axis && (llvm::is_contained(contracted, *right.axis) ||
                         llvm::is_contained(batch, *right.axis)))
        return false;
    } else {
      auto numbers = cast<stablehlo::ConvolutionOp>(op).getDimensionNumbers();
      int64_t features = numbers.getKernelOutputFeatureDimension();
      if (right.axis && *right.axis != features)
        return false;
      depth = rhsType.getNumElements() /
              std::max<int64_t>(1, rhsType.getDimSize(features));
    }
    return depth < (int64_t(1) << 31) / (256 * 256);
  }

  /// The dimension of the result along which the right-hand side's scales vary.
  static int64_t resultAxis(Operation *op, int64_t rhsAxis) {
    if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op))
      return convolution.getDimensionNumbers().getOutputFeatureDimension();
    auto numbers = cast<stablehlo::DotGeneralOp>(op).getDotDimensionNumbers();
    auto rhsType = cast<RankedTensorType>(op->getOperand(1).getType());
    auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
    // Free dimensions of the right-hand side come last, in order.
    int64_t position = resultType.getRank();
    for (int64_t dim = rhsType.getRank() - 1; dim >= rhsAxis; --dim)
      if (!llvm::is_contained(numbers.getRhsContractingDimensions(), dim) &&
          !llvm::is_contained(numbers.getRhsBatchingDimensions(), dim))
        --position;
    return position;
  }

  /// Stored integers less their zero points, in 32 bits.
  Value centred(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    quant::QuantizedType element = quantizedElement(type);
    Parameters parameters = *parametersOf(element);
    Location loc = value.getLoc();
    Type wide = builder.getI32Type();
    Attribute one = builder.getI32IntegerAttr(1);
    Value scale =
        parameter(loc, wide, !parameters.axis,
                  SmallVector<Attribute>(parameters.scales.size(), one));
    Value zeroPoint = zeroPointOf(loc, parameters, storageOf(element));
    return prec::DequantizeOp::create(
        builder, loc, type.clone(wide), value, scale, zeroPoint,
        axisAttr(builder, parameters), /*block=*/IntegerAttr(),
        /*storage_type=*/TypeAttr());
  }

  Value repeated(Value value, RankedTensorType type,
                 std::optional<int64_t> axis) {
    SmallVector<int64_t> dims;
    if (axis)
      dims.push_back(*axis);
    return stablehlo::BroadcastInDimOp::create(
        builder, value.getLoc(), type, value,
        builder.getDenseI64ArrayAttr(dims));
  }

  /// sum((l - zl) * (r - zr)) * (scale of l * scale of r), the sum in i32, the
  /// rest in f64: then only the last rounding is one.
  void contract(Operation *op) {
    Location loc = op->getLoc();
    auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
    auto left = *parametersOf(quantizedElement(op->getOperand(0).getType()));
    auto right = *parametersOf(quantizedElement(op->getOperand(1).getType()));
    IRMapping operands;
    operands.map(op->getOperand(0), centred(op->getOperand(0)));
    if (op->getOperand(1) != op->getOperand(0))
      operands.map(op->getOperand(1), centred(op->getOperand(1)));
    Operation *sum = builder.clone(*op, operands);
    sum->getResult(0).setType(resultType.clone(builder.getI32Type()));
    RankedTensorType real = resultType.clone(builder.getF64Type());
    Value value =
        stablehlo::ConvertOp::create(builder, loc, real, sum->getResult(0));
    // As f32, which is what the types' numbers stand for.
    Parameters scales = right;
    for (double &scale : scales.scales)
      scale = double(float(scale)) * double(float(left.scales[0]));
    std::optional<int64_t> axis;
    if (right.axis)
      axis = resultAxis(op, *right.axis);
    value = stablehlo::MulOp::create(
        builder, loc, value,
        repeated(scaleOf(loc, scales, real.getElementType()), real, axis));
    replace(op, quantized(value, resultType));
  }

  /// Dequantize, compute, quantize.
  LogicalResult computeExpressed(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (quantizedElement(operand.get().getType()))
        operand.set(expressed(operand.get()));
    WalkResult inside = op->walk([&](Operation *inner) {
      if (inner != op && inner->hasTrait<OpTrait::ConstantLike>() &&
          hasQuantized(inner)) {
        heddle::emitError(inner->getLoc(), ErrorCode::TypeUnsupported)
            << "a quantized constant inside '" << op->getName().getStringRef()
            << "': bring it in from outside";
        return WalkResult::interrupt();
      }
      for (Value result : inner->getResults())
        if (inner != op)
          express(result);
      for (Region &region : inner->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            express(argument);
      return WalkResult::advance();
    });
    if (inside.wasInterrupted())
      return failure();
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !quantizedElement(type))
        continue;
      express(result);
      Value stored = quantized(result, type);
      result.replaceAllUsesExcept(stored, stored.getDefiningOp());
    }
    return success();
  }

  static void express(Value value) {
    if (auto element = quantizedElement(value.getType()))
      value.setType(
          cast<ShapedType>(value.getType()).clone(element.getExpressedType()));
  }

  /// Every quantized type becomes that of the stored integers.
  void changeTypes() {
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [](quant::QuantizedType type) -> std::pair<Type, WalkResult> {
          return {storageOf(type), WalkResult::skip()};
        });
    // The elements of a constant are integers already, without a sign.
    module.walk([&](stablehlo::ConstantOp op) {
      auto element = quantizedElement(op.getType());
      auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
      if (!element || !dense)
        return;
      auto storage = storageOf(element);
      if (dense.getElementType() != storage &&
          dense.getElementType().isIntOrFloat() &&
          dense.getElementType().getIntOrFloatBitWidth() == storage.getWidth())
        op.setValueAttr(dense.bitcast(storage));
    });
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }

  ModuleOp module;
  OpBuilder builder;
};

struct ImportQuantized : impl::ImportQuantizedBase<ImportQuantized> {
  void runOnOperation() override {
    if (failed(Importer(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace heddle
