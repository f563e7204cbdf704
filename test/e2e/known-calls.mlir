// Custom calls that the compiler knows by name: expanded by the compiler, and by their own meaning in the interpreter.
// RUN: heddle test %s | FileCheck %s
// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

func.func @main() {
  %x = stablehlo.constant dense<[[3.0, 1.0, 4.0, 1.5, 9.0], [2.0, 6.0, 5.0, 3.5, 5.0]]> : tensor<2x5xf32>
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64}
    : (tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %largest = stablehlo.constant dense<[[9.0, 4.0], [6.0, 5.0]]> : tensor<2x2xf32>
  %where = stablehlo.constant dense<[[4, 2], [1, 2]]> : tensor<2x2xi32>
  stablehlo.custom_call @check.expect_eq(%0#0, %largest) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  stablehlo.custom_call @check.expect_eq(%0#1, %where) {has_side_effect = true} : (tensor<2x2xi32>, tensor<2x2xi32>) -> ()

  // The smallest, by the total order: NaN lies beyond infinity on the side of its sign, and -0 before 0.
  %odd = stablehlo.constant dense<[0x7FC00000, 0.0, -0.0, 0xFFC00000, -1.0]> : tensor<5xf32>
  %s:2 = stablehlo.custom_call @mhlo.topk(%odd) {mhlo.attributes = {k = 5 : i64, largest = false}, mhlo.version = 1 : i64}
    : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xi32>)
  %order = stablehlo.constant dense<[3, 4, 2, 1, 0]> : tensor<5xi32>
  stablehlo.custom_call @check.expect_eq(%s#1, %order) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()

  // With a function of the program.
  %places = stablehlo.iota dim = 1 : tensor<2x5xi32>
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %nowhere = stablehlo.constant dense<-1> : tensor<i32>
  %1:2 = stablehlo.custom_call @ApproxTopK(%x, %places, %none, %nowhere)
    {api_version = 4 : i32, called_computations = [@larger], mhlo.backend_config = {reduction_dim = 1 : i64, top_k = 2 : i64}}
    : (tensor<2x5xf32>, tensor<2x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  stablehlo.custom_call @check.expect_eq(%1#0, %largest) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  stablehlo.custom_call @check.expect_eq(%1#1, %where) {has_side_effect = true} : (tensor<2x2xi32>, tensor<2x2xi32>) -> ()

  // By a routine.
  %a = stablehlo.constant dense<[[2.0, 1.0], [4.0, 4.0]]> : tensor<2x2xf32>
  %2:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {api_version = 4 : i32, mhlo.backend_config = {}}
    : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi32>, tensor<i32>)
  %factors = stablehlo.constant dense<[[4.0, 4.0], [0.5, -1.0]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%2#0, %factors) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  return
}
func.func private @larger(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<i32>, %s: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
