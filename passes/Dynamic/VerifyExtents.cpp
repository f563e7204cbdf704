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
  ProvenEqualities(const BoundedSizes &sizes, StringRef entry,
                   ArrayAttr assumptions)
      : ranges(sizes.ranges()) {
    for (Attribute each :
         assumptions ? assumptions.getValue() : ArrayRef<Attribute>()) {
      auto assumption = cast<DictionaryAttr>(each);
      auto zero = assumption.getAs<size::ExpressionAttr>("zero");
      auto owner = assumption.getAs<StringAttr>("entry");
      if (!zero || (owner && owner.getValue() != entry))
        continue;
      // The import simplified what followed it by this, too.
      if (std::optional<Expression> gap =
              size::notNegativeIfZero(Expression(zero)))
        ranges.assumeNotNegative(*gap);
      // Without the terms that those before begin with, so that each reduces
      // what is left of a difference once.
      Expression rest = reduced(Expression(zero));
      if (rest && !rest.isConstant())
        zeros.push_back(rest);
    }
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
  /// `expression` without the multiples of what is 0 that show in it; null if
  /// that takes more than 64 bits.
  Expression reduced(Expression expression) const {
    for (Expression zero : zeros) {
      if (!expression)
        return {};
      auto lead = zero.attribute().getMonomials().front();
      int64_t factor = zero.attribute().getCoefficients().front();
      for (auto [monomial, coefficient] :
           llvm::zip_equal(expression.attribute().getMonomials(),
                           expression.attribute().getCoefficients()))
        if (monomial == lead && coefficient % factor == 0) {
          expression = expression - zero * (coefficient / factor);
          break;
        }
    }
    return expression;
  }
  bool isZero(Expression difference) const {
    if (!difference)
      return false;
    auto isProved = [&](Expression expression) {
      return expression &&
             (ranges.isZero(expression) == true ||
              llvm::any_of(zeros, [&](Expression zero) {
                return expression.dividedExactly(zero).has_value();
              }));
    };
    return isProved(difference) || isProved(reduced(difference));
  }

  /// With the sizes that calls are asked to order, as m <= n.
  size::Ranges ranges;
  SmallVector<Expression> zeros;
};
} // namespace

LogicalResult verifyExtents(func::FuncOp entry, const BoundedSizes &sizes) {
  ProvenEqualities rules(
      sizes, entry.getName(),
      entry->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(
          kSizeAssumptionsAttrName));
  return checkExtents(entry, rules);
}

} // namespace heddle
