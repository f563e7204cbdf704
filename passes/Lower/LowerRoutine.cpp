// Factorizations, solutions and transforms: one kernel.routine each.

#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/ScalarConversions.h"

#include "dialects/Kernel/Routines.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

/// `value` with elements of another type.
static Value converted(GraphLowering &lowering, Location loc, Value value,
                       Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  auto convert = [&](OpBuilder &b, Location at, ValueRange x) {
    return convertScalar(b, at, x[0], type.getElementType(), element);
  };
  return lowering.generic(
      loc, RankedTensorType::get(type.getShape(), element), value,
      lowering.builder.getMultiDimIdentityMap(type.getRank()), convert);
}

/// The type that the routine computes elements of type `element` in.
static Type computedType(Type element) {
  return isa<Float16Type, BFloat16Type>(element)
             ? Float32Type::get(element.getContext())
             : element;
}

/// A Fourier transform of several dimensions, one after the other: lines along
/// each of them are independent. The last one is that of a real operand or
/// result.
static SmallVector<Value> transformDimensions(GraphLowering &lowering,
                                              Location loc,
                                              const kernel::RoutineCall &call,
                                              ArrayRef<Type> types,
                                              SmallVector<Value> values) {
  OpBuilder &b = lowering.builder;
  StringRef type = call.word("fft_type");
  auto lengths = call.parameters.getAs<DenseI64ArrayAttr>("fft_length");
  int64_t rank = cast<RankedTensorType>(types[0]).getRank();
  auto transform = [&](StringRef kind, int64_t number, ArrayRef<Type> results) {
    SmallVector<NamedAttribute> parameters = {
        b.getNamedAttr("fft_type", b.getStringAttr(kind)),
        b.getNamedAttr("fft_length", b.getDenseI64ArrayAttr(lengths[number]))};
    if (number + 1 != lengths.size())
      parameters.push_back(b.getNamedAttr(
          "dimension", b.getI64IntegerAttr(rank - lengths.size() + number)));
    values = llvm::to_vector_of<Value>(
        kernel::RoutineOp::create(b, loc, results, "fft", values,
                                  b.getDictionaryAttr(parameters))
            .getOutputs());
  };
  if (type != "IRFFT")
    transform(type, lengths.size() - 1, types);
  for (int64_t number = lengths.size() - 2; number >= 0; --number) {
    SmallVector<Type> same = llvm::map_to_vector(
        values, [](Value value) { return value.getType(); });
    transform(type == "FFT" || type == "RFFT" ? "FFT" : "IFFT", number, same);
  }
  if (type == "IRFFT")
    transform(type, lengths.size() - 1, types);
  return values;
}

static void lowerTo(GraphLowering &lowering, Operation *op, StringRef name,
                    DictionaryAttr parameters) {
  kernel::RoutineCall call{name, op->getOperandTypes(), op->getResultTypes(),
                           parameters};
  std::string wrong = call.check();
  if (!wrong.empty())
    return lowering.unsupported(op, "routine '" + name + "': " + wrong);
  SmallVector<Value> inputs;
  for (Value input : lowering.lowered(op->getOperands())) {
    Type element = cast<RankedTensorType>(input.getType()).getElementType();
    inputs.push_back(
        converted(lowering, op->getLoc(), input, computedType(element)));
    if (Type type = computedType(element); !type.isF32() && !type.isF64()) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "routine '" << name << "' works on floats, not on " << element;
      return lowering.unsupported(op, text);
    }
  }
  SmallVector<Type> types;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    RankedTensorType type = lowering.resultType(op, i);
    types.push_back(RankedTensorType::get(type.getShape(),
                                          computedType(type.getElementType())));
  }
  SmallVector<Value> computed =
      name == "fft"
          ? transformDimensions(lowering, op->getLoc(), call, types, inputs)
          : llvm::to_vector_of<Value>(
                kernel::RoutineOp::create(lowering.builder, op->getLoc(), types,
                                          name, inputs, parameters)
                    .getOutputs());
  SmallVector<Value> results;
  for (auto [i, result] : llvm::enumerate(computed))
    results.push_back(converted(lowering, op->getLoc(), result,
                                lowering.resultType(op, i).getElementType()));
  lowering.replace(op, results);
}

bool heddle::lowerRoutine(GraphLowering &lowering, Operation *op) {
  OpBuilder &b = lowering.builder;
  auto flag = [&](StringRef name, bool value) {
    return b.getNamedAttr(name, b.getBoolAttr(value));
  };
  if (auto cholesky = dyn_cast<stablehlo::CholeskyOp>(op)) {
    lowerTo(lowering, op, "cholesky",
            b.getDictionaryAttr(flag("lower", cholesky.getLower())));
    return true;
  }
  if (auto solve = dyn_cast<stablehlo::TriangularSolveOp>(op)) {
    StringRef transpose = stablehlo::stringifyTranspose(solve.getTransposeA());
    if (solve.getTransposeA() == stablehlo::Transpose::TRANSPOSE_INVALID)
      transpose = "NO_TRANSPOSE";
    lowerTo(lowering, op, "triangular_solve",
            b.getDictionaryAttr(
                {flag("left_side", solve.getLeftSide()),
                 flag("lower", solve.getLower()),
                 flag("unit_diagonal", solve.getUnitDiagonal()),
                 b.getNamedAttr("transpose_a", b.getStringAttr(transpose))}));
    return true;
  }
  auto composite = dyn_cast<stablehlo::CompositeOp>(op);
  StringRef name = composite ? composite.getName() : StringRef();
  if (!name.consume_front("heddle.") || !kernel::isRoutine(name))
    return false;
  lowerTo(lowering, op, name, composite.getCompositeAttributes());
  return true;
}
