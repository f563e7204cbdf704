// Custom calls as JAX wrote them before 0.5: sizes and options are operands, scratch memory is a result. The numbers of whole artifacts are
// compared in test/lib/Frontend/Exported/golden.test.
// RUN: split-file %s %t && cd %t
// RUN: heddle test good.mlir | FileCheck %s --check-prefix=GOOD
// RUN: heddle test --interpret good.mlir | FileCheck %s --check-prefix=GOOD
// GOOD: 1 passed, 0 failed, 0 skipped
// RUN: %exits 3 heddle compile open-option.mlir -o none 2>&1 | FileCheck open-option.mlir
// RUN: %exits 3 heddle compile no-option.mlir -o none 2>&1 | FileCheck no-option.mlir
// RUN: %exits 3 heddle compile scratch.mlir -o none 2>&1 | FileCheck scratch.mlir
// RUN: %exits 3 heddle compile arity.mlir -o none 2>&1 | FileCheck arity.mlir
// RUN: %exits 3 heddle compile descriptor.mlir -o none 2>&1 | FileCheck descriptor.mlir
// A function of the user's own has the name.
// RUN: heddle compile open-option.mlir --custom-call lapack_spotrf -o own && heddle inspect own | FileCheck %s --check-prefix=OWN
// OWN: lapack_spotrf

//--- good.mlir
func.func @main() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 10.0]]> : tensor<2x2xf32>

  // The upper triangle.
  %0:2 = stablehlo.custom_call @lapack_spotrf(%zero, %one, %two, %a) {api_version = 2 : i32}
    : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  %row = stablehlo.slice %0#0 [0:1, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  %factor = stablehlo.constant dense<[[2.0, 1.0]]> : tensor<1x2xf32>
  stablehlo.custom_call @check.expect_eq(%row, %factor) {has_side_effect = true} : (tensor<1x2xf32>, tensor<1x2xf32>) -> ()

  // x t = 2 b, of the transposed lower triangle t of a.
  %alpha = stablehlo.constant dense<2.0> : tensor<f32>
  %b = stablehlo.constant dense<[[4.0, 12.0]]> : tensor<1x2xf32>
  %1 = stablehlo.custom_call @blas_strsm(%zero, %one, %one, %zero, %one, %two, %one, %alpha, %a, %b) {api_version = 2 : i32}
    : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  %solution = stablehlo.constant dense<[[2.0, 2.0]]> : tensor<1x2xf32>
  stablehlo.custom_call @check.expect_eq(%1, %solution) {has_side_effect = true} : (tensor<1x2xf32>, tensor<1x2xf32>) -> ()

  // In place of attributes, the letters 'N' and 'V'; three results in front are scratch memory.
  %none = stablehlo.constant dense<78> : tensor<ui8>
  %vectors = stablehlo.constant dense<86> : tensor<ui8>
  %d = stablehlo.constant dense<[[3.0, 0.0], [0.0, 3.0]]> : tensor<2x2xf32>
  %2:8 = stablehlo.custom_call @lapack_sgeev(%one, %two, %none, %vectors, %d) {api_version = 2 : i32}
    : (tensor<i32>, tensor<i32>, tensor<ui8>, tensor<ui8>, tensor<2x2xf32>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>, tensor<i32>)
  %threes = stablehlo.constant dense<3.0> : tensor<2xf32>
  stablehlo.custom_call @check.expect_eq(%2#3, %threes) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()

  // Two flags are one mode: vectors, but not all of them.
  %tall = stablehlo.constant dense<[[3.0], [4.0]]> : tensor<2x1xf32>
  %3:7 = stablehlo.custom_call @lapack_sgesdd(%zero, %one, %one, %two, %one, %two, %tall) {api_version = 2 : i32}
    : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x1xf32>)
    -> (tensor<2x1xf32>, tensor<1xf32>, tensor<2x1xf32>, tensor<1x1xf32>, tensor<i32>, tensor<8xi32>, tensor<70xf32>)
  %length = stablehlo.constant dense<5.0> : tensor<1xf32>
  stablehlo.custom_call @check.expect_almost_eq(%3#1, %length) {has_side_effect = true} : (tensor<1xf32>, tensor<1xf32>) -> ()

  // Of a table of FlatBuffers: two dimensions, of which the last is transformed, forward.
  %descriptor = stablehlo.constant dense<"0x1400000000000E0010000800000000000C0007000E0000000000000102000000040000000100000001000000"> : tensor<44xui8>
  %z = stablehlo.constant dense<[[(1.0, 0.0), (2.0, 0.0)]]> : tensor<1x2xcomplex<f32>>
  %shape = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %strides = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %scale = stablehlo.constant dense<1.0> : tensor<1xf64>
  %4 = stablehlo.custom_call @dynamic_ducc_fft(%descriptor, %z, %shape, %strides, %strides, %scale, %shape)
    {api_version = 2 : i32, indices_of_shape_operands = dense<6> : tensor<1xi64>}
    : (tensor<44xui8>, tensor<1x2xcomplex<f32>>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<1xf64>, tensor<2xi32>) -> tensor<1x2xcomplex<f32>>
  %waves = stablehlo.constant dense<[[(3.0, 0.0), (-1.0, 0.0)]]> : tensor<1x2xcomplex<f32>>
  stablehlo.custom_call @check.expect_almost_eq(%4, %waves) {has_side_effect = true} : (tensor<1x2xcomplex<f32>>, tensor<1x2xcomplex<f32>>) -> ()
  return
}

