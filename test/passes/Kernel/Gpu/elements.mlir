// RUN: heddle-opt %s --heddle-lower-gpu-kernels --split-input-file | FileCheck %s
// A thread computes elements of the result, each by the definition of the operation that makes it.

module attributes {heddle.target = "cuda:sm_80"} {
  // CHECK-LABEL: func.func @negate
  // CHECK-SAME: (%[[X:.*]]: memref<?xf32, #gpu.address_space<global>>, %[[Y:.*]]: memref<?xf32, #gpu.address_space<global>>)
  // CHECK-SAME: kernel.threads = 256 : i64, kernel.tiles = 64 : i64
  // CHECK: %[[THREADS:.*]] = gpu.block_dim x
  // CHECK: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK: %[[BEFORE:.*]] = arith.muli %[[BLOCK]], %[[THREADS]]
  // CHECK: %[[THREAD:.*]] = gpu.thread_id x
  // CHECK: %[[FIRST:.*]] = arith.addi %[[BEFORE]], %[[THREAD]]
  // CHECK: %[[BLOCKS:.*]] = gpu.grid_dim x
  // CHECK: %[[STEP:.*]] = arith.muli %[[BLOCKS]], %[[THREADS]]
  // CHECK: scf.for {{.*}} = %[[FIRST]] to %c64 step %[[STEP]]
  // CHECK: %[[IN:.*]] = memref.load %[[X]]
  // CHECK: %[[OUT:.*]] = arith.negf %[[IN]]
  // CHECK: memref.store %[[OUT]], %[[Y]]
  func.func @negate(%x: tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry} {
    %0 = tensor.empty() : tensor<64xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%0 : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %n = arith.negf %a : f32
      linalg.yield %n : f32
    } -> tensor<64xf32>
    return %1 : tensor<64xf32>
  }
}

// -----

// A sum carries its accumulator through the reduced loop, and the epilogue reads it from a register.
module attributes {heddle.target = "cuda:sm_80"} {
  // CHECK-LABEL: func.func @product
  // CHECK-SAME: kernel.tiles = 6 : i64
  // CHECK: %[[SUM:.*]] = scf.for {{.*}} = %c0 to %c5 step %c1 iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32)
  // CHECK: %[[NEXT:.*]] = math.fma %{{.*}}, %{{.*}}, %[[ACC]] : f32
  // CHECK: scf.yield %[[NEXT]]
  // CHECK: %[[BIAS:.*]] = memref.load %arg2
  // CHECK: arith.addf %[[SUM]], %[[BIAS]]
  // CHECK: memref.store %{{.*}}, %arg3
  // CHECK-NOT: memref.store
  func.func @product(%x: tensor<2x5xf32>, %w: tensor<5x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> attributes {kernel.entry} {
    %0 = kernel.contract %x, %w {extents = array<i64: 2, 3, 5>,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<2x5xf32>, tensor<5x3xf32> -> tensor<2x3xf32>
    %1 = tensor.empty() : tensor<2x3xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]} ins(%0, %b : tensor<2x3xf32>, tensor<3xf32>) outs(%1 : tensor<2x3xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<2x3xf32>
    return %2 : tensor<2x3xf32>
  }
}

// -----

// bf16 operands are widened where they are read; unsigned bytes without their sign.
module attributes {heddle.target = "cuda:sm_80"} {
  // CHECK-LABEL: func.func @narrow
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  // CHECK: math.fma
  func.func @narrow(%x: tensor<4xbf16>, %w: tensor<4xbf16>) -> tensor<f32> attributes {kernel.entry} {
    %0 = kernel.contract %x, %w {extents = array<i64: 4>,
      indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
      iterator_types = ["reduction"]} : tensor<4xbf16>, tensor<4xbf16> -> tensor<f32>
    return %0 : tensor<f32>
  }
  // CHECK-LABEL: func.func @bytes
  // CHECK: arith.extui %{{.*}} : i8 to i32
  // CHECK: arith.extsi %{{.*}} : i8 to i32
  // CHECK: arith.muli %{{.*}} : i32
  func.func @bytes(%x: tensor<4xi8>, %w: tensor<4xi8>) -> tensor<i32> attributes {kernel.entry} {
    %0 = kernel.contract %x, %w {extents = array<i64: 4>, lhs_type = ui8,
      indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
      iterator_types = ["reduction"]} : tensor<4xi8>, tensor<4xi8> -> tensor<i32>
    return %0 : tensor<i32>
  }
}

// -----

// Truth values take a byte each; more than 2^31 elements are numbered with 64 bits.
module attributes {heddle.target = "cuda:sm_80"} {
  // CHECK-LABEL: func.func @truth
  // CHECK-SAME: memref<?xi8, #gpu.address_space<global>>, %{{.*}}: memref<?xi8
  // CHECK: arith.divui %{{.*}} : i32
  // CHECK: %[[BYTE:.*]] = memref.load
  // CHECK: arith.cmpi ne, %[[BYTE]]
  // CHECK: %[[OUT:.*]] = arith.extui %{{.*}} : i1 to i8
  // CHECK: memref.store %[[OUT]]
  func.func @truth(%x: tensor<2x3xi1>) -> tensor<3x2xi1> attributes {kernel.entry} {
    %0 = tensor.empty() : tensor<3x2xi1>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x3xi1>) outs(%0 : tensor<3x2xi1>) {
    ^bb0(%a: i1, %b: i1):
      linalg.yield %a : i1
    } -> tensor<3x2xi1>
    return %1 : tensor<3x2xi1>
  }
  // CHECK-LABEL: func.func @large
  // CHECK-SAME: kernel.tiles = 4294967296 : i64
  // CHECK-NOT: i32
  // CHECK: arith.divui %{{.*}} : index
  func.func @large(%x: tensor<65536xf32>) -> tensor<65536x65536xf32> attributes {kernel.entry} {
    %0 = tensor.empty() : tensor<65536x65536xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<65536xf32>) outs(%0 : tensor<65536x65536xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    } -> tensor<65536x65536xf32>
    return %1 : tensor<65536x65536xf32>
  }
}
