// What cannot be computed over a size that a call chooses is named, and what can be for some of the sizes is taken for granted.

// RUN: split-file %s %t
// RUN: %exits 3 heddle compile %t/factors.mlir --shape arg0=1..8x1..8 -o %t/none 2>&1 | FileCheck %t/factors.mlir
// RUN: heddle compare %t/strided.mlir --shape arg0=0..8
// RUN: heddle compare %t/strided.mlir --shape arg0=1..9
// RUN: heddle compile -q %t/short.mlir --shape arg0=1..8 -o %t/short.heddle 2>&1 | FileCheck %t/short.mlir
// RUN: heddle compile -q %t/named.mlir --shape arg0=1..8 -o %t/named.heddle 2>&1 | FileCheck %t/named.mlir
// RUN: %exits 2 heddle compile %t/short.mlir --shape arg0=8..1 -o %t/none 2>&1 | FileCheck %s --check-prefix=RANGE

// RANGE: error[HDL-0213]: "arg0=8..1" gives no range of sizes: write --shape NAME=1..8x128, the bound at most 2147483647

//--- factors.mlir
// Both sizes are one: a factorization is of a square.
// CHECK: error[HDL-0305]: 'stablehlo.cholesky' cannot be computed over a bounded dimension; give one size in place of a range (arg0.0 = 1..8{{.*}})
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

//--- strided.mlir
// Without padding, sizes of 0, 1 and 2 all give none.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

//--- short.mlir
// CHECK: remark: takes for granted that 3 <= arg0.0; calls of other sizes are refused
func.func @main(%x: tensor<?xf32>) -> tensor<3xf32> {
  %0 = stablehlo.slice %x [0:3] : (tensor<?xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

//--- named.mlir
// Who has named a node is told of that, not of our operation.
// CHECK: named.mlir: encoder/first: remark: takes for granted that 3 <= arg0.0; calls of other sizes are refused
func.func @main(%x: tensor<?xf32>) -> tensor<3xf32> {
  %0 = stablehlo.slice %x [0:3] : (tensor<?xf32>) -> tensor<3xf32> loc("encoder/first")
  return %0 : tensor<3xf32>
}
