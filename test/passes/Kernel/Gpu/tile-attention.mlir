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
  // CHECK: %[[CHANNEL:.*]] = ws.channel launched : <4 x !ws.tile<64 x 64 x bf16, 3, 0>, !ws.tile<64 x 64 x bf16, 3, 0>>
  // CHECK: scf.for
  // CHECK: %[[QUERIES:.*]] = ws.load %arg0 by 2 : {{.*}} -> <128 x 64 x bf16, 8> {
  // CHECK: ws.roles %c4 init %{{.*}}, %{{.*}}, %{{.*}} : !ws.accumulator<128 x 64, 8 x 1>, !ws.rows<128, 8>, !ws.rows<128, 8> produce {
  // CHECK: %[[INTO:.*]]:2, %{{.*}} = ws.put.enter %[[CHANNEL]]
  // CHECK: ws.copy %arg1 to %[[INTO]]#0 by 8
  // CHECK-NOT: arith.cmpi
  // CHECK: ws.copy %arg2 to %[[INTO]]#1 by 8
  // CHECK-NOT: arith.cmpi
  // CHECK: ws.put.exit %{{.*}} by cp_async
  // CHECK: consume {
  // CHECK: ^bb0(%{{.*}}: index, %[[SUMS:.*]]: !ws.accumulator<128 x 64, 8 x 1>, %[[TOP:.*]]: !ws.rows<128, 8>, %[[TOTAL:.*]]: !ws.rows<128, 8>):
  // CHECK: %[[FROM:.*]]:2, %{{.*}} = ws.get.enter %[[CHANNEL]]
  // CHECK: ws.mma %[[QUERIES]], %[[FROM]]#0 transposed, %{{.*}}
  // CHECK: %[[PRODUCTS:.*]] = ws.mma.wait
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
  // CHECK: ws.mma %[[ROUNDED]], %[[FROM]]#1, %[[SCALED]]
  // CHECK: ws.get.exit
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
