// Holds what passes made of a program against each operation's own rule: an
// extent that got lost or changed would be a wrong number.

#include "passes/Dynamic/VerifyExtents.h"

#include "dialects/StableHlo/InferExtents.h"
#include "dialects/StableHlo/SizeAssumptions.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"

using namespace mlir;
using heddle::size::Expression;

namespace heddle {

namespace {
/// Takes two extents for one only if they are, by the ranges or by what calls
/// are asked for.
class ProvenEqualities : public stablehlo::ExtentRules {
public:
  ProvenEqualities(const BoundedSizes &sizes, ArrayAttr assumptions)
      : ranges(sizes.ranges()) {
    for (Attribute each :
         assumptions ? assumptions.getValue() : ArrayRef<Attribute>())
      if (auto zero =
              cast<DictionaryAttr>(each).getAs<size::ExpressionAttr>("zero"))
        zeros.push_back(Expression(zero));
  }

  Expression meet(Expression a, Expression b, Operation *op) override {
    if (a && b && (a == b || isZero(ranges.simplified(a - b))))
      return preferred(a, b);
    emitError(op->getLoc(), ErrorCode::InternalError)
        << "'" << op->getName() << "' has sizes that are not known to be equal"
        << (a ? ": " + a.text() : "") << (b ? " and " + b.text() : "");
    return {};
  }
  Expression simplified(Expression expression) override {
    return ranges.simplified(expression);
  }

private:
  bool isZero(Expression difference) const {
    return difference && (ranges.isZero(difference) == true ||
                          llvm::any_of(zeros, [&](Expression zero) {
                            return difference.dividedExactly(zero).has_value();
                          }));
  }

  const size::Ranges &ranges;
  SmallVector<Expression> zeros;
};
} // namespace

LogicalResult verifyExtents(func::FuncOp entry, const BoundedSizes &sizes) {
  ProvenEqualities rules(
      sizes, entry->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(
                 kSizeAssumptionsAttrName));
  return checkExtents(entry, rules);
}

} // namespace heddle
