// CHECK: what programs that check themselves compare. Only tests have it; nothing compiles it.

#ifndef HEDDLE_DIALECTS_CHECK_CHECKOPS_TD
#define HEDDLE_DIALECTS_CHECK_CHECKOPS_TD

include "dialects/StableHlo/StableHloBase.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::heddle::check";
  let summary = "comparisons of what a program computes with what is expected";
  let description = [{
    Compatible in text with the dialect of this name in the StableHLO project's
    tests. `heddle test` evaluates the operations, and the custom calls of the
    same names.
  }];
}

def Check_FloatAttr : Attr<CPred<"::llvm::isa<::mlir::FloatAttr>($_self)">, "number"> {
  let storageType = "::mlir::FloatAttr";
  let returnType = "::mlir::FloatAttr";
  let convertFromStorage = "$_self";
}
def Check_IntegerAttr : Attr<CPred<"::llvm::isa<::mlir::IntegerAttr>($_self)">, "integer"> {
  let storageType = "::mlir::IntegerAttr";
  let returnType = "::mlir::IntegerAttr";
  let convertFromStorage = "$_self";
}

defvar Check_Tolerance = (ins OptionalAttr<Check_FloatAttr>:$tolerance);
defvar Check_Distance = (ins OptionalAttr<Check_IntegerAttr>:$max_ulp_difference,
                             OptionalAttr<Check_IntegerAttr>:$min_ulp_difference);

class Check_Op<string mnemonic, string words> : Op<Check_Dialect, mnemonic> {
  let summary = words;
  let hasCustomAssemblyFormat = 1;
}

class Check_TwoTensorsOp<string mnemonic, string words, dag more> : Check_Op<mnemonic, words> {
  let arguments = !con((ins SH_Tensor:$actual, SH_Tensor:$expected), more);
  let hasVerifier = 1;
}

class Check_ConstantOp<string mnemonic, string words, dag more> : Check_Op<mnemonic, words> {
  let arguments = !con((ins SH_Tensor:$actual, ElementsAttr:$value), more);
  let hasVerifier = 1;
}


def Check_ExpectEqOp : Check_TwoTensorsOp<"expect_eq", "every element is equal", (ins)>;
def Check_ExpectEqConstOp : Check_ConstantOp<"expect_eq_const", "every element is equal", (ins)> {
  let description = [{
    ```mlir
    check.expect_eq_const %x, dense<[1, 2]> : tensor<2xi32>
    ```
  }];
}
def Check_ExpectAlmostEqOp : Check_TwoTensorsOp<"expect_almost_eq", "no element is further away than the tolerance", Check_Tolerance>;
def Check_ExpectAlmostEqConstOp :
  Check_ConstantOp<"expect_almost_eq_const", "no element is further away than the tolerance", Check_Tolerance>;
def Check_ExpectCloseOp : Check_TwoTensorsOp<"expect_close", "at most so many values lie between two elements", Check_Distance> {
  let description = [{
    ```mlir
    check.expect_close %x, %y, max_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>
    ```
  }];
}
def Check_ExpectCloseConstOp :
  Check_ConstantOp<"expect_close_const", "at most so many values lie between two elements", Check_Distance>;

def Check_ExpectSerializedEqOp : Check_Op<"expect_serialized_eq", "equal to what `interpreter.probe` saw"> {
  let description = [{
    `iteration` counts the executions of the probe from 1.
  }];
  let arguments = (ins SH_Tensor:$expected, StrAttr:$probe_id, OptionalAttr<Check_IntegerAttr>:$iteration);
}

#endif // HEDDLE_DIALECTS_CHECK_CHECKOPS_TD
