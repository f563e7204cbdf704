// Bounds that a program contradicts, and sizes that only elements tell, are refused by name.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %exits 3 heddle compile beyond.mlir 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: %exits 3 heddle compile half.mlir 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: %exits 3 heddle compile elements.mlir 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// RUN: %exits 3 heddle compile longer.mlir 2>&1 | FileCheck %s --check-prefix=LONGER
// RUN: %exits 2 heddle compile half.mlir --shape arg0=9x3 2>&1 | FileCheck %s --check-prefix=OPTION

// BEYOND: error[HDL-0305]: 'stablehlo.concatenate' has a result of 16 elements in dimension 0, for which its type 'tensor<?xf32, #stablehlo.bounds<12>>' has a bound of 12
//--- beyond.mlir
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<12>> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<12>>
  return %0 : tensor<?xf32, #stablehlo.bounds<12>>
}

// HALF: error[HDL-0305]: argument 'arg0' has type 'tensor<?x?xf32, #stablehlo.bounds<8, ?>>'; a tensor of known size is wanted: --shape arg0=0..8xN
// OPTION: error[HDL-0213]: --shape arg0=9x3: argument 'arg0' has type {{.*}}, of which only '?' can be fixed, within its bound
//--- half.mlir
func.func @main(%x: tensor<?x?xf32, #stablehlo.bounds<8, ?>>) -> tensor<?x?xf32, #stablehlo.bounds<8, ?>> {
  return %x : tensor<?x?xf32, #stablehlo.bounds<8, ?>>
}

// ELEMENTS: error[HDL-0305]: 'stablehlo.set_dimension_size' sets a size that is computed from elements; one that follows from the arguments' shapes is wanted: give an argument that size, or a mask of what counts
//--- elements.mlir
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>, %n: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return %0 : tensor<?xf32, #stablehlo.bounds<8>>
}

// LONGER: error[HDL-0305]: 'stablehlo.set_dimension_size' has a result of 8 elements in dimension 0, for which its type 'tensor<?xf32, #stablehlo.bounds<5>>' has a bound of 5
//--- longer.mlir
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>, %y: tensor<5xf32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
  %0 = stablehlo.set_dimension_size %y, %n, dim = 0 : (tensor<5xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<5>>
  return %x : tensor<?xf32, #stablehlo.bounds<8>>
}
