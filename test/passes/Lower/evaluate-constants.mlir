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
