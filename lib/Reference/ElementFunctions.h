// Helpers that make an ElementFunction from a function of one element.

#ifndef HEDDLE_LIB_REFERENCE_ELEMENTFUNCTIONS_H
#define HEDDLE_LIB_REFERENCE_ELEMENTFUNCTIONS_H

#include "Lanes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

namespace heddle::reference {

/// What is known where a function is chosen.
struct ElementSite {
  mlir::Operation *op;
  llvm::ArrayRef<ElementKind> operands;
  ElementKind result;

  ElementClass operandClass(unsigned i = 0) const {
    return elementClass(operands[i]);
  }
  /// Bits of the first operand, an integer: one of a payload may have a width
  /// that no kind has.
  unsigned width() const {
    auto type = mlir::dyn_cast<mlir::IntegerType>(
        mlir::getElementTypeOrSelf(op->getOperand(0).getType()));
    return type ? type.getWidth() : bitWidth(operands.front());
  }
};

/// Chooses the function; empty where the kinds do not fit.
using ElementRule = ElementFunction (*)(const ElementSite &);
using ElementRules = llvm::StringMap<ElementRule>;

template <typename In, typename Out, typename F> ElementFunction unary(F f) {
  return [f](llvm::ArrayRef<const Lanes *> in, Lanes &out, size_t count) {
    const In *a = in[0]->as<In>();
    Out *result = out.as<Out>();
    for (size_t i = 0; i < count; ++i)
      result[i] = f(a[i]);
  };
}

template <typename In, typename Out, typename F> ElementFunction binary(F f) {
  return [f](llvm::ArrayRef<const Lanes *> in, Lanes &out, size_t count) {
    const In *a = in[0]->as<In>(), *b = in[1]->as<In>();
    Out *result = out.as<Out>();
    for (size_t i = 0; i < count; ++i)
      result[i] = f(a[i], b[i]);
  };
}

/// An integer as a double; where a `narrower` type follows, such that rounding
/// again is the same as rounding once.
double integerAsDouble(int64_t value, bool narrower);
double integerAsDouble(uint64_t value, bool narrower);

/// Fill the table: one function per group of operations.
void addArithmetic(ElementRules &rules);
void addIntegerFunctions(ElementRules &rules);
void addComparisons(ElementRules &rules);
void addConversions(ElementRules &rules);
void addMathFunctions(ElementRules &rules);
void addSpecialFunctions(ElementRules &rules);
/// The payload operations of linalg: arith and math.
void addPayloadOperations(ElementRules &rules);

} // namespace heddle::reference

#endif // HEDDLE_LIB_REFERENCE_ELEMENTFUNCTIONS_H
