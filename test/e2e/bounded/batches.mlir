// A number of matrices that a call chooses: LAPACK's routines go matrix by matrix, and calls are told the shapes of their results.
// RUN: split-file %s %t && cd %t
// RUN: heddle compare factors.mlir --shape arg0=0..4x3x3 | FileCheck %s
// RUN: heddle compare factors.mlir --shape arg0=2x3x3 | FileCheck %s
// RUN: heddle compare chosen.mlir --shape arg0=0..4x5 | FileCheck %s
// RUN: heddle compare chosen.mlir --shape arg0=3x5 | FileCheck %s
// RUN: %exits 3 heddle compile factors.mlir --shape arg0=2x1..4x1..4 -o none 2>&1 | FileCheck %s --check-prefix=SQUARE
// RUN: %exits 3 heddle compile joined.mlir --shape arg0=1..4x4 -o none 2>&1 | FileCheck %s --check-prefix=JOINED
// CHECK: ok
// CHECK-NOT: WRONG
// SQUARE: error[HDL-0305]: 'stablehlo.custom_call' @lapack_sgetrf_ffi cannot be computed over a bounded dimension of its matrices; give one size in place of a range (arg0.1 = 1..4, arg0.2 = 1..4)
// JOINED: error[HDL-0305]: 'stablehlo.bitcast_convert' joins or splits elements along a dimension, which cannot be computed over a bounded one;

//--- factors.mlir
func.func @main(%a: tensor<?x?x?xf32>) -> (tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?x?x?xi32>) {
  %b = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x?x?xf32>) -> tensor<i32>
  %n = stablehlo.get_dimension_size %a, dim = 1 : (tensor<?x?x?xf32>) -> tensor<i32>
  %b1 = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %whole = stablehlo.concatenate %b1, %n1, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %rows = stablehlo.concatenate %b1, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a, %whole, %rows, %b1) {indices_of_shape_operands = dense<[1, 2, 3]> : tensor<3xi64>,
      operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>],
      result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]}
    : (tensor<?x?x?xf32>, tensor<3xi32>, tensor<2xi32>, tensor<1xi32>) -> (tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?xi32>)
  %1 = stablehlo.custom_call @mhlo.erf(%0#0) : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %2 = stablehlo.bitcast_convert %1 : (tensor<?x?x?xf32>) -> tensor<?x?x?xi32>
  return %0#0, %0#1, %2 : tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?x?x?xi32>
}

//--- chosen.mlir
func.func @main(%a: tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x?xf32>, tensor<?x?xi32>) {
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>)
  %1:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%a, %three) : (tensor<?x5xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x?xf32>, tensor<?x?xi32>
}

//--- joined.mlir
func.func @main(%a: tensor<?x4xi8>) -> tensor<?xi32> {
  %0 = stablehlo.bitcast_convert %a : (tensor<?x4xi8>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
