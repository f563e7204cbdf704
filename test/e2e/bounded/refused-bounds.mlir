// Bounds that a program contradicts, and sizes that only elements tell, are refused by name.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %exits 3 heddle compile beyond.mlir 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: %exits 3 heddle compile twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: %exits 3 heddle compile half.mlir 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: %exits 3 heddle compile elements.mlir 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// RUN: %exits 3 heddle compile longer.mlir 2>&1 | FileCheck %s --check-prefix=LONGER
// RUN: %exits 3 heddle compile least.mlir 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: %exits 2 heddle compile apart.mlir 2>&1 | FileCheck %s --check-prefix=APART
// RUN: %exits 2 heddle compile half.mlir --shape arg0=9x3 2>&1 | FileCheck %s --check-prefix=OPTION

// BEYOND: error[HDL-0305]: 'stablehlo.concatenate' has a result of 16 elements in dimension 0, for which its type 'tensor<?xf32, #stablehlo.bounds<12>>' has a bound of 12
//--- beyond.mlir
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<12>> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<12>>
  return %0 : tensor<?xf32, #stablehlo.bounds<12>>
}

// TWICE: error[HDL-0305]: the sizes arg0.0 = 7, arg1.0 = 16 lie within their ranges, but the model does not take them: 'stablehlo.add' {{.*}}; fix them, or give others by --shape NAME=LEAST..LARGEST
//--- twice.mlir
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>, %y: tensor<?xf32, #stablehlo.bounds<16>>) -> tensor<?xf32, #stablehlo.bounds<16>> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<16>>
  %1 = stablehlo.add %0, %y : tensor<?xf32, #stablehlo.bounds<16>>
  return %1 : tensor<?xf32, #stablehlo.bounds<16>>
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

// LONGER: error[HDL-0305]: 'stablehlo.set_dimension_size' gives dimension 0 of size 5 the size 8; a size from 0 to that is wanted
//--- longer.mlir
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>, %y: tensor<5xf32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
  %0 = stablehlo.set_dimension_size %y, %n, dim = 0 : (tensor<5xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<5>>
  return %x : tensor<?xf32, #stablehlo.bounds<8>>
}

// The least of two sizes shows at the least of all.
// LEAST: error[HDL-0305]: dimension 0 has sizes that no sum of products or quotient of the bounded sizes gives: 2, 2, 2, 0, 1{{.*}}
//--- least.mlir
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %least = stablehlo.minimum %n, %two : tensor<i32>
  %shape = stablehlo.reshape %least : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// APART: error[HDL-0213]: there are 5 ranges of sizes that do not depend on each other (arg0.0, arg1.0, arg2.0, arg3.0, arg4.0); at most 4 are taken: fix others by --shape NAME=SHAPE
//--- apart.mlir
func.func @main(%a: tensor<?xf32, #stablehlo.bounds<8>>, %b: tensor<?xf32, #stablehlo.bounds<8>>, %c: tensor<?xf32, #stablehlo.bounds<8>>, %d: tensor<?xf32, #stablehlo.bounds<8>>, %e: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  return %a : tensor<?xf32, #stablehlo.bounds<8>>
}
