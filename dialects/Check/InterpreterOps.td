// INTERPRETER: what programs ask of the interpreter beyond the specification. Only tests have it.

#ifndef HEDDLE_DIALECTS_CHECK_INTERPRETEROPS_TD
#define HEDDLE_DIALECTS_CHECK_INTERPRETEROPS_TD

include "dialects/StableHlo/StableHloBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Interpreter_Dialect : Dialect {
  let name = "interpreter";
  let cppNamespace = "::heddle::interpreter";
  let summary = "several processes, and looks into a running program";
  let description = [{
    Compatible in text with the dialect of this name in the StableHLO project.
  }];
}

def Interpreter_RunParallelOp : Op<Interpreter_Dialect, "run_parallel", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a grid of processes: replicas by partitions";
  let description = [{
    `programs[r][p]` is the function of replica `r` and partition `p`. Inputs
    and results are those of all processes, one process after the other,
    partitions varying fastest. The functions of `infeed`, without arguments,
    give what the infeed operations receive, one after the other.

    ```mlir
    %results:2 = "interpreter.run_parallel"(%x, %y) {programs = [[@f], [@f]]}
        : (tensor<2xi64>, tensor<2xi64>) -> (tensor<4xi64>, tensor<4xi64>)
    ```
  }];
  let arguments = (ins Variadic<SH_TensorOrToken>:$inputs, OptionalAttr<FlatSymbolRefArrayAttr>:$infeed,
                       TypedArrayAttrBase<FlatSymbolRefArrayAttr, "rows of functions">:$programs);
  let results = (outs Variadic<SH_TensorOrToken>);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows and columns of the grid.
    int64_t getNumReplicas();
    int64_t getNumPartitions();
  }];
}

def Interpreter_PrintOp : Op<Interpreter_Dialect, "print", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "prints a value, which it gives back";
  let arguments = (ins SH_Tensor:$operand);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Interpreter_ProbeOp : Op<Interpreter_Dialect, "probe", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "notes a value, which it gives back";
  let description = [{
    `check.expect_serialized_eq` looks at what was noted.

    ```mlir
    %y = interpreter.probe %x, probe_id = "x" : tensor<3xi32>
    ```
  }];
  let arguments = (ins SH_Tensor:$operand, StrAttr:$probe_id);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$operand `,` `probe_id` `=` $probe_id attr-dict `:` type($result)";
}

#endif // HEDDLE_DIALECTS_CHECK_INTERPRETEROPS_TD
