// Functions of complex tensors: each is a composite whose decomposition is the
// formula, so that one kernel computes all of it. In the regions of reductions
// and loops the formula stands in place.

#include "dialects/Chlo/Chlo.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Lower/Complex/ComplexSplitter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

SmallVector<Value> ComplexSplitter::emit(Operation *op, StringRef name,
                                         ArrayRef<Value> operands,
                                         Formula formula) {
  Location loc = op->getLoc();
  RankedTensorType type = typeOf(operands.front());
  if (!isa<func::FuncOp>(op->getParentOp())) {
    RealBuilder b(builder, loc, type);
    return formula(b, operands);
  }
  std::string key;
  llvm::raw_string_ostream(key) << name << type;
  func::FuncOp &function = decompositions[key];
  if (!function) {
    OpBuilder inner(builder.getContext());
    SmallVector<Type> types(operands.size(), type);
    function = func::FuncOp::create(module.getLoc(), ("complex_" + name).str(),
                                    inner.getFunctionType(types, {}));
    function.setPrivate();
    Block *body = function.addEntryBlock();
    inner.setInsertionPointToStart(body);
    RealBuilder b(inner, module.getLoc(), type);
    SmallVector<Value> results = formula(b, body->getArguments());
    func::ReturnOp::create(inner, module.getLoc(), results);
    function.setType(
        inner.getFunctionType(types, ValueRange(results).getTypes()));
    symbols.insert(function);
  }
  auto composite =
      CompositeOp::create(builder, loc, function.getResultTypes(), operands,
                          ("heddle.complex_" + name).str(),
                          builder.getDictionaryAttr({}), function.getSymName());
  return composite.getResults();
}

/// `function` on tensors of `b`'s type, computed in f64.
static SmallVector<Value>
inDouble(RealBuilder &b, ValueRange flat,
         llvm::function_ref<SmallVector<Value>(ComplexMath &,
                                               ArrayRef<ComplexParts>)>
             function) {
  bool single = b.type.getElementType().isF32();
  RealBuilder wide(b.builder, b.loc, b.type.clone(b.builder.getF64Type()));
  SmallVector<ComplexParts> operands;
  for (unsigned i = 0; i + 1 < flat.size(); i += 2)
    operands.push_back({wide.convert(flat[i]), wide.convert(flat[i + 1])});
  ComplexMath math(wide, single);
  SmallVector<Value> results;
  for (Value value : function(math, operands))
    results.push_back(b.convert(value));
  return results;
}

void ComplexSplitter::defineFunction(Operation *op, Function function) {
  SmallVector<Value> results =
      emit(op, op->getName().stripDialect(), expanded(op->getOperands()),
           [&](RealBuilder &b, ValueRange flat) {
             return inDouble(b, flat, [&](ComplexMath &math, auto operands) {
               ComplexParts value = function(math, operands);
               return SmallVector<Value>{value.re, value.im};
             });
           });
  table[op->getResult(0)] = {results[0], results[1]};
}

Value ComplexSplitter::emitReal(Operation *op, StringRef name,
                                RealFunction function) {
  return emit(op, name, expanded(op->getOperands()),
              [&](RealBuilder &b, ValueRange flat) {
                return inDouble(b, flat, [&](ComplexMath &math, auto operands) {
                  return SmallVector<Value>{function(math, operands)};
                });
              })
      .front();
}

/// A product's parts are cheap: each on its own, it can be computed inside its
/// reader.
void ComplexSplitter::defineProduct(Operation *op, Function function) {
  StringRef name = op->getName().stripDialect();
  table[op->getResult(0)] = {
      emitReal(op, (name + "_re").str(),
               [&](ComplexMath &math, ArrayRef<ComplexParts> z) {
                 return function(math, z).re;
               }),
      emitReal(op, (name + "_im").str(),
               [&](ComplexMath &math, ArrayRef<ComplexParts> z) {
                 return function(math, z).im;
               })};
}

bool ComplexSplitter::splitFunction(Operation *op) {
  using Math = ComplexMath;
  using Operands = ArrayRef<ComplexParts>;
  auto unary = [&](ComplexParts (Math::*function)(ComplexParts)) {
    defineFunction(
        op, [&](Math &math, Operands z) { return (math.*function)(z[0]); });
    return true;
  };
  auto binary =
      [&](ComplexParts (Math::*function)(ComplexParts, ComplexParts)) {
        defineFunction(op, [&](Math &math, Operands z) {
          return (math.*function)(z[0], z[1]);
        });
        return true;
      };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](AbsOp) {
        Value size = emitReal(
            op, "abs", [](Math &math, Operands z) { return math.abs(z[0]); });
        op->getResult(0).replaceAllUsesWith(size);
        return true;
      })
      .Case([&](MulOp) {
        defineProduct(op, [](Math &math, Operands z) {
          return math.multiply(z[0], z[1]);
        });
        return true;
      })
      .Case([&](chlo::SquareOp) {
        defineProduct(op, [](Math &math, Operands z) {
          return math.multiply(z[0], z[0]);
        });
        return true;
      })
      .Case([&](DivOp) { return binary(&Math::divide); })
      .Case([&](PowOp) { return binary(&Math::power); })
      .Case([&](Atan2Op) { return binary(&Math::atan2); })
      .Case([&](SignOp) { return unary(&Math::sign); })
      .Case([&](SqrtOp) { return unary(&Math::sqrt); })
      .Case([&](RsqrtOp) { return unary(&Math::rsqrt); })
      .Case([&](CbrtOp) { return unary(&Math::cbrt); })
      .Case([&](ExpOp) { return unary(&Math::exp); })
      .Case([&](Expm1Op) { return unary(&Math::expm1); })
      .Case([&](LogOp) { return unary(&Math::log); })
      .Case([&](Log1pOp) { return unary(&Math::log1p); })
      .Case([&](LogisticOp) { return unary(&Math::logistic); })
      .Case([&](SineOp) { return unary(&Math::sin); })
      .Case([&](CosineOp) { return unary(&Math::cos); })
      .Case<TanOp, chlo::TanOp>([&](auto) { return unary(&Math::tan); })
      .Case([&](TanhOp) { return unary(&Math::tanh); })
      .Case([&](chlo::SinhOp) { return unary(&Math::sinh); })
      .Case([&](chlo::CoshOp) { return unary(&Math::cosh); })
      .Case([&](chlo::AsinOp) { return unary(&Math::asin); })
      .Case([&](chlo::AcosOp) { return unary(&Math::acos); })
      .Case([&](chlo::AtanOp) { return unary(&Math::atan); })
      .Case([&](chlo::AsinhOp) { return unary(&Math::asinh); })
      .Case([&](chlo::AcoshOp) { return unary(&Math::acosh); })
      .Case([&](chlo::AtanhOp) { return unary(&Math::atanh); })
      .Default([](Operation *) { return false; });
}
