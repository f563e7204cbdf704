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
