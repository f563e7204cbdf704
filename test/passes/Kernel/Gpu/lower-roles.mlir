// RUN: heddle-opt %s --heddle-lower-roles | FileCheck %s

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

// Four slots of 4096 + 4096 bytes.
// CHECK: llvm.mlir.global internal @roles_slots() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<32768 x i8>
// CHECK-LABEL: func.func @roles
func.func @roles(%x: memref<?xf16>, %y: memref<?xf16>, %out: memref<?xf32>, %steps: index, %inside: i1) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  // Three steps are started: 64 by 32 elements are two chunks for each of 128 threads, of each operand.
  // CHECK-COUNT-4: nvvm.cp.async.shared.global
  // CHECK-NOT: nvvm.cp.async.shared.global
  // CHECK: nvvm.cp.async.commit.group
  // CHECK-COUNT-4: nvvm.cp.async.shared.global
  // CHECK-NOT: nvvm.cp.async.shared.global
  // CHECK: nvvm.cp.async.commit.group
  // CHECK-COUNT-4: nvvm.cp.async.shared.global
  // CHECK-NOT: nvvm.cp.async.shared.global
  // CHECK: nvvm.cp.async.commit.group
  // Two of them may be under way when the third one is read.
  // CHECK: scf.for
  // CHECK-NEXT: nvvm.cp.async.wait.group 2
  // CHECK-NEXT: nvvm.barrier0
  // Where a chunk of x is outside, no byte is read, and zeros are written.
  // CHECK: scf.if
  // CHECK: %[[BYTES:.*]] = arith.select %arg4, %{{.*}}, %{{.*}} : i32
  // CHECK: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg, %[[BYTES]]
  // CHECK: nvvm.cp.async.commit.group
  // 2 * (2 + 2) loads of four matrices and 2 * 2 * 4 products. Rows of rhs are those of k.
  // CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
  // CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
  // CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>
  // CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>
  // CHECK-COUNT-8: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  // CHECK-COUNT-4: nvvm.ldmatrix
  // CHECK-COUNT-8: nvvm.mma.sync
  // CHECK-NOT: nvvm.mma.sync
  // CHECK: scf.yield
  // CHECK: }
  // CHECK-NEXT: nvvm.barrier0
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    ws.copy %x to %a by 8 : memref<?xf16> to !lhs {
    ^bb0(%row: index, %column: index):
      ws.yield %row, %inside : index, i1
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
    %a, %b, %token = ws.get.enter %channel : !pipe -> !lhs, !rhs
    %started = ws.mma %a, %b, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %token
    ws.yield %done : !sums
  }
  // A thread has 32 of the sums.
  // CHECK-COUNT-32: memref.store
  // CHECK-NOT: memref.store
  // CHECK: return
  ws.epilogue %sum : !sums {
  ^bb0(%element: f32, %row: index, %column: index):
    memref.store %element, %out[%row] : memref<?xf32>
    ws.yield
  }
  return
}

!queries = !ws.operand<64 x 32 x bf16, 4>
!keys = !ws.tile<64 x 32 x bf16, 2, 1>
!pairs = !ws.channel<2 x !keys, !keys>
!scores = !ws.accumulator<64 x 64, 4 x 1>
!weighed = !ws.accumulator<64 x 32, 4 x 1>
!rows = !ws.rows<64, 4>

