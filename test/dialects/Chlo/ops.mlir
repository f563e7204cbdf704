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
