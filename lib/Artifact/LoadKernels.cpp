// A kernel at load goes through the elements of a weight as a device reads it,
// and takes each from where processors store it.

#include "LoadKernels.h"

#include "dialects/Kernel/WeightText.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Dispatch/StoredOperands.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

void StoredForms::add(ModuleOp module) {
  for (auto weight : module.getOps<kernel::WeightOp>()) {
    whole.insert(kernel::weightText(weight));
    for (const StoredValue &value : valuesIn(weight)) {
      auto [known, isNew] =
          values.try_emplace(kernel::valueText(value.value), value);
      if (!isNew && value.hasPlainElements() &&
          !known->second.hasPlainElements())
        known->second = value;
    }
  }
}

bool StoredForms::has(kernel::WeightOp weight) const {
  return whole.contains(kernel::weightText(weight));
}

const StoredValue *StoredForms::find(Value value) const {
  auto found = values.find(kernel::valueText(value));
  return found == values.end() ? nullptr : &found->second;
}

std::optional<LoadKernel> LoadKernel::of(kernel::WeightOp weight, Type element,
                                         const StoredForms &forms) {
  LoadKernel kernel(weight, element);
  const StoredValue *stored = forms.find(kernel.moved.value);
  if (stored && stored->hasPlainElements()) {
    kernel.parts = {*stored};
    return kernel;
  }
  auto dequantize = kernel.moved.value.getDefiningOp<prec::DequantizeOp>();
  if (dequantize && kernel.isDequantized(dequantize, forms))
    return kernel;
  return std::nullopt;
}

/// Whether products of integers of at most 9 bits with `scale` have no more
/// bits than f32 where they are rounded to `result`, so that they are rounded
/// once.
static bool roundsOnce(Type scale, Type result) {
  auto isHalf = [](Type type) { return type.isF16() || type.isBF16(); };
  return result.isF32() ? scale.isF32() || isHalf(scale)
                        : isHalf(result) && isHalf(scale);
}

bool LoadKernel::isDequantized(prec::DequantizeOp op,
                               const StoredForms &forms) {
  IntegerType storage = op.getStorage();
  if (elementOf(op.getResult()) != element ||
      elementOf(op.getInput()) != storage || storage.getWidth() > 8 ||
      !roundsOnce(elementOf(op.getScale()), element))
    return false;
  const StoredValue *numbers = forms.find(op.getInput());
  const StoredValue *scales = forms.find(op.getScale());
  if (!numbers || !scales || !scales->hasPlainElements())
    return false;
  parts = {*numbers, *scales};
  dequantize = op;
  if (auto one =
          dyn_cast_or_null<IntegerAttr>(numberEverywhere(op.getZeroPoint()))) {
    zeroPoint = storage.isUnsigned() ? one.getValue().getZExtValue()
                                     : one.getValue().getSExtValue();
    return true;
  }
  const StoredValue *zeroPoints = forms.find(op.getZeroPoint());
  if (zeroPoints)
    parts.push_back(*zeroPoints);
  return zeroPoints;
}

SmallVector<kernel::WeightOp> LoadKernel::weights() const {
  return llvm::map_to_vector(
      parts, [](const StoredValue &part) { return part.weight; });
}

/// The type of elements of a weight in a kernel's buffer.
Type LoadKernel::held(unsigned part) const {
  if (!dequantize)
    return element;
  kernel::WeightOp weight = parts[part].weight;
  Type stored = weight.getStoredType().getElementType();
  return isa<IntegerType>(stored)
             ? IntegerType::get(stored.getContext(),
                                std::max(8u, stored.getIntOrFloatBitWidth()))
             : stored;
}

/// Where `parameter`, a scale or zero points, has what belongs to the element
/// at `indices`.
static SmallVector<Value> parameterAt(IndexBuilder index, Value parameter,
                                      prec::DequantizeOp op,
                                      ArrayRef<Value> indices) {
  if (shapeOf(parameter).empty())
    return {};
  uint64_t axis = *op.getAxis();
  if (!op.getBlock())
    return {indices[axis]};
  SmallVector<Value> at(indices);
  at[axis] = index.div(at[axis], static_cast<int64_t>(*op.getBlock()));
  return at;
}

/// The difference is exact, and the product is rounded once.
Value LoadKernel::dequantized(OpBuilder &builder, Location loc,
                              ValueRange stored,
                              ArrayRef<Value> indices) const {
  StoredElementEmitter emitter(builder, loc);
  prec::DequantizeOp op = dequantize;
  auto at = [&](Value parameter) {
    return parameterAt(IndexBuilder(builder, loc), parameter, op, indices);
  };
  Value zero =
      parts.size() > 2
          ? emitter.integer(parts[2], stored[2], at(op.getZeroPoint()))
          : arith::ConstantOp::create(
                builder, loc,
                builder.getI32IntegerAttr(static_cast<int32_t>(zeroPoint)));
  Value number = emitter.integer(parts[0], stored[0], indices);
  number = arith::SubIOp::create(builder, loc, number, zero);
  Type real = builder.getF32Type();
  Value scale = emitter.element(parts[1], stored[1], at(op.getScale()));
  if (scale.getType() != real)
    scale = arith::ExtFOp::create(builder, loc, real, scale);
  Value product = arith::MulFOp::create(
      builder, loc, arith::SIToFPOp::create(builder, loc, real, number), scale);
  return element == real
             ? product
             : arith::TruncFOp::create(builder, loc, element, product);
}

func::FuncOp LoadKernel::make() const {
  MLIRContext *context = element.getContext();
  Location unknown = UnknownLoc::get(context);
  kernel::WeightOp made = weight;
  auto type = cast<RankedTensorType>(made.getValueType()).clone(element);
  SmallVector<Type> stored;
  for (auto [i, source] : llvm::enumerate(weights()))
    stored.push_back(source.getStoredType().clone(held(i)));
  auto function = func::FuncOp::create(
      unknown, "lay_out", FunctionType::get(context, stored, {type}));
  function.setPrivate();
  function->setAttr(kernel::kEntryAttrName, UnitAttr::get(context));
  OpBuilder builder = OpBuilder::atBlockBegin(function.addEntryBlock());
  Value empty =
      tensor::EmptyOp::create(builder, unknown, type.getShape(), element);
  int64_t rank = type.getRank();
  auto generic = linalg::GenericOp::create(
      builder, unknown, type, ValueRange(), empty,
      builder.getMultiDimIdentityMap(rank),
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange) {
        SmallVector<Value> loops;
        for (int64_t i = 0; i < rank; ++i)
          loops.push_back(linalg::IndexOp::create(b, loc, i));
        StoredElementEmitter emitter(b, loc);
        SmallVector<Value> indices = emitter.behind(moved, loops);
        Value value =
            dequantize
                ? dequantized(b, loc, function.getArguments(), indices)
                : emitter.element(parts[0], function.getArgument(0), indices);
        linalg::YieldOp::create(b, loc, value);
      });
  func::ReturnOp::create(builder, unknown, generic.getResults());
  return function;
}
