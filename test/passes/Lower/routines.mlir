// Factorizations and solutions are one kernel each; half precision is computed in f32.
// RUN: heddle-opt %s --heddle-lower-graph --split-input-file | FileCheck %s

// CHECK-LABEL: func @main
func.func @main(%a: tensor<3x4x4xf32>, %b: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  // CHECK: %[[L:.*]] = kernel.routine "cholesky"(%{{.*}}) {parameters = {lower = true}}
  %l = stablehlo.cholesky %a, lower = true : tensor<3x4x4xf32>
  // CHECK: kernel.routine "triangular_solve"(%[[L]], %{{.*}}) {parameters = {left_side = false, lower = true, transpose_a = "TRANSPOSE", unit_diagonal = true}}
  %x = "stablehlo.triangular_solve"(%l, %b) {left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<3x4x4xf32>, tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return %x : tensor<3x2x4xf32>
}

// -----

// CHECK-LABEL: func @main
func.func @main(%a: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  // CHECK: arith.extf {{.*}} : bf16 to f32
  // CHECK: kernel.routine "cholesky"({{.*}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: arith.truncf {{.*}} : f32 to bf16
  %l = stablehlo.cholesky %a : tensor<4x4xbf16>
  return %l : tensor<4x4xbf16>
}

// -----

// CHECK-NOT: stablehlo.composite
func.func private @heddle.cholesky.f32_4x4(tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK-LABEL: func @main
func.func @main(%re: tensor<4x4xf32>, %im: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: kernel.routine "cholesky"(%{{.*}}, %{{.*}}) {parameters = {lower = true}}
  %l:2 = stablehlo.composite "heddle.cholesky" %re, %im {composite_attributes = {lower = true}, decomposition = @heddle.cholesky.f32_4x4} : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return %l#0, %l#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A transform of several dimensions is one routine for each.
func.func private @heddle.fft.0(tensor<5x12x10xf32>) -> (tensor<5x12x6xf32>, tensor<5x12x6xf32>)
// CHECK-LABEL: func @main
func.func @main(%x: tensor<5x12x10xf32>) -> (tensor<5x12x6xf32>, tensor<5x12x6xf32>) {
  // CHECK: %[[LAST:.*]]:2 = kernel.routine "fft"(%{{.*}}) {parameters = {fft_length = array<i64: 10>, fft_type = "RFFT"}}
  // CHECK: kernel.routine "fft"(%[[LAST]]#0, %[[LAST]]#1) {parameters = {dimension = 1 : i64, fft_length = array<i64: 12>, fft_type = "FFT"}}
  %y:2 = stablehlo.composite "heddle.fft" %x {composite_attributes = {fft_type = "RFFT", fft_length = array<i64: 12, 10>}, decomposition = @heddle.fft.0} : (tensor<5x12x10xf32>) -> (tensor<5x12x6xf32>, tensor<5x12x6xf32>)
  return %y#0, %y#1 : tensor<5x12x6xf32>, tensor<5x12x6xf32>
}