// Sums in registers are the left operand of the next product. 2 slots of 4096 + 4096 bytes are the launch's.
// CHECK-LABEL: func.func @registers
// CHECK-SAME: kernel.shared_bytes = 16384 : i64
func.func @registers(%x: memref<?xbf16>, %out: memref<?xf32>, %steps: index, %partial: i1, %inside: i1) {
  // CHECK: llvm.mlir.addressof @heddle_shared
  %channel = ws.channel launched : !pairs
  // A warp has 16 by 32 elements: eight registers of two a lane. What is outside is zero.
  // CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<1> -> i32
  // CHECK: arith.select %arg4, %{{.*}}, %{{.*}} : i32
  // CHECK-NOT: llvm.load
  // CHECK: scf.for
  %queries = ws.load %x by 2 : memref<?xbf16> -> !queries {
  ^bb0(%row: index, %column: index):
    ws.yield %column, %inside : index, i1
  }
  %zero = ws.zero : !weighed
  %top = ws.map : () -> !rows {
  ^bb0(%row: index):
    %least = arith.constant 0xFF800000 : f32
    ws.yield %least : f32
  }
  %sums:2 = ws.roles %steps init %zero, %top : !weighed, !rows produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pairs -> !keys, !keys
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !weighed, %before: !rows):
    %a, %b, %token = ws.get.enter %channel : !pairs -> !keys, !keys
    %none = ws.zero : !scores
    // Two steps of 16 summed elements by eight matrices, all in one row of them.
    // CHECK-COUNT-4: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
    // CHECK-COUNT-8: nvvm.mma.sync
    // CHECK-COUNT-4: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
    // CHECK-COUNT-8: nvvm.mma.sync
    // CHECK-NOT: nvvm.mma.sync
    %started = ws.mma %queries, %a transposed, %none : !queries, !keys, !scores
    %done = ws.mma.wait %started : !scores
    // CHECK: scf.if %arg3 -> (f32, f32,
    // CHECK-COUNT-32: arith.subf
    // CHECK-NOT: arith.subf
    // CHECK: } else {
    %masked = ws.map %done, %before where %partial : (!scores, !rows) -> !scores {
    ^bb0(%score: f32, %largest: f32, %row: index, %column: index):
      %difference = arith.subf %score, %largest : f32
      ws.yield %difference : f32
    }
    // Two rows of sixteen sums a lane, whose four lanes join by twos.
    // CHECK-COUNT-30: arith.maximumf
    // CHECK: nvvm.shfl.sync bfly
    // CHECK: arith.maximumf
    // CHECK: nvvm.shfl.sync bfly
    // CHECK: arith.maximumf
    // CHECK: nvvm.shfl.sync bfly
    // CHECK: arith.maximumf
    // CHECK: nvvm.shfl.sync bfly
    // CHECK: arith.maximumf
    // CHECK-NOT: arith.maximumf
    %after = ws.reduce %masked : !scores -> !rows {
    ^bb0(%left: f32, %right: f32):
      %larger = arith.maximumf %left, %right : f32
      ws.yield %larger : f32
    }
    // CHECK-COUNT-16: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
    // CHECK-NOT: llvm.call_intrinsic
    %weights = ws.narrow %masked : !scores -> !ws.operand<64 x 64 x bf16, 4>
    // Chunks of rows are cleared by all threads, and read by all behind a barrier.
    // CHECK: scf.if %arg3 {
    // CHECK: scf.for %{{.*}} = %{{.*}} to %c256_i32{{.*}} step %c128_i32
    // CHECK: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<3>
    // CHECK: nvvm.barrier0
    ws.clear %b from %steps where %partial : !keys
    // CHECK-COUNT-2: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>
    // CHECK-COUNT-4: nvvm.mma.sync
    // CHECK: scf.yield
    %next = ws.mma %weights, %b, %carried : !ws.operand<64 x 64 x bf16, 4>, !keys, !weighed
    %finished = ws.mma.wait %next : !weighed
    ws.get.exit %token
    ws.yield %finished, %after : !weighed, !rows
  }
  // Sixteen sums of a lane are stored.
  // CHECK-COUNT-16: memref.store
  // CHECK-NOT: memref.store
  ws.epilogue %sums#0 : !weighed {
  ^bb0(%element: f32, %row: index, %column: index):
    memref.store %element, %out[%row] : memref<?xf32>
    ws.yield
  }
  return
}

// A difference of a place and another number is that of the lane's first place and that number, less a constant, for all places but the first.
// CHECK-LABEL: func.func @differences
// CHECK: arith.subi %arg1, %{{.*}} overflow<nsw> : i32
// CHECK: %[[FIRST:.*]] = arith.subi %arg1, %{{.*}} : i32
// CHECK-NEXT: arith.subi %[[FIRST]], %c1_i32{{.*}} overflow<nsw> : i32
// CHECK: %[[FIRST:.*]] = arith.subi %{{.*}}, %arg1 : i32
// CHECK-NEXT: arith.addi %[[FIRST]], %c1_i32{{.*}} overflow<nsw> : i32
func.func @differences(%out: memref<?xf32>, %bound: i32) {
  %zero = ws.zero : !ws.accumulator<16 x 16, 1 x 1>
  %sums = ws.map %zero : (!ws.accumulator<16 x 16, 1 x 1>) -> !ws.accumulator<16 x 16, 1 x 1> {
  ^bb0(%sum: f32, %row: index, %column: index):
    %place = arith.index_cast %column : index to i32
    %left = arith.subi %bound, %place overflow<nsw> : i32
    %right = arith.subi %place, %bound overflow<nsw> : i32
    %both = arith.muli %left, %right : i32
    %result = arith.sitofp %both : i32 to f32
    ws.yield %result : f32
  }
  ws.epilogue %sums : !ws.accumulator<16 x 16, 1 x 1> {
  ^bb0(%element: f32, %row: index, %column: index):
    memref.store %element, %out[%row] : memref<?xf32>
    ws.yield
  }
  return
}
