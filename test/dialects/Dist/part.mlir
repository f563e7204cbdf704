// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK: kernel.weight @w : tensor<4x3xf32>
kernel.weight @w : tensor<4x3xf32> {
  %0 = stablehlo.constant dense_resource<w> : tensor<8x12xf32>
  // CHECK: dist.part %{{.*}} cuts [1, 2, 2, 0, 2, 1, 1, 2, 1] : tensor<8x12xf32> -> tensor<4x3xf32>
  %1 = dist.part %0 cuts [1, 2, 2, 0, 2, 1, 1, 2, 1] : tensor<8x12xf32> -> tensor<4x3xf32>
  kernel.yield %1 : tensor<4x3xf32>
}
