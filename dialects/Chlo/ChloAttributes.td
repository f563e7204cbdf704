// The CHLO dialect, the class of its operations, and attributes of its own.

#ifndef HEDDLE_DIALECTS_CHLO_CHLOATTRIBUTES_TD
#define HEDDLE_DIALECTS_CHLO_CHLOATTRIBUTES_TD

include "dialects/Chlo/ChloEnums.td"
include "dialects/StableHlo/StableHloAttributes.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::heddle::chlo";
  let summary = "special functions that StableHLO lacks, as JAX writes them";
  let description = [{
    Compatible in text with OpenXLA's dialect of this name, as far as JAX emits
    it in text form. In portable artifacts the same operations come as
    composites `chlo.<name>` with a decomposition.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class Chlo_Op<string mnemonic, list<Trait> traits = []> : Op<Chlo_Dialect, mnemonic, !listconcat([Pure], traits)>;

class Chlo_Attr<string name, string attrMnemonic> : AttrDef<Chlo_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Chlo_PrecisionAttr : EnumAttr<Chlo_Dialect, Chlo_Precision, "precision">;
def Chlo_ComparisonDirectionAttr : EnumAttr<Chlo_Dialect, Chlo_ComparisonDirection, "comparison_direction">;
def Chlo_ComparisonTypeAttr : EnumAttr<Chlo_Dialect, Chlo_ComparisonType, "comparison_type">;

def Chlo_RaggedDotDimensionNumbersAttr : Chlo_Attr<"RaggedDotDimensionNumbers", "ragged_dot"> {
  let summary = "batching, contracting, ragged and group dimensions of ragged_dot";
  let parameters = (ins SH_Dims:$lhsBatchingDimensions, SH_Dims:$rhsBatchingDimensions, SH_Dims:$lhsContractingDimensions,
                        SH_Dims:$rhsContractingDimensions, SH_Dims:$lhsRaggedDimensions, SH_Dims:$rhsGroupDimensions);
  let hasCustomAssemblyFormat = 1;
}

#endif // HEDDLE_DIALECTS_CHLO_CHLOATTRIBUTES_TD
