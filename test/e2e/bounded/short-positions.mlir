// Positions of few bits point into dimensions that are longer than such numbers: they are held within what there is, not within what is left of
// that in a short number. Over true extents, and over the bound, as complex numbers are.
// RUN: heddle compare -q %s --shape arg0=130..400 --shape arg1=130..400 --shape arg0=300 --shape arg1=300 | FileCheck %s
// RUN: heddle compare -q %s --shape arg0=130..400 --shape arg1=130..400 --shape arg0=130 --shape arg1=130 | FileCheck %s
// RUN: heddle compare -q %s --shape arg0=130..400 --shape arg1=130..400 --shape arg0=257 --shape arg1=399 | FileCheck %s
// CHECK: ok
// CHECK-NOT: WRONG

func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<5xf32>, tensor<3xf32>, tensor<7xf32>, tensor<?xf32>, tensor<5xf32>, tensor<7xf32>, tensor<?xf32>) {
  %signed = stablehlo.constant dense<[[100], [127], [0], [-3], [-128]]> : tensor<5x1xi8>
  %unsigned = stablehlo.constant dense<[[100], [255], [129]]> : tensor<3x1xui8>
  %start = stablehlo.constant dense<101> : tensor<i8>
  %0 = "stablehlo.gather"(%x, %signed) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<?xf32>, tensor<5x1xi8>) -> tensor<5xf32>
  %1 = "stablehlo.gather"(%x, %unsigned) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<?xf32>, tensor<3x1xui8>) -> tensor<3xf32>
  %2 = stablehlo.dynamic_slice %x, %start, sizes = [7] : (tensor<?xf32>, tensor<i8>) -> tensor<7xf32>
  %3 = stablehlo.dynamic_update_slice %x, %2, %start : (tensor<?xf32>, tensor<7xf32>, tensor<i8>) -> tensor<?xf32>
  %z = stablehlo.complex %y, %y : tensor<?xcomplex<f32>>
  %4 = "stablehlo.gather"(%z, %signed) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<?xcomplex<f32>>, tensor<5x1xi8>) -> tensor<5xcomplex<f32>>
  %5 = stablehlo.dynamic_slice %z, %start, sizes = [7] : (tensor<?xcomplex<f32>>, tensor<i8>) -> tensor<7xcomplex<f32>>
  %6 = stablehlo.negate %5 : tensor<7xcomplex<f32>>
  %7 = stablehlo.dynamic_update_slice %z, %6, %start : (tensor<?xcomplex<f32>>, tensor<7xcomplex<f32>>, tensor<i8>) -> tensor<?xcomplex<f32>>
  %8 = stablehlo.real %4 : (tensor<5xcomplex<f32>>) -> tensor<5xf32>
  %9 = stablehlo.imag %5 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>
  %10 = stablehlo.imag %7 : (tensor<?xcomplex<f32>>) -> tensor<?xf32>
  return %0, %1, %2, %3, %8, %9, %10 : tensor<5xf32>, tensor<3xf32>, tensor<7xf32>, tensor<?xf32>, tensor<5xf32>, tensor<7xf32>, tensor<?xf32>
}
