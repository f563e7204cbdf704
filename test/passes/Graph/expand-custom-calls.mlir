// RUN: heddle-opt %s --heddle-expand-custom-calls | FileCheck %s

// Options come as letters, in either dictionary.
// CHECK-LABEL: func.func @cholesky
// CHECK: %[[L:.*]] = stablehlo.cholesky %arg0, lower = true : tensor<2x3x3xf32>
// CHECK: %[[NAN:.*]] = stablehlo.compare NE, %[[L]], %[[L]]
// CHECK: %[[ANY:.*]] = stablehlo.reduce(%[[NAN]] init: {{.*}} applies stablehlo.or across dimensions = [1, 2]
// CHECK: %[[INFO:.*]] = stablehlo.convert %[[ANY]] : (tensor<2xi1>) -> tensor<2xi32>
// CHECK: return %[[L]], %[[INFO]]
func.func @cholesky(%a: tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2x3x3xf32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @upper
// CHECK: stablehlo.cholesky %arg0 : tensor<3x3xf64>
// CHECK-NOT: stablehlo.reduce
// CHECK: return
func.func @upper(%a: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {api_version = 4 : i32, backend_config = {uplo = 85 : ui8}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
  return %0#0 : tensor<3x3xf64>
}

// LAPACK counts rows from 1.
// CHECK-LABEL: func.func @lu
// CHECK: %[[LU:.*]]:3 = stablehlo.composite "heddle.lu" %arg0 {decomposition = @heddle.lu.f32_4x3} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xi32>, tensor<4xi32>)
// CHECK: %[[ONE:.*]] = stablehlo.constant dense<1> : tensor<3xi32>
// CHECK: %[[PIVOTS:.*]] = stablehlo.add %[[LU]]#1, %[[ONE]]
// CHECK: %[[INFO:.*]] = stablehlo.constant dense<0> : tensor<i32>
// CHECK: return %[[LU]]#0, %[[PIVOTS]], %[[INFO]]
func.func @lu(%a: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xi32>, tensor<i32>) {
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xi32>, tensor<i32>)
  return %0#0, %0#1, %0#2 : tensor<4x3xf32>, tensor<3xi32>, tensor<i32>
}

// CHECK-LABEL: func.func @qr
// CHECK: %[[P:.*]]:2 = stablehlo.composite "heddle.qr" %arg0
// CHECK: stablehlo.composite "heddle.householder_product" %[[P]]#0, %[[P]]#1
func.func @qr(%a: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
  %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @solve
// CHECK: "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}>
func.func @solve(%a: tensor<3x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}} : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @tridiagonal
// CHECK: stablehlo.composite "heddle.tridiagonal_solve" %arg0, %arg1, %arg2, %arg3
func.func @tridiagonal(%dl: tensor<4xf32>, %d: tensor<4xf32>, %du: tensor<4xf32>, %b: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%dl, %d, %du, %b) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>, tensor<i32>)
  return %0#3 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @eigh
// CHECK: stablehlo.composite "heddle.eigh" %arg0 {composite_attributes = {lower = true}
func.func @eigh(%a: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>) {
  %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<3x3xf32>, tensor<3xf32>
}

// Two signatures of one routine are two declarations.
// CHECK-LABEL: func.func @svd
// CHECK: %[[V:.*]]:3 = stablehlo.composite "heddle.svd" %arg0 {composite_attributes = {compute_uv = true, full_matrices = false}, decomposition = @heddle.svd.f32_4x3}
// CHECK: %[[S:.*]] = stablehlo.composite "heddle.svd" %arg0 {composite_attributes = {compute_uv = false, full_matrices = false}, decomposition = @heddle.svd.f32_4x3_}
// CHECK: return %[[V]]#0, %[[V]]#1, %[[V]]#2, %[[S]]
func.func @svd(%a: tensor<4x3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>, tensor<3x3xf32>, tensor<3xf32>) {
  %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {mhlo.backend_config = {mode = 83 : ui8}} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<4x3xf32>, tensor<3x3xf32>, tensor<i32>)
  %1:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {mhlo.backend_config = {mode = 78 : ui8}} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<4x4xf32>, tensor<3x3xf32>, tensor<i32>)
  return %0#1, %0#2, %0#3, %1#1 : tensor<3xf32>, tensor<4x3xf32>, tensor<3x3xf32>, tensor<3xf32>
}

// Real matrices have complex eigenvalues, given in two parts.
// CHECK-LABEL: func.func @eig
// CHECK: %[[W:.*]]:2 = stablehlo.composite "heddle.eig" %arg0 {composite_attributes = {compute_left = false, compute_right = true}
// CHECK: %[[RE:.*]] = stablehlo.real %[[W]]#0
// CHECK: %[[IM:.*]] = stablehlo.imag %[[W]]#0
// CHECK: return %[[RE]], %[[IM]], %[[W]]#1
func.func @eig(%a: tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3x3xcomplex<f32>>) {
  %0:5 = stablehlo.custom_call @lapack_sgeev_ffi(%a) {mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 86 : ui8}} : (tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<i32>)
  return %0#0, %0#1, %0#3 : tensor<3xf32>, tensor<3xf32>, tensor<3x3xcomplex<f32>>
}