//--- open-option.mlir
// CHECK: error[HDL-0309]: custom call 'lapack_spotrf' has operand 0 for 'uplo'; a constant that LAPACK knows is wanted
func.func @main(%lower: tensor<i32>, %a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %n = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.custom_call @lapack_spotrf(%lower, %n, %n, %a) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  return %0#0 : tensor<2x2xf32>
}

//--- no-option.mlir
// CHECK: error[HDL-0309]: custom call 'lapack_spotrf' has operand 0 for 'uplo'; a constant that LAPACK knows is wanted
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %n = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.custom_call @lapack_spotrf(%n, %n, %n, %a) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  return %0#0 : tensor<2x2xf32>
}

//--- scratch.mlir
// CHECK: error[HDL-0309]: custom call 'lapack_sgeqrf' has the result 3, scratch memory, which cannot be used
func.func @main(%a: tensor<2x2xf32>) -> tensor<64xf32> {
  %n = stablehlo.constant dense<2> : tensor<i32>
  %0:4 = stablehlo.custom_call @lapack_sgeqrf(%n, %n, %n, %n, %a) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x2xf32>)
    -> (tensor<2x2xf32>, tensor<2xf32>, tensor<i32>, tensor<64xf32>)
  return %0#3 : tensor<64xf32>
}

//--- arity.mlir
// CHECK: error[HDL-0309]: custom call 'lapack_dgetrf' has 1 operands and 3 results; releases of JAX that call it so give it 3 numbers and matrices
func.func @main(%a: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %0:3 = stablehlo.custom_call @lapack_dgetrf(%a) : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xi32>, tensor<i32>)
  return %0#0 : tensor<2x2xf64>
}

//--- descriptor.mlir
// CHECK: error[HDL-0309]: custom call 'dynamic_ducc_fft' has a damaged descriptor
func.func @main(%z: tensor<1x2xcomplex<f32>>) -> tensor<1x2xcomplex<f32>> {
  %descriptor = stablehlo.constant dense<[20, 0, 0, 0, 1, 2, 3, 4]> : tensor<8xui8>
  %shape = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %scale = stablehlo.constant dense<1.0> : tensor<1xf64>
  %0 = stablehlo.custom_call @dynamic_ducc_fft(%descriptor, %z, %shape, %shape, %shape, %scale)
    : (tensor<8xui8>, tensor<1x2xcomplex<f32>>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<1xf64>) -> tensor<1x2xcomplex<f32>>
  return %0 : tensor<1x2xcomplex<f32>>
}
