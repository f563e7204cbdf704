// RUN: heddle-opt %s --heddle-tile-attention --split-input-file | FileCheck %s

#query = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>
#key = affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>
#value = affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>
#mask = affine_map<(b, h, m, n, d, e) -> (m, n)>
#out = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>
#id = affine_map<(b, h, m, e) -> (b, h, m, e)>
#bf16 = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1,
  rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>

module attributes {heddle.target = "cuda:sm_80"} {
  // Six heads, of which each has two tiles of 128 queries, for eight warps. All keys are seen by all.
  // CHECK-LABEL: func.func @whole
  // CHECK-SAME: kernel.resident_blocks = 1 : i64, kernel.threads = 256 : i64, kernel.tiles = 3072 : i64
  // CHECK: %[[KEYS:.*]] = ws.channel launched : <4 x !ws.tile<64 x 64 x bf16, 3, 0>>
  // CHECK: %[[VALUES:.*]] = ws.channel launched : <4 x !ws.tile<64 x 64 x bf16, 3, 0>>
  // CHECK: scf.for
  // CHECK: %[[QUERIES:.*]] = ws.load %arg0 by 2 : {{.*}} -> <128 x 64 x bf16, 8> {
  // CHECK: ws.roles %c4 init %{{.*}}, %{{.*}}, %{{.*}} : !ws.accumulator<128 x 64, 8 x 1>, !ws.rows<128, 8>, !ws.rows<128, 8> produce {
  // CHECK: %[[INTO:.*]], %{{.*}} = ws.put.enter %[[KEYS]]
  // CHECK: ws.copy %arg1 to %[[INTO]] by 8
  // CHECK-NOT: arith.cmpi
  // CHECK: ws.put.exit %{{.*}} by cp_async
  // CHECK: %[[INTO:.*]], %{{.*}} = ws.put.enter %[[VALUES]]
  // CHECK: ws.copy %arg2 to %[[INTO]] by 8
  // CHECK-NOT: arith.cmpi
  // CHECK: ws.put.exit %{{.*}} by cp_async
  // CHECK: consume {
  // CHECK: ^bb0(%{{.*}}: index, %[[SUMS:.*]]: !ws.accumulator<128 x 64, 8 x 1>, %[[TOP:.*]]: !ws.rows<128, 8>, %[[TOTAL:.*]]: !ws.rows<128, 8>):
  // CHECK: %[[KEY:.*]], %[[KEYS_READ:.*]] = ws.get.enter %[[KEYS]]
  // CHECK: ws.mma %[[QUERIES]], %[[KEY]] transposed, %{{.*}}
  // CHECK: %[[PRODUCTS:.*]] = ws.mma.wait
  // CHECK: ws.get.exit %[[KEYS_READ]]
  // Products are scaled on the way to the exponential, the largest one before.
  // CHECK: %[[LARGEST:.*]] = ws.reduce %[[PRODUCTS]] : <128 x 64, 8 x 1> -> <128, 8> {
  // CHECK: llvm.intr.maximum
  // CHECK: ws.map %[[LARGEST]], %[[TOP]] :
  // CHECK: arith.mulf
  // CHECK: llvm.intr.maximum
  // CHECK: %[[ORIGIN:.*]] = ws.map
  // CHECK: arith.select
  // CHECK: %[[FACTOR:.*]] = ws.map %[[TOP]], %[[ORIGIN]] :
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CHECK: %[[WEIGHTS:.*]] = ws.map %[[PRODUCTS]], %[[ORIGIN]] :
  // CHECK: math.fma
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CHECK: %[[ADDED:.*]] = ws.reduce %[[WEIGHTS]]
  // CHECK: arith.addf
  // CHECK: ws.map %[[TOTAL]], %[[FACTOR]], %[[ADDED]] :
  // CHECK: math.fma
  // CHECK: %[[SCALED:.*]] = ws.map %[[SUMS]], %[[FACTOR]] :
  // CHECK: %[[ROUNDED:.*]] = ws.narrow %[[WEIGHTS]] : <128 x 64, 8 x 1> -> <128 x 64 x bf16, 8>
  // CHECK: %[[VALUE:.*]], %[[VALUES_READ:.*]] = ws.get.enter %[[VALUES]]
  // CHECK: ws.mma %[[ROUNDED]], %[[VALUE]], %[[SCALED]]
  // CHECK: ws.get.exit %[[VALUES_READ]]
  // CHECK: arith.divf
  // CHECK: ws.epilogue
  // CHECK: arith.truncf %{{.*}} : f32 to bf16
  // CHECK: memref.store %{{.*}}, %arg3
  func.func @whole(%q: tensor<2x3x256x64xbf16>, %k: tensor<2x3x256x64xbf16>, %v: tensor<2x3x256x64xbf16>) -> tensor<2x3x256x64xbf16> attributes {kernel.entry} {
    %0 = kernel.attention %q, %k, %v {extents = array<i64: 2, 3, 256, 256, 64, 64>, indexing_maps = [#query, #key, #value, #out], scale = 1.250000e-01 : f32,
      score_algorithm = #bf16, value_algorithm = #bf16}
      : tensor<2x3x256x64xbf16>, tensor<2x3x256x64xbf16>, tensor<2x3x256x64xbf16> -> tensor<2x3x256x64xf32>
    %1 = tensor.empty() : tensor<2x3x256x64xbf16>
    %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%0 : tensor<2x3x256x64xf32>) outs(%1 : tensor<2x3x256x64xbf16>) {
    ^bb0(%sum: f32, %out: bf16):
      %3 = arith.truncf %sum : f32 to bf16
      linalg.yield %3 : bf16
    } -> tensor<2x3x256x64xbf16>
    return %2 : tensor<2x3x256x64xbf16>
  }

  // Steps that all queries see whole are not masked. What is behind the last key is zero.
  // CHECK-LABEL: func.func @causal
  // CHECK-SAME: kernel.threads = 64 : i64
  // CHECK: ws.copy %arg1
  // CHECK: arith.cmpi slt
  // CHECK: consume {
  // CHECK: %[[PARTIAL:.*]] = arith.ori
  // CHECK: ws.map %{{.*}} where %[[PARTIAL]] :
  // CHECK: arith.select
  // CHECK: ws.reduce
  func.func @causal(%q: tensor<1x1x30x64xbf16>, %k: tensor<1x1x70x64xbf16>, %v: tensor<1x1x70x64xbf16>) -> tensor<1x1x30x64xf32> attributes {kernel.entry} {
    %0 = kernel.attention %q, %k, %v {extents = array<i64: 1, 1, 30, 70, 64, 64>, indexing_maps = [#query, #key, #value, #out], scale = 1.250000e-01 : f32,
      causal, score_algorithm = #bf16, value_algorithm = #bf16}
      : tensor<1x1x30x64xbf16>, tensor<1x1x70x64xbf16>, tensor<1x1x70x64xbf16> -> tensor<1x1x30x64xf32>
    return %0 : tensor<1x1x30x64xf32>
  }

  // What is added to scores is no part of products, which are scaled first then.
  // CHECK-LABEL: func.func @masked
  // CHECK: consume {
  // CHECK: ws.mma.wait
  // CHECK: ws.map %{{.*}} : (!ws.accumulator<128 x 64, 8 x 1>) -> !ws.accumulator<128 x 64, 8 x 1> {
  // CHECK: arith.mulf
  // CHECK: memref.load %arg3
  // CHECK: arith.addf
  // CHECK: ws.reduce
  func.func @masked(%q: tensor<1x1x128x64xbf16>, %k: tensor<1x1x64x64xbf16>, %v: tensor<1x1x64x64xbf16>, %mask: tensor<128x64xf32>) -> tensor<1x1x128x64xf32> attributes {kernel.entry} {
    %0 = kernel.attention %q, %k, %v mask %mask {extents = array<i64: 1, 1, 128, 64, 64, 64>, indexing_maps = [#query, #key, #value, #mask, #out],
      scale = 1.250000e-01 : f32, score_algorithm = #bf16, value_algorithm = #bf16}
      : tensor<1x1x128x64xbf16>, tensor<1x1x64x64xbf16>, tensor<1x1x64x64xbf16>, tensor<128x64xf32> -> tensor<1x1x128x64xf32>
    return %0 : tensor<1x1x128x64xf32>
  }

  // Weights in f32 are not rounded.
  // CHECK-LABEL: func.func @exact
  // CHECK-NEXT: kernel.attention
  func.func @exact(%q: tensor<1x1x30x64xbf16>, %k: tensor<1x1x70x64xbf16>, %v: tensor<1x1x70x64xbf16>) -> tensor<1x1x30x64xf32> attributes {kernel.entry} {
    %0 = kernel.attention %q, %k, %v {extents = array<i64: 1, 1, 30, 70, 64, 64>, indexing_maps = [#query, #key, #value, #out], scale = 1.250000e-01 : f32}
      : tensor<1x1x30x64xbf16>, tensor<1x1x70x64xbf16>, tensor<1x1x70x64xbf16> -> tensor<1x1x30x64xf32>
    return %0 : tensor<1x1x30x64xf32>
  }
}

// -----

#query = affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>
#key_head = affine_map<(b, h, m, n, d, e) -> (b, n, d)>
#value_head = affine_map<(b, h, m, n, d, e) -> (b, n, e)>
#value = affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>
#plain_key = affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>
#length = affine_map<(b, h, m, n, d, e) -> (b)>
#out = affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>
#bf16 = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1,
  rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>

module attributes {heddle.target = "cuda:sm_90a"} {
  // Two warpgroups have 64 queries each, and a third brings boxes: 128 keys, and their values, of 128 columns in two panels. Three slots of 32 and 32 KiB.
  // CHECK-LABEL: func.func @warpgroups
  // CHECK-SAME: kernel.threads = 384 : i64
  // CHECK: %[[KEYS:.*]] = ws.channel launched : <3 x !ws.tile<128 x 128 x bf16, 3, 0, panels 64>>
  // CHECK: %[[KEY_MAP:.*]] = ws.tensor_map %arg1 offset 0 extents [128, 256, 3, 2] strides [128, 32768, 98304] box [64, 128, 1, 1]
  // CHECK: %[[VALUES:.*]] = ws.channel launched : <3 x !ws.tile<128 x 128 x bf16, 3, 0, panels 64>>
  // CHECK: %[[VALUE_MAP:.*]] = ws.tensor_map %arg2
  // CHECK: ws.load %arg0 by 2 : {{.*}} -> <128 x 128 x bf16, 8> {
  // CHECK: ws.roles %{{.*}} registers [24, 240] : !ws.accumulator<128 x 128, 8 x 1>, !ws.rows<128, 8>, !ws.rows<128, 8> produce {
  // CHECK: %[[INTO:.*]], %{{.*}} = ws.put.enter %[[KEYS]]
  // CHECK: ws.copy_box %[[KEY_MAP]] at %c0{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} to %[[INTO]]
  // CHECK: ws.put.exit %{{.*}} by box
  // CHECK: %[[INTO:.*]], %{{.*}} = ws.put.enter %[[VALUES]]
  // CHECK: ws.copy_box %[[VALUE_MAP]]
  // CHECK: ws.put.exit %{{.*}} by box
  // CHECK: consume {
  // CHECK: ws.mma %{{.*}}, %{{.*}} transposed, %{{.*}} : !ws.operand<128 x 128 x bf16, 8>, <128 x 128 x bf16, 3, 0, panels 64>, <128 x 128, 8 x 1>
  // CHECK: ws.narrow %{{.*}} : <128 x 128, 8 x 1> -> <128 x 128 x bf16, 8>
  func.func @warpgroups(%q: tensor<2x3x256x128xbf16>, %k: tensor<2x3x256x128xbf16>, %v: tensor<2x3x256x128xbf16>) -> tensor<2x3x256x128xf32> attributes {kernel.entry} {
    %0 = kernel.attention %q, %k, %v {extents = array<i64: 2, 3, 256, 256, 128, 128>, indexing_maps = [#query, #plain_key, #value, #out], scale = 1.250000e-01 : f32,
      score_algorithm = #bf16, value_algorithm = #bf16}
      : tensor<2x3x256x128xbf16>, tensor<2x3x256x128xbf16>, tensor<2x3x256x128xbf16> -> tensor<2x3x256x128xf32>
    return %0 : tensor<2x3x256x128xf32>
  }

  // One warpgroup has up to 64 queries, and equal shares of registers. Heads share their keys, of which the last tile is not whole.
  // CHECK-LABEL: func.func @one
  // CHECK-SAME: kernel.threads = 256 : i64
  // CHECK: ws.channel launched : <3 x !ws.tile<128 x 64 x bf16, 3, 0>>
  // CHECK: ws.tensor_map %arg1 offset 0 extents [64, 200, 2] strides [64, 12800] box [64, 128, 1]
  // CHECK: ws.roles %c2 init
  // CHECK-NOT: registers
  // CHECK: produce
  // CHECK: consume {
  // CHECK: arith.cmpi slt
  func.func @one(%q: tensor<2x3x40x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>) -> tensor<2x3x40x64xf32> attributes {kernel.entry} {
    %0 = kernel.attention %q, %k, %v {extents = array<i64: 2, 3, 40, 200, 64, 64>, indexing_maps = [#query, #key_head, #value_head, #out], scale = 1.250000e-01 : f32,
      score_algorithm = #bf16, value_algorithm = #bf16}
      : tensor<2x3x40x64xbf16>, tensor<2x200x64xbf16>, tensor<2x200x64xbf16> -> tensor<2x3x40x64xf32>
    return %0 : tensor<2x3x40x64xf32>
  }

  // The last step's values may end in the midst of a tile: all that multiply clear the rest of them.
  // CHECK-LABEL: func.func @lengths_of_warpgroups
  // CHECK: consume {
  // CHECK: %[[VALUES:.*]], %{{.*}} = ws.get.enter
  // CHECK: %[[VALUES:.*]], %{{.*}} = ws.get.enter
  // CHECK: ws.clear %[[VALUES]] from %{{.*}} where %{{.*}} : <128 x 64 x bf16, 3, 0>
  // CHECK: ws.mma %{{.*}}, %[[VALUES]], %{{.*}}
  func.func @lengths_of_warpgroups(%q: tensor<2x1x140x64xbf16>, %k: tensor<2x1x290x64xbf16>, %v: tensor<2x1x290x64xbf16>, %n: tensor<2xi32>) -> tensor<2x1x140x64xf32> attributes {kernel.entry} {
    %0 = kernel.attention %q, %k, %v lengths %n {extents = array<i64: 2, 1, 140, 290, 64, 64>, indexing_maps = [#query, #plain_key, #value, #length, #out],
      scale = 1.250000e-01 : f32, score_algorithm = #bf16, value_algorithm = #bf16}
      : tensor<2x1x140x64xbf16>, tensor<2x1x290x64xbf16>, tensor<2x1x290x64xbf16> lengths tensor<2xi32> -> tensor<2x1x140x64xf32>
    return %0 : tensor<2x1x140x64xf32>
  }

  // Deeper heads take registers from scores: fewer keys.
  // CHECK-LABEL: func.func @deep
  // CHECK: ws.channel launched : <3 x !ws.tile<64 x 256 x bf16, 3, 0, panels 64>>
  // CHECK: ws.channel launched : <3 x !ws.tile<64 x 128 x bf16, 3, 0, panels 64>>
  func.func @deep(%q: tensor<1x1x128x256xbf16>, %k: tensor<1x1x512x256xbf16>, %v: tensor<1x1x512x256xbf16>) -> tensor<1x1x128x256xf32> attributes {kernel.entry} {
    %0 = kernel.attention %q, %k, %v {extents = array<i64: 1, 1, 128, 512, 256, 256>, indexing_maps = [#query, #plain_key, #value, #out], scale = 1.250000e-01 : f32,
      score_algorithm = #bf16, value_algorithm = #bf16}
      : tensor<1x1x128x256xbf16>, tensor<1x1x512x256xbf16>, tensor<1x1x512x256xbf16> -> tensor<1x1x128x256xf32>
    return %0 : tensor<1x1x128x256xf32>
  }

  // Too few queries for a warpgroup, heads that fill less than half of a box, rows of no multiple of 16 bytes, and heads that leave no registers: by warps.
  // CHECK-LABEL: func.func @few
  // CHECK-NOT: ws.copy_box
  // CHECK: ws.put.exit %{{.*}} by cp_async
  // CHECK-LABEL: func.func @narrow
  // CHECK-NOT: ws.copy_box
  // CHECK: ws.put.exit %{{.*}} by cp_async
  // CHECK-LABEL: func.func @unaligned
  // CHECK-NOT: ws.copy_box
  // CHECK: ws.put.exit %{{.*}} by cp_async
  // CHECK-LABEL: func.func @deepest
  // CHECK-NOT: ws.copy_box
  // CHECK: ws.put.exit %{{.*}} by cp_async
  func.func @few(%q: tensor<1x1x32x64xbf16>, %k: tensor<1x1x512x64xbf16>, %v: tensor<1x1x512x64xbf16>) -> tensor<1x1x32x64xf32> attributes {kernel.entry} {
    %0 = kernel.attention %q, %k, %v {extents = array<i64: 1, 1, 32, 512, 64, 64>, indexing_maps = [#query, #plain_key, #value, #out], scale = 1.250000e-01 : f32,
      score_algorithm = #bf16, value_algorithm = #bf16}
      : tensor<1x1x32x64xbf16>, tensor<1x1x512x64xbf16>, tensor<1x1x512x64xbf16> -> tensor<1x1x32x64xf32>
    return %0 : tensor<1x1x32x64xf32>
  }
  func.func @narrow(%q: tensor<1x1x128x32xbf16>, %k: tensor<1x1x512x32xbf16>, %v: tensor<1x1x512x32xbf16>) -> tensor<1x1x128x32xf32> attributes {kernel.entry} {
    %0 = kernel.attention %q, %k, %v {extents = array<i64: 1, 1, 128, 512, 32, 32>, indexing_maps = [#query, #plain_key, #value, #out], scale = 1.250000e-01 : f32,
      score_algorithm = #bf16, value_algorithm = #bf16}
      : tensor<1x1x128x32xbf16>, tensor<1x1x512x32xbf16>, tensor<1x1x512x32xbf16> -> tensor<1x1x128x32xf32>
    return %0 : tensor<1x1x128x32xf32>
  }
  func.func @unaligned(%q: tensor<1x1x128x60xbf16>, %k: tensor<1x1x512x60xbf16>, %v: tensor<1x1x512x60xbf16>) -> tensor<1x1x128x60xf32> attributes {kernel.entry} {
    %0 = kernel.attention %q, %k, %v {extents = array<i64: 1, 1, 128, 512, 60, 60>, indexing_maps = [#query, #plain_key, #value, #out], scale = 1.250000e-01 : f32,
      score_algorithm = #bf16, value_algorithm = #bf16}
      : tensor<1x1x128x60xbf16>, tensor<1x1x512x60xbf16>, tensor<1x1x512x60xbf16> -> tensor<1x1x128x60xf32>
    return %0 : tensor<1x1x128x60xf32>
  }
  func.func @deepest(%q: tensor<1x1x128x512xbf16>, %k: tensor<1x1x512x512xbf16>, %v: tensor<1x1x512x128xbf16>) -> tensor<1x1x128x128xf32> attributes {kernel.entry} {
    %0 = kernel.attention %q, %k, %v {extents = array<i64: 1, 1, 128, 512, 512, 128>, indexing_maps = [#query, #plain_key, #value, #out], scale = 1.250000e-01 : f32,
      score_algorithm = #bf16, value_algorithm = #bf16}
      : tensor<1x1x128x512xbf16>, tensor<1x1x512x512xbf16>, tensor<1x1x512x128xbf16> -> tensor<1x1x128x128xf32>
    return %0 : tensor<1x1x128x128xf32>
  }
}
