// RUN: heddle-opt %s --heddle-tile-contractions --split-input-file | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#y_turned = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

module attributes {heddle.target = "cuda:sm_80"} {
  // Two tiles by two, each of eight warps; what is beyond 130 rows is zero.
  // CHECK-LABEL: func.func @product
  // CHECK-SAME: kernel.resident_blocks = 1 : i64, kernel.threads = 256 : i64, kernel.tiles = 1024 : i64
  // CHECK: %[[CHANNEL:.*]] = ws.channel : <3 x !ws.tile<128 x 32 x bf16, 2, 1>, !ws.tile<32 x 128 x bf16, 3, 0>>
  // CHECK: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK: scf.for %{{.*}} = %[[BLOCK]] to %{{.*}} step
  // CHECK: ws.roles %{{.*}} init %{{.*}} : !ws.accumulator<128 x 128, 2 x 4> produce {
  // CHECK: %[[TILES:.*]]:2, %[[TOKEN:.*]] = ws.put.enter %[[CHANNEL]]
  // CHECK: ws.copy %arg0 to %[[TILES]]#0 by 8
  // CHECK: arith.cmpi
  // CHECK: ws.copy %arg1 to %[[TILES]]#1 by 8
  // CHECK: ws.put.exit %[[TOKEN]] by cp_async
  // CHECK: consume {
  // CHECK: %[[READ:.*]]:2, %[[RIGHT:.*]] = ws.get.enter %[[CHANNEL]]
  // CHECK: %[[STARTED:.*]] = ws.mma %[[READ]]#0, %[[READ]]#1,
  // CHECK: %[[DONE:.*]] = ws.mma.wait %[[STARTED]]
  // CHECK: ws.get.exit %[[RIGHT]]
  // CHECK: ws.yield %[[DONE]]
  // The elementwise operation reads a sum in its register, and a bias.
  // CHECK: ws.epilogue
  // CHECK: ^bb0(%[[SUM:.*]]: f32,
  // CHECK: scf.if
  // CHECK: memref.load %arg2
  // CHECK: arith.truncf %[[SUM]] : f32 to bf16
  // CHECK: memref.store %{{.*}}, %arg3
  func.func @product(%x: tensor<130x72xbf16>, %y: tensor<72x136xbf16>, %b: tensor<136xbf16>) -> tensor<130x136xbf16> attributes {kernel.entry} {
    %0 = kernel.contract %x, %y {extents = array<i64: 130, 136, 72>, indexing_maps = [#x, #y, #out],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<130x72xbf16>, tensor<72x136xbf16> -> tensor<130x136xf32>
    %1 = tensor.empty() : tensor<130x136xbf16>
    %2 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0, %b : tensor<130x136xf32>, tensor<136xbf16>) outs(%1 : tensor<130x136xbf16>) {
    ^bb0(%sum: f32, %bias: bf16, %out: bf16):
      %3 = arith.truncf %sum : f32 to bf16
      %4 = arith.addf %3, %bias : bf16
      linalg.yield %4 : bf16
    } -> tensor<130x136xbf16>
    return %2 : tensor<130x136xbf16>
  }

  // Smaller tiles of four warps. Rows of 18 elements are copied two by two; rows of tiles are those of n.
  // CHECK-LABEL: func.func @turned
  // CHECK-SAME: kernel.threads = 128 : i64
  // CHECK: ws.channel : <4 x !ws.tile<64 x 32 x f16, 2, 1>, !ws.tile<64 x 32 x f16, 2, 1>>
  // CHECK: ws.copy %arg0 to %{{.*}} by 2
  // CHECK: ws.copy %arg1 to %{{.*}} by 2
  // CHECK: ws.mma %{{.*}}#0, %{{.*}}#1 transposed,
  func.func @turned(%x: tensor<20x18xf16>, %y: tensor<70x18xf16>) -> tensor<20x70xf32> attributes {kernel.entry} {
    %0 = kernel.contract %x, %y {extents = array<i64: 20, 70, 18>, indexing_maps = [#x, #y_turned, #out],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<20x18xf16>, tensor<70x18xf16> -> tensor<20x70xf32>
    return %0 : tensor<20x70xf32>
  }

  // Rows of an odd number of elements are not aligned for cp.async.
  // CHECK-LABEL: func.func @odd
  // CHECK: ws.copy %arg0 to %{{.*}} by 1
  // CHECK: ws.put.exit %{{.*}} by store
  func.func @odd(%x: tensor<33x35xf16>, %y: tensor<35x64xf16>) -> tensor<33x64xf32> attributes {kernel.entry} {
    %0 = kernel.contract %x, %y {extents = array<i64: 33, 64, 35>, indexing_maps = [#x, #y, #out],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<33x35xf16>, tensor<35x64xf16> -> tensor<33x64xf32>
    return %0 : tensor<33x64xf32>
  }
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#turned = affine_map<(m, n) -> (n, m)>
#id = affine_map<(m, n) -> (m, n)>

module attributes {heddle.target = "cuda:sm_80"} {
  // Products of f32 are not those of tensor cores.
  // CHECK-LABEL: func.func @single
  // CHECK: kernel.contract
  func.func @single(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {kernel.entry} {
    %0 = kernel.contract %x, %y {extents = array<i64: 64, 64, 64>, indexing_maps = [#x, #y, #out],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
  // One row would leave tiles empty.
  // CHECK-LABEL: func.func @vector
  // CHECK: kernel.contract
  func.func @vector(%x: tensor<1x64xf16>, %y: tensor<64x64xf16>) -> tensor<1x64xf32> attributes {kernel.entry} {
    %0 = kernel.contract %x, %y {extents = array<i64: 1, 64, 64>, indexing_maps = [#x, #y, #out],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<1x64xf16>, tensor<64x64xf16> -> tensor<1x64xf32>
    return %0 : tensor<1x64xf32>
  }
  // The operation behind it reads a sum of another place than its own, which another thread has.
  // CHECK-LABEL: func.func @elsewhere
  // CHECK: kernel.contract
  func.func @elsewhere(%x: tensor<64x64xf16>, %y: tensor<64x64xf16>) -> tensor<64x64xf16> attributes {kernel.entry} {
    %0 = kernel.contract %x, %y {extents = array<i64: 64, 64, 64>, indexing_maps = [#x, #y, #out],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %1 = tensor.empty() : tensor<64x64xf16>
    %2 = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0 : tensor<64x64xf32>) outs(%1 : tensor<64x64xf16>) {
    ^bb0(%sum: f32, %out: f16):
      %3 = arith.truncf %sum : f32 to f16
      linalg.yield %3 : f16
    } -> tensor<64x64xf16>
    return %2 : tensor<64x64xf16>
  }
}

// -----

#x = affine_map<(b, m, n, k) -> (b, m, k)>
#y = affine_map<(b, m, n, k) -> (k, n)>
#out = affine_map<(b, m, n, k) -> (b, m, n)>

// Where the target has copies of boxes and products of warpgroups, two warpgroups multiply what one brings: as many slots of 48 KiB as
// a block can have, and the registers of the producer given to the others. The batch is more rows, since rhs is the same for all of it.
module attributes {heddle.target = "cuda:sm_90a"} {
  // CHECK-LABEL: func.func @boxes
  // CHECK-SAME: kernel.threads = 384 : i64, kernel.tiles = 1179648 : i64
  // CHECK: %[[CHANNEL:.*]] = ws.channel launched : <4 x !ws.tile<128 x 64 x bf16, 3, 0>, !ws.tile<64 x 256 x bf16, 3, 0, panels 64>>
  // CHECK: %[[X:.*]] = ws.tensor_map %arg0 offset 0 extents [512, 24576] strides [512] box [64, 128] : memref<?xbf16, {{.*}}>
  // CHECK: %[[Y:.*]] = ws.tensor_map %arg1 offset 0 extents [4096, 512] strides [4096] box [64, 64] : memref<?xbf16, {{.*}}>
  // CHECK: ws.roles %{{.*}} init %{{.*}} registers [24, 240] : !ws.accumulator<128 x 256, 8 x 1> produce {
  // CHECK: ws.copy_box %[[X]] at %{{[^,]*}}, %{{[^,]*}} to
  // CHECK: ws.copy_box %[[Y]] at %{{[^,]*}}, %{{[^,]*}} to
  // CHECK: ws.put.exit %{{.*}} by box
  func.func @boxes(%x: tensor<6x4096x512xbf16>, %y: tensor<512x4096xbf16>) -> tensor<6x4096x4096xf32> attributes {kernel.entry} {
    %0 = kernel.contract %x, %y {extents = array<i64: 6, 4096, 4096, 512>, indexing_maps = [#x, #y, #out],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} : tensor<6x4096x512xbf16>, tensor<512x4096xbf16> -> tensor<6x4096x4096xf32>
    return %0 : tensor<6x4096x4096xf32>
  }
}

// -----

#bx = affine_map<(b, m, n, k) -> (b, m, k)>
#by = affine_map<(b, m, n, k) -> (b, n, k)>
#bout = affine_map<(b, m, n, k) -> (b, m, n)>
#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

module attributes {heddle.target = "cuda:sm_90a"} {
  // Small products are spread over many blocks, whose one warpgroup needs no registers of others.
  // CHECK-LABEL: func.func @small
  // CHECK-SAME: kernel.threads = 256 : i64
  // CHECK: ws.channel launched : <6 x !ws.tile<64 x 64 x f16, 3, 0>, !ws.tile<64 x 64 x f16, 3, 0>>
  // CHECK: ws.roles %{{[^ ]*}} init %{{[^ ]*}} : !ws.accumulator<64 x 64, 4 x 1> produce {
  func.func @small(%x: tensor<128x72xf16>, %y: tensor<136x72xf16>) -> tensor<128x136xf32> attributes {kernel.entry} {
    %0 = kernel.contract %x, %y {extents = array<i64: 128, 136, 72>, indexing_maps = [#x, #y, #out],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<128x72xf16>, tensor<136x72xf16> -> tensor<128x136xf32>
    return %0 : tensor<128x136xf32>
  }

  // Both operands differ from batch to batch, which is a dimension of its own.
  // CHECK-LABEL: func.func @batched
  // CHECK: ws.tensor_map %arg0 offset 0 extents [72, 128, 3] strides [72, 9216] box [64, 64, 1]
  // CHECK: ws.tensor_map %arg1 offset 0 extents [72, 136, 3] strides [72, 9792] box [64, 64, 1]
  // CHECK: ws.copy_box %{{.*}} at %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} to
  func.func @batched(%x: tensor<3x128x72xf16>, %y: tensor<3x136x72xf16>) -> tensor<3x128x136xf32> attributes {kernel.entry} {
    %0 = kernel.contract %x, %y {extents = array<i64: 3, 128, 136, 72>, indexing_maps = [#bx, #by, #bout],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} : tensor<3x128x72xf16>, tensor<3x136x72xf16> -> tensor<3x128x136xf32>
    return %0 : tensor<3x128x136xf32>
  }

  // Rows of 70 elements do not begin at multiples of 16 bytes: threads copy them.
  // CHECK-LABEL: func.func @unaligned
  // CHECK-NOT: ws.tensor_map
  // CHECK: ws.put.exit %{{.*}} by cp_async
  func.func @unaligned(%x: tensor<128x70xf16>, %y: tensor<136x70xf16>) -> tensor<128x136xf32> attributes {kernel.entry} {
    %0 = kernel.contract %x, %y {extents = array<i64: 128, 136, 70>, indexing_maps = [#x, #y, #out],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<128x70xf16>, tensor<136x70xf16> -> tensor<128x136xf32>
    return %0 : tensor<128x136xf32>
  }
}
