// RUN: heddle-opt %s --heddle-evaluate-constants --split-input-file | FileCheck %s
// RUN: heddle-opt %s --heddle-evaluate-constants=max-bytes=8 --split-input-file --remark-format=emitRemark --remarks-filter=heddle-evaluate-constants 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SMALL

// CHECK-LABEL: @main
// CHECK-DAG: stablehlo.constant dense<{{\[\[}}5.000000e+00, 6.000000e+00], [1.000000e+00, 2.000000e+00]]> : tensor<2x2xf32>
// CHECK-DAG: stablehlo.constant dense<[4.000000e+00, 6.000000e+00]> : tensor<2xf32>
// CHECK-NOT: stablehlo.gather
// CHECK-NOT: stablehlo.reduce
// CHECK: return
// SMALL: remark: [Missed] NotEvaluated
// SMALL-SAME: computed from constants in each call
// SMALL: stablehlo.gather
// SMALL: stablehlo.reduce
func.func @main() -> (tensor<2x2xf32>, tensor<2xf32>) {
  %c = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %i = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %0 = "stablehlo.gather"(%c, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  // What is packable before it is evaluated too.
  %s = stablehlo.slice %c [0:2, 0:2] : (tensor<3x2xf32>) -> tensor<2x2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2xf32>
}

// -----

// What an argument takes part in stays.
// CHECK-LABEL: @main
// CHECK: stablehlo.gather
func.func @main(%i: tensor<2xi32>) -> tensor<2x2xf32> {
  %c = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %0 = "stablehlo.gather"(%c, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// Twice the value before, again and again: one that reads it would compute it twice. Of few steps it stays a program.
// CHECK-LABEL: @main
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[V4:.*]] = stablehlo.constant dense<[1.600000e+01, 3.200000e+01, 4.800000e+01, 6.400000e+01]> : tensor<4xf32>
// CHECK: %[[V5:.*]] = stablehlo.add %[[V4]], %[[V4]]
// CHECK-NEXT: %[[R:.*]] = stablehlo.add %[[X]], %[[V5]]
// CHECK-NEXT: return %[[R]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %v1 = stablehlo.add %v0, %v0 : tensor<4xf32>
  %v2 = stablehlo.add %v1, %v1 : tensor<4xf32>
  %v3 = stablehlo.add %v2, %v2 : tensor<4xf32>
  %v4 = stablehlo.add %v3, %v3 : tensor<4xf32>
  %v5 = stablehlo.add %v4, %v4 : tensor<4xf32>
  %0 = stablehlo.add %x, %v5 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// What reads the broadcast constant stores it; the broadcast stays.
// CHECK-LABEL: @main
// CHECK: %[[V4:.*]] = stablehlo.constant dense<[1.600000e+01, 3.200000e+01]> : tensor<2xf32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %[[V4]]
// CHECK-NEXT: stablehlo.negate %[[B]]
// CHECK-NEXT: stablehlo.add %{{.*}}, %[[B]]
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %v0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %v1 = stablehlo.add %v0, %v0 : tensor<2xf32>
  %v2 = stablehlo.add %v1, %v1 : tensor<2xf32>
  %v3 = stablehlo.add %v2, %v2 : tensor<2xf32>
  %v4 = stablehlo.add %v3, %v3 : tensor<2xf32>
  %b = stablehlo.broadcast_in_dim %v4, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  %n = stablehlo.negate %b : tensor<2x3xf32>
  %0 = stablehlo.add %x, %b : tensor<2x3xf32>
  return %n, %0 : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// Of a constant that is as long as a call says, the sum is the call's.
// CHECK-LABEL: @main
// CHECK: stablehlo.reduce
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 9 : i64}]} {
  func.func @main(%x: tensor<9xf32, #size.extents<n>>) -> tensor<f32> {
    %one = stablehlo.constant dense<1.0> : tensor<9xf32, #size.extents<n>>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%one init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<9xf32, #size.extents<n>>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