// A routine that fails gives NaN, which is what LAPACK's info says then.
// CHECK-LABEL: func.func @info
// CHECK: %[[T:.*]]:2 = stablehlo.composite "heddle.schur" %arg0
// CHECK: %[[NAN:.*]] = stablehlo.compare NE, %[[T]]#0, %[[T]]#0
// CHECK: %[[ANY:.*]] = stablehlo.reduce(%[[NAN]] init: %{{.*}}) applies stablehlo.or across dimensions = [1, 2]
// CHECK: %[[INFO:.*]] = stablehlo.convert %[[ANY]] : (tensor<2xi1>) -> tensor<2xi32>
// CHECK: return %[[T]]#0, %[[INFO]]
func.func @info(%a: tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>) {
  %0:6 = stablehlo.custom_call @lapack_sgees_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}} : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>)
  return %0#0, %0#5 : tensor<2x3x3xf32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @forms
// CHECK: stablehlo.composite "heddle.schur" %arg0
// CHECK: stablehlo.composite "heddle.hessenberg" %arg0
// CHECK: stablehlo.composite "heddle.tridiagonal" %arg0 {composite_attributes = {lower = false}
func.func @forms(%a: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<2xf32>, tensor<3xf32>) {
  %0:6 = stablehlo.custom_call @lapack_sgees_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i32>, tensor<i32>)
  %1:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%a) {mhlo.backend_config = {high = 3 : i32, low = 1 : i32}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<2xf32>, tensor<i32>)
  %2:5 = stablehlo.custom_call @lapack_ssytrd_ffi(%a) {mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>)
  return %0#0, %1#1, %2#1 : tensor<3x3xf32>, tensor<2xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @annotations
// CHECK-NEXT: return %arg0
func.func @annotations(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @annotate_device_placement(%1) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  stablehlo.custom_call @dce_sink(%2) {has_side_effect = true} : (tensor<4xf32>) -> ()
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @special
// CHECK: chlo.erf %arg0
func.func @special(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @mhlo.erf(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @approximate
// CHECK: %[[S:.*]]:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}>
// CHECK: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>, %{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>):
// CHECK: stablehlo.compare GT, %[[A]], %[[B]]
// CHECK: stablehlo.slice %[[S]]#0 [0:2, 0:3]
// CHECK: stablehlo.slice %[[S]]#1 [0:2, 0:3]
func.func @approximate(%x: tensor<2x9xf32>, %i: tensor<2x9xi32>, %a: tensor<f32>, %b: tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %a, %b) {called_computations = [@greater], mhlo.backend_config = {reduction_dim = 1 : i64, top_k = 3 : i64}} : (tensor<2x9xf32>, tensor<2x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}
func.func private @greater(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

// CHECK-LABEL: func.func @top_k
// CHECK: %[[I:.*]] = stablehlo.iota dim = 1 : tensor<2x9xi32>
// CHECK: %[[S:.*]]:2 = "stablehlo.sort"(%arg0, %[[I]])
// CHECK: stablehlo.compare GT, {{.*}}, TOTALORDER
// CHECK: stablehlo.slice %[[S]]#0 [0:2, 0:3]
func.func @top_k(%x: tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 3 : i64, largest = true}} : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}

// A function that the user declared is called, whatever its name.
// CHECK-LABEL: func.func @registered
// CHECK: stablehlo.custom_call @mhlo.erf(%arg0) {heddle.registered}
func.func @registered(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @mhlo.erf(%a) {heddle.registered} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The whole of q, by which c is multiplied; adjoint, its rows are contracted.
// CHECK-LABEL: func.func @householder_multiply
// CHECK: %[[A:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<5x3xf32>, tensor<f32>) -> tensor<5x5xf32>
// CHECK: %[[Q:.*]] = stablehlo.composite "heddle.householder_product" %[[A]], %arg1
// CHECK: stablehlo.dot_general %[[Q]], %arg2, contracting_dims = [0] x [0] : (tensor<5x5xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
func.func @householder_multiply(%a: tensor<5x3xf32>, %t: tensor<3xf32>, %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = stablehlo.custom_call @lapack_sormqr_ffi(%a, %t, %c) {mhlo.backend_config = {left = true, transpose = true}}
    : (tensor<5x3xf32>, tensor<3xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @householder_multiply_right
// CHECK: %[[Q:.*]] = stablehlo.composite "heddle.householder_product" %arg0, %arg1
// CHECK: %[[C:.*]] = stablehlo.complex
// CHECK: stablehlo.dot_general %arg2, %[[C]], batching_dims = [0] x [0], contracting_dims = [2] x [2]
func.func @householder_multiply_right(%a: tensor<2x3x3xcomplex<f64>>, %t: tensor<2x3xcomplex<f64>>, %c: tensor<2x4x3xcomplex<f64>>)
    -> tensor<2x4x3xcomplex<f64>> {
  %0 = stablehlo.custom_call @lapack_zunmqr_ffi(%a, %t, %c) {mhlo.backend_config = {left = false, transpose = true}}
    : (tensor<2x3x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>, tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
  return %0 : tensor<2x4x3xcomplex<f64>>
}
