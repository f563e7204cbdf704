// RUN: heddle-opt %s | heddle-opt | FileCheck %s

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>

// CHECK-LABEL: func.func @roles
func.func @roles(%x: memref<?xf16>, %y: memref<?xf16>, %out: memref<?xf32>, %steps: index) {
  // CHECK: %[[CHANNEL:.*]] = ws.channel : <4 x !ws.tile<64 x 32 x f16, 2, 1>, !ws.tile<32 x 64 x f16, 3, 0>>
  %channel = ws.channel : !ws.channel<4 x !lhs, !rhs>
  %zero = ws.zero : !sums
  // CHECK: ws.roles %arg3 init %{{.*}} : !ws.accumulator<64 x 64, 2 x 2> produce {
  // CHECK: ws.put.enter %[[CHANNEL]]
  // CHECK: ws.copy %arg0 to %{{.*}} by 8 : memref<?xf16> to <64 x 32 x f16, 2, 1> {
  // CHECK: ws.put.exit %{{.*}} by cp_async
  // CHECK: consume {
  // CHECK: ws.get.enter %[[CHANNEL]]
  // CHECK: ws.mma
  // CHECK: ws.mma.wait
  // CHECK: ws.get.exit
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !ws.channel<4 x !lhs, !rhs> -> !lhs, !rhs
    ws.copy %x to %a by 8 : memref<?xf16> to !lhs {
    ^bb0(%row: index, %column: index):
      %true = arith.constant true
      ws.yield %row, %true : index, i1
    }
    ws.copy %y to %b by 8 : memref<?xf16> to !rhs {
    ^bb0(%row: index, %column: index):
      %true = arith.constant true
      ws.yield %column, %true : index, i1
    }
    ws.put.exit %token by cp_async
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %b, %token = ws.get.enter %channel : !ws.channel<4 x !lhs, !rhs> -> !lhs, !rhs
    %started = ws.mma %a, %b, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %token
    ws.yield %done : !sums
  }
  // CHECK: ws.epilogue
  ws.epilogue %sum : !sums {
  ^bb0(%element: f32, %row: index, %column: index):
    memref.store %element, %out[%row] : memref<?xf32>
    ws.yield
  }
  return
}

!wide = !ws.tile<64 x 128 x bf16, 3, 0, panels 64>
!tall = !ws.tile<128 x 64 x bf16, 3, 0>
!boxes = !ws.channel<4 x !tall, !wide>
!group = !ws.accumulator<128 x 128, 8 x 1>

// CHECK-LABEL: func.func @boxes
func.func @boxes(%x: memref<?xbf16>, %y: memref<?xbf16>, %steps: index) {
  // CHECK: ws.channel : <4 x !ws.tile<128 x 64 x bf16, 3, 0>, !ws.tile<64 x 128 x bf16, 3, 0, panels 64>>
  %channel = ws.channel : !boxes
  // CHECK: %[[X:.*]] = ws.tensor_map %arg0 offset 8 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  %a_map = ws.tensor_map %x offset 8 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  // CHECK: %[[Y:.*]] = ws.tensor_map %arg1 offset 0 extents [4096, 512, 3] strides [4096, 2097152] box [64, 64, 1] : memref<?xbf16>
  %b_map = ws.tensor_map %y offset 0 extents [4096, 512, 3] strides [4096, 2097152] box [64, 64, 1] : memref<?xbf16>
  %zero = ws.zero : !group
  // CHECK: ws.roles %arg2 init %{{.*}} registers [40, 232] : !ws.accumulator<128 x 128, 8 x 1> produce {
  %sum = ws.roles %steps init %zero registers [40, 232] : !group produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !boxes -> !tall, !wide
    // CHECK: ws.copy_box %[[X]] at %{{.*}}, %{{.*}} to %{{.*}} : <128 x 64 x bf16, 3, 0>
    ws.copy_box %a_map at %step, %step to %a : !tall
    // CHECK: ws.copy_box %[[Y]] at %{{.*}}, %{{.*}}, %{{.*}} to %{{.*}} : <64 x 128 x bf16, 3, 0, panels 64>
    ws.copy_box %b_map at %step, %step, %step to %b : !wide
    // CHECK: ws.put.exit %{{.*}} by box
    ws.put.exit %token by box
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !group):
    %a, %b, %token = ws.get.enter %channel : !boxes -> !tall, !wide
    %started = ws.mma %a, %b, %carried : !tall, !wide, !group
    %done = ws.mma.wait %started : !group
    ws.get.exit %token
    ws.yield %done : !group
  }
  return
}

