// Control flow, calls, tuples and tokens.

#ifndef HEDDLE_STABLEHLO_CONTROL_OPS
#define HEDDLE_STABLEHLO_CONTROL_OPS

include "dialects/StableHlo/StableHloAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def StableHlo_ReturnOp : StableHlo_Op<"return", [Pure, ReturnLike, Terminator]> {
  let summary = "end of a region, with its results";
  let arguments = (ins Variadic<SH_Value>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

def StableHlo_IfOp : StableHlo_InferredOp<"if", [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "one of two regions";
  let arguments = (ins SH_BoolScalar:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let results = (outs Variadic<SH_Value>);
}

def StableHlo_CaseOp :
    StableHlo_InferredOp<"case", [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "the region with the given index; the last one if there is none";
  let arguments = (ins SH_I32Scalar:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<SH_Value>);
}

def StableHlo_WhileOp :
    StableHlo_InferredOp<"while", [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "body repeated while cond is true";
  let arguments = (ins Variadic<SH_Value>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<SH_Value>);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def StableHlo_OptimizationBarrierOp : StableHlo_InferredOp<"optimization_barrier", [Pure]> {
  let summary = "the operands, in a way that nothing moves across";
  let arguments = (ins Variadic<SH_Value>:$operand);
  let results = (outs Variadic<SH_Value>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($result))):(`(` `)`)?
  }];
}

def StableHlo_AfterAllOp : StableHlo_Op<"after_all", [Pure]> {
  let summary = "a token after all operands";
  let arguments = (ins Variadic<StableHlo_TokenType>:$inputs);
  let results = (outs StableHlo_TokenType:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:` custom<VariadicSameOperandsAndResultType>(ref($inputs), type($inputs), type($result))
  }];
}

def StableHlo_CustomCallOp :
    StableHlo_Op<"custom_call", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                 DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a call out of the specification, by name";
  let arguments = (ins Variadic<SH_Value>:$inputs, StrAttr:$call_target_name, SH_BoolFalse:$has_side_effect,
      OptionalAttr<AnyAttr>:$backend_config,
      DefaultValuedOptionalAttr<StableHlo_CustomCallApiVersionAttr,
          "::heddle::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
      DefaultValuedOptionalAttr<TypedArrayAttrBase<FlatSymbolRefAttr, "functions">, "{}">:$called_computations,
      OptionalAttr<ArrayAttr>:$operand_layouts, OptionalAttr<ArrayAttr>:$result_layouts,
      DefaultValuedOptionalAttr<TypedArrayAttrBase<StableHlo_OutputOperandAliasAttr, "aliases">, "{}">:
          $output_operand_aliases,
      OptionalAttr<ArrayAttr>:$result_tilings);
  let results = (outs Variadic<SH_Value>);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHlo_CompositeOp :
    StableHlo_Op<"composite", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                               DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "an operation whose meaning is that of another function";
  let description = [{
    `stablehlo.composite "heddle.attention" %q, %k, %v {composite_attributes = {causal = true}, decomposition = @attention}`:
    who knows the name may do better, whoever does not inlines the decomposition.
  }];
  let arguments = (ins Variadic<SH_Value>:$inputs, StrAttr:$name,
      DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes, FlatSymbolRefAttr:$decomposition,
      DefaultValuedOptionalAttr<SH_I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<SH_Value>);
  let assemblyFormat = [{
    $name $inputs attr-dict `:` functional-type(operands, results) ($composite_regions^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$resultTypes, "::mlir::ValueRange":$inputs,
                                 "::llvm::StringRef":$name, "::mlir::DictionaryAttr":$attributes,
                                 "::llvm::StringRef":$decomposition, CArg<"int32_t", "0">:$version)>];
  let hasVerifier = 1;
}

def StableHlo_TupleOp : StableHlo_InferredOp<"tuple", [Pure]> {
  let summary = "a tuple of values";
  let arguments = (ins Variadic<SH_Value>:$val);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleOpType>(type($val), type($result))";
}

def StableHlo_GetTupleElementOp : StableHlo_InferredOp<"get_tuple_element", [Pure]> {
  let summary = "a member of a tuple";
  let arguments = (ins AnyTuple:$operand, ConfinedAttr<SH_I32Attr, [IntNonNegative]>:$index);
  let results = (outs SH_Value:$result);
  let assemblyFormat = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
}

#endif // HEDDLE_STABLEHLO_CONTROL_OPS
