// Equalities of sizes that operations want: proved, refuted or kept for calls.

#include "dialects/StableHlo/SizeAssumptions.h"

#include "heddle/Support/Diagnostics.h"

#include "mlir/IR/Operation.h"

using namespace mlir;
using heddle::size::Expression;

namespace heddle {

Expression preferred(Expression a, Expression b) {
  if (a.isConstant() || b.isConstant())
    return a.isConstant() ? a : b;
  std::string left = a.text(), right = b.text();
  if (left.size() != right.size())
    return left.size() < right.size() ? a : b;
  return left < right ? a : b;
}

void SizeAssumptions::assume(Expression isZero, Operation *op,
                             const Twine &text) {
  bool isKnown = llvm::any_of(assumed, [&](const SizeAssumption &assumption) {
    return assumption.isZero == isZero || assumption.isZero == -isZero;
  });
  if (!isKnown)
    assumed.push_back({isZero, op->getLoc(), text.str()});
}

Expression SizeAssumptions::meet(Expression a, Expression b, Operation *op) {
  if (!a || !b || a == b)
    return a && b ? a : Expression();
  Expression difference = ranges.simplified(a - b);
  if (!difference) {
    emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
        << "'" << op->getName()
        << "' wants two sizes equal whose difference is too long an expression";
    return {};
  }
  std::optional<bool> isZero = ranges.isZero(difference);
  if (isZero == true)
    return preferred(a, b);
  if (isZero == false) {
    emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
        << "'" << op->getName()
        << "' wants two sizes equal that never are: " << a.text() << " and "
        << b.text();
    return {};
  }
  assume(difference, op, a.text() + " = " + b.text());
  return preferred(a, b);
}

} // namespace heddle
