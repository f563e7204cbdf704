// Enumerations of the specification.

#ifndef HEDDLE_STABLEHLO_ENUMS
#define HEDDLE_STABLEHLO_ENUMS

include "dialects/StableHlo/StableHloBase.td"

class StableHlo_Enum<string name, string words, list<I32EnumAttrCase> cases> : I32EnumAttr<name, words, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::heddle::stablehlo";
}

def StableHlo_Precision : StableHlo_Enum<"Precision", "how exact a contraction must be", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def StableHlo_PrecisionAttr : EnumAttr<StableHloDialect, StableHlo_Precision, "precision">;

def StableHlo_ResultAccuracyMode : StableHlo_Enum<"ResultAccuracyMode", "how exact an elementary function must be", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>, I32EnumAttrCase<"TOLERANCE", 2>]>;
def StableHlo_ResultAccuracyModeAttr :
  EnumAttr<StableHloDialect, StableHlo_ResultAccuracyMode, "result_accuracy_mode"> {
  // Unlike the others: `#stablehlo.result_accuracy_mode<HIGHEST>`.
  let assemblyFormat = "`<` $value `>`";
}

def StableHlo_FftType : StableHlo_Enum<"FftType", "kind of Fourier transform", [
  I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>, I32EnumAttrCase<"RFFT", 2>, I32EnumAttrCase<"IRFFT", 3>]>;
def StableHlo_FftTypeAttr : EnumAttr<StableHloDialect, StableHlo_FftType, "fft_type">;

// Written as an i32, as the specification has it.
def StableHlo_CustomCallApiVersionAttr : I32EnumAttr<"CustomCallApiVersion", "interface of a custom call's target", [
  I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>, I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>, I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
  I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::heddle::stablehlo";
}

def StableHlo_ComparisonDirection : StableHlo_Enum<"ComparisonDirection", "which comparison", [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
  I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def StableHlo_ComparisonDirectionAttr :
  EnumAttr<StableHloDialect, StableHlo_ComparisonDirection, "comparison_direction">;

def StableHlo_ComparisonType : StableHlo_Enum<"ComparisonType", "the order that is compared by", [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
  I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def StableHlo_ComparisonTypeAttr : EnumAttr<StableHloDialect, StableHlo_ComparisonType, "comparison_type">;

def StableHlo_Transpose : StableHlo_Enum<"Transpose", "how a triangular matrix is read", [
  I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>, I32EnumAttrCase<"TRANSPOSE", 2>,
  I32EnumAttrCase<"ADJOINT", 3>]>;
def StableHlo_TransposeAttr : EnumAttr<StableHloDialect, StableHlo_Transpose, "transpose">;

def StableHlo_RngDistribution : StableHlo_Enum<"RngDistribution", "distribution of random numbers", [
  I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def StableHlo_RngDistributionAttr : EnumAttr<StableHloDialect, StableHlo_RngDistribution, "rng_distribution">;

def StableHlo_RngAlgorithm : StableHlo_Enum<"RngAlgorithm", "generator of random bits", [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>, I32EnumAttrCase<"PHILOX", 2>]>;
def StableHlo_RngAlgorithmAttr : EnumAttr<StableHloDialect, StableHlo_RngAlgorithm, "rng_algorithm">;

#endif // HEDDLE_STABLEHLO_ENUMS
