// Sizes that a program leaves open are fixed by --shape; what is computed from them follows.

// RUN: heddle compare %s --shape x=4x3 | FileCheck %s
// RUN: heddle inspect %s --shape x=4x3 | FileCheck %s --check-prefix=TYPES
// RUN: %exits 2 heddle check %s --shape x=4x2 | FileCheck %s --check-prefix=WRONG

// CHECK: ok {{.*}} out0
// CHECK: ok {{.*}} out1
// CHECK: ok {{.*}} out2
// TYPES: input  x f32 4x3
// TYPES: output out0 f32 12
// TYPES: output out1 f32 8x3
// TYPES: output out2 f32 4x2
// WRONG: --shape x=4x2: argument 'x' has type 'tensor<?x3xf32>', of which only '?' can be fixed

func.func @main(%x: tensor<?x3xf32> loc("x")) -> (tensor<?xf32>, tensor<?x3xf32>, tensor<?x2xf32>) {
  %three = stablehlo.constant dense<3> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %threes = stablehlo.constant dense<3> : tensor<1xi32>
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %all = stablehlo.multiply %rows, %three : tensor<i32>
  %shape = stablehlo.reshape %all : (tensor<i32>) -> tensor<1xi32>
  %flat = stablehlo.dynamic_reshape %x, %shape : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>
  %e = stablehlo.exponential %flat : tensor<?xf32>
  %double = call @twice(%rows, %two) : (tensor<i32>, tensor<i32>) -> tensor<1xi32>
  %shape2 = stablehlo.concatenate %double, %threes, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %base = stablehlo.dynamic_broadcast_in_dim %zero, %shape2, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
  %both = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %sum = stablehlo.add %base, %both : tensor<?x3xf32>
  %first = stablehlo.composite "their.first" %x {decomposition = @first} : (tensor<?x3xf32>) -> tensor<?x2xf32>
  return %e, %sum, %first : tensor<?xf32>, tensor<?x3xf32>, tensor<?x2xf32>
}

// What a composite says of its sizes is said in its decomposition.
func.func private @first(%x: tensor<?x3xf32>) -> tensor<?x2xf32> {
  %zeros = stablehlo.constant dense<0> : tensor<2xi64>
  %ones = stablehlo.constant dense<1> : tensor<2xi64>
  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %wide = stablehlo.convert %rows : (tensor<i32>) -> tensor<i64>
  %row = stablehlo.reshape %wide : (tensor<i64>) -> tensor<1xi64>
  %limit = stablehlo.concatenate %row, %two, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %r = stablehlo.real_dynamic_slice %x, %zeros, %limit, %ones : (tensor<?x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

func.func private @twice(%n: tensor<i32>, %two: tensor<i32>) -> tensor<1xi32> {
  %m = stablehlo.multiply %n, %two : tensor<i32>
  %r = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  return %r : tensor<1xi32>
}
