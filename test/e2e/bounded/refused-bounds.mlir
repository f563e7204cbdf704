// Bounds that a program contradicts, and sizes that only elements tell, are refused by name.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %exits 3 heddle compile beyond.mlir 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: %exits 3 heddle compile half.mlir 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: %exits 3 heddle compile elements.mlir 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// RUN: %exits 3 heddle compile longer.mlir 2>&1 | FileCheck %s --check-prefix=LONGER
// RUN: %exits 3 heddle compile unbounded.mlir 2>&1 | FileCheck %s --check-prefix=UNBOUNDED
// RUN: %exits 3 heddle compile two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: %exits 3 heddle compile branch.mlir 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: %exits 3 heddle compile several.mlir 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: %exits 3 heddle compile rest.mlir 2>&1 | FileCheck %s --check-prefix=REST
// RUN: %exits 3 heddle compile few.mlir 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: %exits 3 heddle compile steps.mlir 2>&1 | FileCheck %s --check-prefix=STEPS
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

// UNBOUNDED: error[HDL-0305]: 'stablehlo.dynamic_iota' has a result whose size in dimension 1 is computed from elements; its type has to say the most that it can be, as 'tensor<?x?xi32, #stablehlo.bounds<?, 64>>' does
//--- unbounded.mlir
func.func @main(%s: tensor<2xi32>) -> tensor<?x?xi32, #stablehlo.bounds<8, ?>> {
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32, #stablehlo.bounds<8, ?>>
  return %0 : tensor<?x?xi32, #stablehlo.bounds<8, ?>>
}

// TWO: error[HDL-0305]: 'stablehlo.add' wants {{.*}}set_dimension_size.size{{.*}} = {{.*}}set_dimension_size.size{{.*}}, which the data decides: no call can be asked for it
//--- two.mlir
func.func @main(%x: tensor<8xf32>, %n: tensor<i32>, %m: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  %1 = stablehlo.set_dimension_size %x, %m, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  %2 = stablehlo.add %0, %1 : tensor<?xf32, #stablehlo.bounds<8>>
  return %2 : tensor<?xf32, #stablehlo.bounds<8>>
}

// BRANCH: error[HDL-0305]: 'stablehlo.set_dimension_size' sets a size that is computed from elements within a branch or loop, where it has no one value when a call ends; outside of them it is supported
//--- branch.mlir
func.func @main(%x: tensor<8xf32>, %n: tensor<i32>, %c: tensor<i1>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.if"(%c) ({
    %1 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>) -> tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }, {
    stablehlo.return %zero : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// SEVERAL: error[HDL-0305]: 'stablehlo.dynamic_reshape' has more than one size that is computed from elements; one, which the others leave, is supported
//--- several.mlir
func.func @main(%x: tensor<8xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32, #stablehlo.bounds<8, 8>> {
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<8xf32>, tensor<2xi32>) -> tensor<?x?xf32, #stablehlo.bounds<8, 8>>
  return %0 : tensor<?x?xf32, #stablehlo.bounds<8, 8>>
}

// REST: error[HDL-0305]: 'stablehlo.dynamic_reshape' cannot give 8 elements the type 'tensor<?x3xf32, #stablehlo.bounds<8, ?>>'
//--- rest.mlir
func.func @main(%x: tensor<8xf32>, %s: tensor<2xi32>) -> tensor<?x3xf32, #stablehlo.bounds<8, ?>> {
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<8xf32>, tensor<2xi32>) -> tensor<?x3xf32, #stablehlo.bounds<8, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<8, ?>>
}

// FEW: error[HDL-0305]: 'stablehlo.dynamic_reshape' cannot give 12 elements the type 'tensor<?x3xf32, #stablehlo.bounds<2, ?>>'
//--- few.mlir
func.func @main(%x: tensor<12xf32>, %s: tensor<2xi32>) -> tensor<?x3xf32, #stablehlo.bounds<2, ?>> {
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<12xf32>, tensor<2xi32>) -> tensor<?x3xf32, #stablehlo.bounds<2, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<2, ?>>
}

// STEPS: error[HDL-0305]: 'stablehlo.real_dynamic_slice' takes steps that are no known numbers above 0
//--- steps.mlir
func.func @main(%x: tensor<8xf32>, %start: tensor<1xi32>, %limit: tensor<1xi32>, %step: tensor<1xi32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %0 = stablehlo.real_dynamic_slice %x, %start, %limit, %step
      : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return %0 : tensor<?xf32, #stablehlo.bounds<8>>
}
