// Enumerations of the CHLO dialect. They include none of StableHLO, which tablegen would define again.

#ifndef HEDDLE_DIALECTS_CHLO_CHLOENUMS_TD
#define HEDDLE_DIALECTS_CHLO_CHLOENUMS_TD

include "mlir/IR/EnumAttr.td"

def Chlo_Precision : I32EnumAttr<"Precision", "how exact a contraction must be", [
    I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::heddle::chlo";
}

#endif // HEDDLE_DIALECTS_CHLO_CHLOENUMS_TD
