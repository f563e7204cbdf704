// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt --mlir-print-op-generic %s | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @functions
func.func @functions(%x: tensor<2xf32>, %z: tensor<2xcomplex<f64>>, %n: tensor<2xui8>) {
  // CHECK: chlo.erf %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %0 = chlo.erf %x : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.asin %{{.*}} : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  %1 = chlo.asin %z : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  // CHECK: chlo.next_after %{{.*}}, %{{.*}} : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %2 = chlo.next_after %x, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.mulhi %{{.*}}, %{{.*}} : tensor<2xui8>, tensor<2xui8> -> tensor<2xui8>
  %3 = chlo.mulhi %n, %n : tensor<2xui8>, tensor<2xui8> -> tensor<2xui8>
  return
}

// CHECK-LABEL: func.func @top_k
func.func @top_k(%x: tensor<5x3xf16>) {
  // CHECK: chlo.top_k(%{{.*}}, k = 2) : tensor<5x3xf16> -> (tensor<5x2xf16>, tensor<5x2xi32>)
  %values, %indices = chlo.top_k(%x, k = 2) : tensor<5x3xf16> -> (tensor<5x2xf16>, tensor<5x2xi32>)
  return
}

// CHECK-LABEL: func.func @broadcasts
func.func @broadcasts(%x: tensor<2x1xf32>, %y: tensor<?xf32>, %p: tensor<2x1xi1>) {
  // CHECK: chlo.broadcast_add %{{.*}}, %{{.*}} {broadcast_dimensions = array<i64: 1>} : (tensor<2x1xf32>, tensor<?xf32>) -> tensor<2x?xf32>
  %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 1>} : (tensor<2x1xf32>, tensor<?xf32>) -> tensor<2x?xf32>
  // CHECK: chlo.broadcast_compare %{{.*}}, %{{.*}} {compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction LT>}
  %1 = chlo.broadcast_compare %x, %y {compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction LT>}
    : (tensor<2x1xf32>, tensor<?xf32>) -> tensor<2x?xi1>
  // CHECK: chlo.broadcast_select %{{.*}} : (tensor<2x1xi1>, tensor<2x1xf32>, tensor<?xf32>) -> tensor<2x?xf32>
  %2 = chlo.broadcast_select %p, %x, %y : (tensor<2x1xi1>, tensor<2x1xf32>, tensor<?xf32>) -> tensor<2x?xf32>
  // CHECK: chlo.is_pos_inf %{{.*}} : tensor<?xf32> -> tensor<?xi1>
  %3 = chlo.is_pos_inf %y : tensor<?xf32> -> tensor<?xi1>
  // CHECK: chlo.constant dense<1> : tensor<2xi8>
  %4 = chlo.constant dense<1> : tensor<2xi8>
  // CHECK: "chlo.constant_like"(%{{.*}}) <{value = 1.000000e+00 : f32}> : (tensor<?xf32>) -> tensor<?xf32>
  %5 = "chlo.constant_like"(%y) {value = 1.0 : f32} : (tensor<?xf32>) -> tensor<?xf32>
  return
}
