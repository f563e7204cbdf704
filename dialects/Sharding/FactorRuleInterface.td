// The question that propagation asks of an operation.

#ifndef HEDDLE_DIALECTS_SHARDING_FACTORRULEINTERFACE_TD
#define HEDDLE_DIALECTS_SHARDING_FACTORRULEINTERFACE_TD

include "mlir/IR/OpBase.td"

def FactorRuleInterface : OpInterface<"FactorRuleInterface"> {
  let cppNamespace = "::heddle::sharding";
  let description = [{
    How the dimensions of operands and results belong together. Operations of
    other dialects answer by external models (RuleTable.h).
  }];
  let methods = [
    InterfaceMethod<"The rule of this operation, whose types have known shapes.",
      "::heddle::sharding::FactorRule", "factorRule">
  ];
}

#endif // HEDDLE_DIALECTS_SHARDING_FACTORRULEINTERFACE_TD
