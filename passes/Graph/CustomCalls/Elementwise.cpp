// Element-wise functions that exporters write as custom calls: `mhlo.erf` and
// its like become chlo's operations.

#include "passes/Graph/CustomCalls/CustomCalls.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/StableHlo/ElementwiseCalls.h"

using namespace mlir;

namespace heddle {

template <typename Op>
static LogicalResult unary(OpBuilder &builder, stablehlo::CustomCallOp op,
                           SmallVectorImpl<Value> &results) {
  if (failed(checkArity(op, 1, 1)))
    return failure();
  results.push_back(Op::create(builder, op.getLoc(), op->getResult(0).getType(),
                               op.getInputs()[0]));
  return success();
}

ArrayRef<CustomCallRule> elementwiseCustomCalls() {
  static const CustomCallRule rules[] = {
      {"mhlo.erf", unary<chlo::ErfOp>},
      {"mhlo.acos", unary<chlo::AcosOp>},
      {"mhlo.acosh", unary<chlo::AcoshOp>},
      {"mhlo.asin", unary<chlo::AsinOp>},
      {"mhlo.asinh", unary<chlo::AsinhOp>},
      {"mhlo.atanh", unary<chlo::AtanhOp>},
      {"mhlo.cosh", unary<chlo::CoshOp>},
      {"mhlo.sinh", unary<chlo::SinhOp>},
      {"mhlo.tan", unary<stablehlo::TanOp>},
  };
  static_assert(std::size(rules) == std::size(stablehlo::kElementwiseCalls));
  assert(llvm::all_of(rules, [](const CustomCallRule &rule) {
    return llvm::is_contained(stablehlo::kElementwiseCalls, rule.target);
  }));
  return rules;
}

} // namespace heddle
