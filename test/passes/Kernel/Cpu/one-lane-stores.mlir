// RUN: heddle-opt %s --heddle-lower-kernels | FileCheck %s

// The rest of one element is stored alone: LLVM 22 makes four bytes of the one that a masked store of a truncated lane has.

module attributes {heddle.target = "x86-64-v4"} {
  // CHECK-LABEL: func.func private @narrow(
  // CHECK-SAME: %{{.*}}: memref<?xi32>, %[[OUT:.*]]: memref<?xi8>, %{{.*}}: memref<?xi8>
  // CHECK: vector.store %{{.*}}, %[[OUT]]
  // CHECK: %[[LAST:.*]] = vector.extract %{{.*}}[0] : i8 from vector<16xi8>
  // CHECK-NOT: vector.maskedstore
  // CHECK: memref.store %[[LAST]], %[[OUT]]
  // CHECK: return
  func.func private @narrow(%x: tensor<17xi32>) -> tensor<17xi8> attributes {kernel.entry} {
    %empty = tensor.empty() : tensor<17xi8>
    %result = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<17xi32>) outs(%empty : tensor<17xi8>) {
    ^bb0(%in: i32, %out: i8):
      %0 = arith.trunci %in : i32 to i8
      linalg.yield %0 : i8
    } -> tensor<17xi8>
    return %result : tensor<17xi8>
  }
}
