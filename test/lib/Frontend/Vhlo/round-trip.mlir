// Through a portable artifact and back, at versions old and new.

// RUN: heddle-translate --serialize --target=0.9.0 %s -o %t.old.mlirbc
// RUN: heddle-translate --deserialize %t.old.mlirbc | FileCheck %s
// RUN: heddle-translate --serialize --target=1.5 %s -o %t.mid.mlirbc
// RUN: heddle-translate --deserialize %t.mid.mlirbc | FileCheck %s
// RUN: heddle-translate --serialize %s -o %t.new.mlirbc
// RUN: heddle-translate --deserialize %t.new.mlirbc | FileCheck %s
// RUN: heddle run %t.old.mlirbc --input x=ones | FileCheck %s --check-prefix=NUMBERS

// CHECK-LABEL: func.func @main(%arg0: tensor<2x8xf32>) -> (tensor<2x1xf32> {jax.result_info = "sum"})
func.func @main(%x: tensor<2x8xf32> loc("x")) -> (tensor<2x1xf32> {jax.result_info = "sum"}) {
  // CHECK-DAG: dense<[true, false, true, true, false, true, true, false]> : tensor<8xi1>
  // CHECK-DAG: dense<true> : tensor<2x8xi1>
  // CHECK-DAG: dense<0.000000e+00> : tensor<f32>
  // CHECK-DAG: dense<{{\[}}[1.000000e+00], [2.000000e+00]]> : tensor<2x1xf32>
  %mask = stablehlo.constant dense<[true, false, true, true, false, true, true, false]> : tensor<8xi1>
  %all = stablehlo.constant dense<true> : tensor<2x8xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %scale = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<8xi1>) -> tensor<2x8xi1>
  %rows = stablehlo.broadcast_in_dim %mask, dims = [1] : (tensor<8xi1>) -> tensor<2x8xi1>
  %both = stablehlo.and %rows, %all : tensor<2x8xi1>
  // CHECK: stablehlo.exponential %{{.*}} : tensor<2x8xf32>
  %e = stablehlo.exponential %x : tensor<2x8xf32>
  %n = stablehlo.negate %e : tensor<2x8xf32>
  %s = stablehlo.select %both, %e, %n : tensor<2x8xi1>, tensor<2x8xf32>
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1]
  %r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK: call @scaled(%{{.*}}, %{{.*}}) : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %q = call @scaled(%r, %scale) : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return %q : tensor<2x1xf32>
}

// CHECK-LABEL: func.func private @scaled(
func.func private @scaled(%r: tensor<2xf32>, %scale: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %c = stablehlo.reshape %r : (tensor<2xf32>) -> tensor<2x1xf32>
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0]
  %one = stablehlo.constant dense<1.0> : tensor<1x1xf32>
  %d = stablehlo.dot_general %c, %one, contracting_dims = [1] x [0] : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %m = stablehlo.multiply %d, %scale : tensor<2x1xf32>
  return %m : tensor<2x1xf32>
}

// Five elements are e, three are -e: 2 e, and twice that.
// NUMBERS: sum: f32 2x1, from 5.43656 to 10.8731
