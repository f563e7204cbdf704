// Factorizations, solutions and transforms: one kernel.routine each.

#include "passes/Dispatch/GraphLowering.h"
#include "passes/Dispatch/ScalarConversions.h"

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
  auto routine = kernel::RoutineOp::create(lowering.builder, op->getLoc(),
                                           types, name, inputs, parameters);
  SmallVector<Value> results;
  for (auto [i, result] : llvm::enumerate(routine.getOutputs()))
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
