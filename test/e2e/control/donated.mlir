// Arguments whose memory the caller gives away: who gets it is in the artifact, the plan has one buffer for both.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compile cache.mlir -o cache.heddle
// RUN: heddle inspect cache.heddle --show=plan | FileCheck %s
// RUN: heddle compare cache.mlir
// RUN: heddle compare swap.mlir
// RUN: %exits 1 heddle compile range.mlir 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: %exits 1 heddle compile type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: %exits 1 heddle compile twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE

// RANGE: argument 0 has tf.aliasing_output = 3, but there are 1 results
// TYPE: argument 0 has tf.aliasing_output = 0, a result of type 'tensor<2xf32>', and is 'tensor<4xf32>'
// TWICE: argument 1 has tf.aliasing_output = 0, a result that argument 0 is given to already

//--- cache.mlir
// A donor without a result of its type gives nothing.
// CHECK: output out0 {{.*}}(may take the memory of input 1)
// CHECK: output out1 {{.*}}(may take the memory of input 0)
// CHECK-NOT: cop{{y|ies}}
func.func @main(%c: tensor<64x8xf32> {tf.aliasing_output = 1 : i32}, %w: tensor<8xf32> {jax.buffer_donor = true},
    %i: tensor<i32>, %d: tensor<4xf32> {jax.buffer_donor = true}) -> (tensor<8xf32>, tensor<64x8xf32>) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %u = stablehlo.reshape %w : (tensor<8xf32>) -> tensor<1x8xf32>
  %0 = stablehlo.dynamic_update_slice %c, %u, %i, %z : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
  %1 = stablehlo.sine %w : tensor<8xf32>
  return %1, %0 : tensor<8xf32>, tensor<64x8xf32>
}

//--- swap.mlir
func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<4xf32>, tensor<4xf32>) {
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}

//--- range.mlir
func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 3 : i32}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

//--- type.mlir
func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32> {
  %0 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- twice.mlir
func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  return %b : tensor<4xf32>
}
