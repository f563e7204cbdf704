// Roles of warpgroups whose steps compute numbers: the last product of a step is under way behind the first one of the next.
// RUN: heddle-opt %s --heddle-lower-roles -o %t.mlir && FileCheck %s --input-file %t.mlir

// Its protocol is sound, and each mutant of the code is found.
// RUN: heddle-opt %t.mlir --heddle-verify-protocol -o /dev/null
// RUN: %python %S/Inputs/mutate.py late-wait %t.mlir %t.late-wait.mlir && not heddle-opt %t.late-wait.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=LATE-WAIT
// LATE-WAIT: error: has barriers of which the warps go wrong: {{.*}}fills a slot that warp {{[0-9]+}} still reads
// RUN: %python %S/Inputs/mutate.py late-arrive %t.mlir %t.late-arrive.mlir && not heddle-opt %t.late-arrive.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=LATE-ARRIVE
// LATE-ARRIVE: error: has barriers of which the warps go wrong: {{.*}}nobody can go on
// RUN: %python %S/Inputs/mutate.py late-full %t.mlir %t.late-full.mlir && not heddle-opt %t.late-full.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=LATE-FULL
// LATE-FULL: error: has barriers of which the warps go wrong: {{.*}}reads a slot before it is full
// RUN: %python %S/Inputs/mutate.py parity %t.mlir %t.parity.mlir && not heddle-opt %t.parity.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=PARITY
// PARITY: error: has barriers of which the warps go wrong: {{.*}}reads a slot before it is filled

!queries = !ws.operand<128 x 128 x bf16, 8>
!weights = !ws.operand<128 x 32 x bf16, 8>
!keys = !ws.tile<32 x 128 x bf16, 3, 0, panels 64>
!values = !ws.tile<32 x 64 x bf16, 3, 0>
!scores = !ws.accumulator<128 x 32, 8 x 1>
!sums = !ws.accumulator<128 x 64, 8 x 1>
!rows = !ws.rows<128, 8>
!key_pipe = !ws.channel<3 x !keys>
!value_pipe = !ws.channel<3 x !values>

