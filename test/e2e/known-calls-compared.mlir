// The custom calls that the compiler expands, compiled against their own meaning: the interpreter does not use the expansions. Vectors are
// unique by their normalisation (docs/decisions/routines.md); where the order is free, a sum and a product are compared.
// RUN: heddle compare %s --input 0=random:1 --input 1=random:2 --input 2=random:3 | FileCheck %s
// RUN: heddle compare %s --input 0=random:4 --input 1=random:5 --input 2=random:6 --bisect | FileCheck %s
// CHECK-NOT: WRONG
// CHECK-COUNT-22: {{^ +ok .* out}}
// CHECK-NOT: WRONG

func.func @main(%a: tensor<2x4x3xf32>, %s: tensor<2x4x4xf32>, %t: tensor<2x4x4xf32>) -> (
    tensor<2x4x4xf32>, tensor<2xi32>, tensor<2x4x4xf64>, tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<2x3x4xf32>,
    tensor<2x4x3xf32>, tensor<2x3xi32>, tensor<2x3x4xf32>, tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2x4x4xcomplex<f32>>,
    tensor<2x3xf32>, tensor<2x4x4xf32>, tensor<2x3x3xf32>, tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x4x3xf32>,
    tensor<2xf32>, tensor<2x4x4xf32>) {
  // Positive definite, and what is not.
  %squares = stablehlo.dot_general %s, %s, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %two = stablehlo.constant dense<2.0> : tensor<2x4x4xf32>
  %r = stablehlo.iota dim = 1 : tensor<2x4x4xi32>
  %k = stablehlo.iota dim = 2 : tensor<2x4x4xi32>
  %on = stablehlo.compare EQ, %r, %k : (tensor<2x4x4xi32>, tensor<2x4x4xi32>) -> tensor<2x4x4xi1>
  %more = stablehlo.add %squares, %two : tensor<2x4x4xf32>
  %spd = stablehlo.select %on, %more, %squares : tensor<2x4x4xi1>, tensor<2x4x4xf32>
  %l:2 = stablehlo.custom_call @lapack_spotrf_ffi(%spd) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2xi32>)
  %negative = stablehlo.negate %spd : tensor<2x4x4xf32>
  %n:2 = stablehlo.custom_call @lapack_spotrf_ffi(%negative) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2xi32>)
  %wide = stablehlo.convert %spd : (tensor<2x4x4xf32>) -> tensor<2x4x4xf64>
  %u:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%wide) {mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<2x4x4xf64>) -> (tensor<2x4x4xf64>, tensor<2xi32>)

  // Reflectors: the factors, their product, and the product with a matrix from both sides.
  %qr:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xf32>)
  %q = stablehlo.custom_call @lapack_sorgqr_ffi(%qr#0, %qr#1) : (tensor<2x4x3xf32>, tensor<2x3xf32>) -> tensor<2x4x3xf32>
  %left = stablehlo.custom_call @lapack_sormqr_ffi(%qr#0, %qr#1, %s) {mhlo.backend_config = {left = true, transpose = true}}
    : (tensor<2x4x3xf32>, tensor<2x3xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %row = stablehlo.slice %s [0:2, 0:3, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x3x4xf32>
  %right = stablehlo.custom_call @lapack_sormqr_ffi(%qr#0, %qr#1, %row) {mhlo.backend_config = {left = false, transpose = false}}
    : (tensor<2x4x3xf32>, tensor<2x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>

  %lu:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xi32>, tensor<2xi32>)
  %x = stablehlo.custom_call @lapack_strsm_ffi(%l#0, %row) {mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}}
    : (tensor<2x4x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>

  %e:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%spd) {mhlo.backend_config = {mode = 86 : ui8, uplo = 85 : ui8}} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2xi32>)
  %c = stablehlo.complex %s, %t : tensor<2x4x4xcomplex<f32>>
  %h:3 = stablehlo.custom_call @lapack_cheevd_ffi(%c) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<2x4x4xcomplex<f32>>) -> (tensor<2x4x4xcomplex<f32>>, tensor<2x4xf32>, tensor<2xi32>)
  %v:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {mhlo.backend_config = {mode = 65 : ui8}} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xf32>, tensor<2x4x4xf32>, tensor<2x3x3xf32>, tensor<2xi32>)
  %g:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%s) {mhlo.backend_config = {high = 4 : i32, low = 1 : i32}} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x3xf32>, tensor<2xi32>)
  %d:5 = stablehlo.custom_call @lapack_ssytrd_ffi(%s) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xi32>)
  %f = stablehlo.custom_call @mhlo.asinh(%a) : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %w:5 = stablehlo.custom_call @lapack_sgeev_ffi(%s) {mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 78 : ui8}}
    : (tensor<2x4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x4xcomplex<f32>>, tensor<2x4x4xcomplex<f32>>, tensor<2xi32>)
  %trace = stablehlo.reduce(%w#0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %p:6 = stablehlo.custom_call @lapack_sgees_ffi(%s) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}}
    : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xi32>)
  %zt = stablehlo.dot_general %p#1, %p#0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %whole = stablehlo.dot_general %zt, %p#1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %l#0, %n#1, %u#0, %qr#0, %q, %left, %right, %lu#0, %lu#1, %x, %e#0, %e#1, %h#0, %v#1, %v#2, %v#3, %g#0, %d#1, %d#2, %f, %trace, %whole
    : tensor<2x4x4xf32>, tensor<2xi32>, tensor<2x4x4xf64>, tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>, tensor<2x3x4xf32>,
    tensor<2x4x3xf32>, tensor<2x3xi32>, tensor<2x3x4xf32>, tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2x4x4xcomplex<f32>>,
    tensor<2x3xf32>, tensor<2x4x4xf32>, tensor<2x3x3xf32>, tensor<2x4x4xf32>, tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x4x3xf32>,
    tensor<2xf32>, tensor<2x4x4xf32>
}
