// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func @real
func.func @real(%a: tensor<3x4x4xf32>, %b: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  // CHECK: kernel.routine "cholesky"(%{{.*}}) {parameters = {lower = true}} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %l = kernel.routine "cholesky"(%a) {parameters = {lower = true}} : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  // CHECK: kernel.routine "triangular_solve"(%{{.*}}, %{{.*}}) {parameters = {left_side = false, lower = true, transpose_a = "ADJOINT", unit_diagonal = false}}
  %x = kernel.routine "triangular_solve"(%l, %b) {parameters = {left_side = false, lower = true, transpose_a = "ADJOINT", unit_diagonal = false}} : (tensor<3x4x4xf32>, tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return %x : tensor<3x2x4xf32>
}

// A complex matrix is two.
// CHECK-LABEL: func @complex
func.func @complex(%re: tensor<4x4xf64>, %im: tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4x4xf64>) {
  // CHECK: kernel.routine "cholesky"(%{{.*}}, %{{.*}}) : (tensor<4x4xf64>, tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4x4xf64>)
  %l:2 = kernel.routine "cholesky"(%re, %im) : (tensor<4x4xf64>, tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4x4xf64>)
  return %l#0, %l#1 : tensor<4x4xf64>, tensor<4x4xf64>
}

// CHECK-LABEL: func @fft
func.func @fft(%x: tensor<2x10xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>) {
  // CHECK: kernel.routine "fft"(%{{.*}}) {parameters = {fft_length = array<i64: 10>, fft_type = "RFFT"}}
  %y:2 = kernel.routine "fft"(%x) {parameters = {fft_length = array<i64: 10>, fft_type = "RFFT"}} : (tensor<2x10xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)
  return %y#0, %y#1 : tensor<2x6xf32>, tensor<2x6xf32>
}

// CHECK-LABEL: func @call
func.func @call(%a: memref<?xf32>, %n: index) {
  // CHECK: kernel.call "heddle_cholesky_f32"(%{{.*}}, %{{.*}}) : memref<?xf32>, index
  kernel.call "heddle_cholesky_f32"(%a, %n) : memref<?xf32>, index
  return
}
