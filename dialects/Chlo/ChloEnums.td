// Enumerations of the CHLO dialect. They include none of StableHLO, which tablegen would define again.

#ifndef HEDDLE_DIALECTS_CHLO_CHLOENUMS_TD
#define HEDDLE_DIALECTS_CHLO_CHLOENUMS_TD

include "mlir/IR/EnumAttr.td"

def Chlo_Precision : I32EnumAttr<"Precision", "how exact a contraction must be", [
    I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::heddle::chlo";
}

// As in StableHLO, with the same numbers.
def Chlo_ComparisonDirection : I32EnumAttr<"ComparisonDirection", "which comparison", [
    I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
    I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::heddle::chlo";
}

def Chlo_ComparisonType : I32EnumAttr<"ComparisonType", "the order that is compared by", [
    I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
    I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::heddle::chlo";
}

#endif // HEDDLE_DIALECTS_CHLO_CHLOENUMS_TD