!queries = !ws.operand<64 x 32 x bf16, 4>
!keys = !ws.tile<64 x 32 x bf16, 2, 1>
!pairs = !ws.channel<2 x !keys, !keys>
!scores = !ws.accumulator<64 x 64, 4 x 1>
!weighed = !ws.accumulator<64 x 32, 4 x 1>
!rows = !ws.rows<64, 4>

// What stays in registers from product to product.
// CHECK-LABEL: func.func @registers
func.func @registers(%x: memref<?xbf16>, %steps: index, %partial: i1) {
  // CHECK: ws.channel launched : <2 x
  %channel = ws.channel launched : !pairs
  // CHECK: %[[QUERIES:.*]] = ws.load %arg0 by 2 : memref<?xbf16> -> <64 x 32 x bf16, 4> {
  %queries = ws.load %x by 2 : memref<?xbf16> -> !queries {
  ^bb0(%row: index, %column: index):
    %true = arith.constant true
    ws.yield %column, %true : index, i1
  }
  %zero = ws.zero : !weighed
  // CHECK: %[[TOP:.*]] = ws.map : () -> !ws.rows<64, 4> {
  %top = ws.map : () -> !rows {
  ^bb0(%row: index):
    %least = arith.constant 0xFF800000 : f32
    ws.yield %least : f32
  }
  // CHECK: ws.roles %arg1 init %{{.*}}, %[[TOP]] : !ws.accumulator<64 x 32, 4 x 1>, !ws.rows<64, 4> produce {
  %sums:2 = ws.roles %steps init %zero, %top : !weighed, !rows produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pairs -> !keys, !keys
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !weighed, %before: !rows):
    %a, %b, %token = ws.get.enter %channel : !pairs -> !keys, !keys
    %none = ws.zero : !scores
    // CHECK: ws.mma %[[QUERIES]], %{{.*}}#0 transposed, %{{.*}} : !ws.operand<64 x 32 x bf16, 4>,
    %started = ws.mma %queries, %a transposed, %none : !queries, !keys, !scores
    %done = ws.mma.wait %started : !scores
    // CHECK: ws.map %{{.*}}, %{{.*}} where %arg2 : (!ws.accumulator<64 x 64, 4 x 1>, !ws.rows<64, 4>) -> !ws.accumulator<64 x 64, 4 x 1> {
    %masked = ws.map %done, %before where %partial : (!scores, !rows) -> !scores {
    ^bb0(%score: f32, %largest: f32, %row: index, %column: index):
      %difference = arith.subf %score, %largest : f32
      ws.yield %difference : f32
    }
    // CHECK: ws.reduce %{{.*}} : <64 x 64, 4 x 1> -> <64, 4> {
    %after = ws.reduce %masked : !scores -> !rows {
    ^bb0(%left: f32, %right: f32):
      %larger = arith.maximumf %left, %right : f32
      ws.yield %larger : f32
    }
    // CHECK: ws.narrow %{{.*}} : <64 x 64, 4 x 1> -> <64 x 64 x bf16, 4>
    %weights = ws.narrow %masked : !scores -> !ws.operand<64 x 64 x bf16, 4>
    // CHECK: ws.clear %{{.*}}#1 from %arg1 where %arg2 : <64 x 32 x bf16, 2, 1>
    ws.clear %b from %steps where %partial : !keys
    %next = ws.mma %weights, %b, %carried : !ws.operand<64 x 64 x bf16, 4>, !keys, !weighed
    %finished = ws.mma.wait %next : !weighed
    ws.get.exit %token
    ws.yield %finished, %after : !weighed, !rows
  }
  return
}