// 3 slots of 8 KiB, 3 of 4 KiB, and two barriers for each.
// CHECK-LABEL: func.func @numbers
// CHECK-SAME: kernel.shared_bytes = 36960 : i64
func.func @numbers(%q: memref<?xbf16>, %k: memref<?xbf16>, %v: memref<?xbf16>) attributes {kernel.threads = 384 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %key_channel = ws.channel launched : !key_pipe
  %value_channel = ws.channel launched : !value_pipe
  %key_map = ws.tensor_map %k offset 0 extents [128, 4096] strides [128] box [64, 32] : memref<?xbf16>
  %value_map = ws.tensor_map %v offset 0 extents [64, 4096] strides [64] box [64, 32] : memref<?xbf16>
  // CHECK-COUNT-12: nvvm.mbarrier.init
  // CHECK-NOT: nvvm.mbarrier.init
  // The producer computes none of the consumers' numbers. Keys are asked for before the slot of values is waited for.
  // CHECK: nvvm.elect.sync
  // CHECK: scf.for
  // CHECK-NOT: llvm.load
  // CHECK: scf.for
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c8192_i32
  // CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c4096_i32
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
  // CHECK-NOT: nvvm.cp.async
  // CHECK: } else {
  // Two warpgroups take turns: the second gives the first one.
  // CHECK: scf.if
  // CHECK: nvvm.barrier.arrive id = %c1_i32{{.*}} number_of_threads = %c256_i32
  // The first step starts no product of values: eight of queries in four registers each, of which the first reads no sums.
  // CHECK: llvm.load
  // CHECK: scf.if %{{.*}} -> (f32,
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: scf.if
  // CHECK: nvvm.barrier id = %c2_i32{{.*}} number_of_threads = %c256_i32
  // CHECK: } else {
  // CHECK: nvvm.barrier id = %c1_i32{{.*}} number_of_threads = %c256_i32
  // CHECK: llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned;"
  // CHECK: setp.ne.b32 p, 0, 0;
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0, {{.*}}, $15}, {$16, $17, $18, $19}, $20, p, 1, 1, 0;
  // CHECK-COUNT-7: setp.ne.b32 p, 1, 0;{{.*}}wgmma.mma_async.sync.aligned.m64n32k16
  // CHECK-NOT: m64n32k16
  // CHECK: nvvm.wgmma.commit.group.sync.aligned
  // CHECK: nvvm.barrier.arrive id = %c1_i32
  // CHECK: } else {
  // CHECK: nvvm.barrier.arrive id = %c2_i32
  // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;"
  // CHECK: nvvm.mbarrier.arrive
  // CHECK-NOT: m64n64k16
  // The products of values of a step go on behind the scores of the next, until its sums are scaled.
  // CHECK: scf.for
  // CHECK: nvvm.barrier id
  // CHECK-COUNT-8: m64n32k16
  // CHECK: nvvm.wgmma.commit.group.sync.aligned
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned;"
  // CHECK-COUNT-2: m64n64k16.f32.bf16.bf16 {$0, {{.*}}, $31}, {$32, $33, $34, $35}, $36, p, 1, 1, 1;
  // CHECK-NOT: m64n64k16
  // CHECK: nvvm.wgmma.commit.group.sync.aligned
  // CHECK: nvvm.barrier.arrive
  // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;"
  // CHECK: nvvm.mbarrier.arrive
  // CHECK-COUNT-16: arith.maximumf
  // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;"
  // CHECK: nvvm.mbarrier.arrive
  // They are scaled only if a factor of some row of the warp is not 1.
  // CHECK: nvvm.vote.sync any
  // CHECK: scf.if
  // CHECK-COUNT-32: arith.mulf
  // CHECK: llvm.nvvm.ff2bf16x2.rn
  // Rows of values are cleared by all that multiply, for the products of all.
  // CHECK: scf.if
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: scf.for
  // CHECK: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<3>
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  // CHECK: nvvm.barrier id = %c3_i32{{.*}} number_of_threads = %c256_i32
  // CHECK: scf.yield
  // The last step's are waited for at once.
  // CHECK-COUNT-2: m64n64k16
  // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;"
  // CHECK: nvvm.mbarrier.arrive
  // CHECK: scf.yield
  scf.for %tile = %c0 to %c8 step %c1 {
    %queries = ws.load %q by 2 : memref<?xbf16> -> !queries {
    ^bb0(%row: index, %column: index):
      %inside = arith.constant true
      ws.yield %column, %inside : index, i1
    }
    %zero = ws.zero : !sums
    %top = ws.map : () -> !rows {
    ^bb0(%row: index):
      %least = arith.constant 0xFF800000 : f32
      ws.yield %least : f32
    }
    // The first tile has no steps, and the last one seven.
    %partial = arith.cmpi eq, %tile, %c1 : index
    %sum:2 = ws.roles %tile init %zero, %top registers [24, 240] : !sums, !rows produce {
    ^bb0(%step: index):
      %a, %filled = ws.put.enter %key_channel : !key_pipe -> !keys
      ws.copy_box %key_map at %c0, %step to %a : !keys
      ws.put.exit %filled by box
      %b, %full = ws.put.enter %value_channel : !value_pipe -> !values
      ws.copy_box %value_map at %c0, %step to %b : !values
      ws.put.exit %full by box
      ws.yield
    } consume {
    ^bb0(%step: index, %carried: !sums, %before: !rows):
      %a, %keys_read = ws.get.enter %key_channel : !key_pipe -> !keys
      %none = ws.zero : !scores
      %started = ws.mma %queries, %a transposed, %none : !queries, !keys, !scores
      %scores = ws.mma.wait %started : !scores
      ws.get.exit %keys_read
      %largest = ws.reduce %scores : !scores -> !rows {
      ^bb0(%left: f32, %right: f32):
        %0 = arith.maximumf %left, %right : f32
        ws.yield %0 : f32
      }
      %scaled = ws.map %carried, %largest : (!sums, !rows) -> !sums {
      ^bb0(%value: f32, %factor: f32, %row: index, %column: index):
        %0 = arith.mulf %value, %factor : f32
        ws.yield %0 : f32
      }
      %weights = ws.narrow %scores : !scores -> !weights
      %b, %values_read = ws.get.enter %value_channel : !value_pipe -> !values
      ws.clear %b from %c5 where %partial : !values
      %added = ws.mma %weights, %b, %scaled : !weights, !values, !sums
      %done = ws.mma.wait %added : !sums
      ws.get.exit %values_read
      ws.yield %done, %largest : !sums, !rows
    }
    ws.epilogue %sum#0 : !sums {
    ^bb0(%element: f32, %row: index, %column: index):
      ws.yield
    }
  }
  return
}
