// The protocol of a ring is sound; each mutant of the code that is made of it is found.
// RUN: heddle-opt %s --heddle-lower-roles -o %t.mlir
// RUN: heddle-opt %t.mlir --heddle-verify-protocol | FileCheck %s --check-prefix=SOUND
// SOUND: nvvm.wgmma.mma_async
// RUN: %python %S/Inputs/mutate.py empty-wait %t.mlir %t.empty-wait.mlir && not heddle-opt %t.empty-wait.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=EMPTY-WAIT
// EMPTY-WAIT: error: has barriers of which the warps go wrong: {{.*}}more arrivals come to a barrier than it was made for
// RUN: %python %S/Inputs/mutate.py full-wait %t.mlir %t.full-wait.mlir && not heddle-opt %t.full-wait.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=FULL-WAIT
// FULL-WAIT: error: has barriers of which the warps go wrong: {{.*}}reads a slot before it is filled
// RUN: %python %S/Inputs/mutate.py expect %t.mlir %t.expect.mlir && not heddle-opt %t.expect.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=EXPECT
// EXPECT: error: has barriers of which the warps go wrong: {{.*}}nobody can go on
// RUN: %python %S/Inputs/mutate.py bytes %t.mlir %t.bytes.mlir && not heddle-opt %t.bytes.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: has barriers of which the warps go wrong: {{.*}}nobody can go on
// RUN: %python %S/Inputs/mutate.py arrivals %t.mlir %t.arrivals.mlir && not heddle-opt %t.arrivals.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=ARRIVALS
// ARRIVALS: error: has barriers of which the warps go wrong: {{.*}}more arrivals come to a barrier than it was made for
// RUN: %python %S/Inputs/mutate.py lag %t.mlir %t.lag.mlir && not heddle-opt %t.lag.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=LAG
// LAG: error: has barriers of which the warps go wrong: {{.*}}fills a slot that warp {{[0-9]+}} still reads
// RUN: %python %S/Inputs/mutate.py product-wait %t.mlir %t.product-wait.mlir && not heddle-opt %t.product-wait.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=PRODUCT-WAIT
// PRODUCT-WAIT: error: has barriers of which the warps go wrong: {{.*}}fills a slot that warp {{[0-9]+}} still reads
// RUN: %python %S/Inputs/mutate.py arrive %t.mlir %t.arrive.mlir && not heddle-opt %t.arrive.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=ARRIVE
// ARRIVE: error: has barriers of which the warps go wrong: {{.*}}nobody can go on
// RUN: %python %S/Inputs/mutate.py copy %t.mlir %t.copy.mlir && not heddle-opt %t.copy.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=COPY
// COPY: error: has barriers of which the warps go wrong: {{.*}}nobody can go on
// RUN: %python %S/Inputs/mutate.py init %t.mlir %t.init.mlir && not heddle-opt %t.init.mlir --heddle-verify-protocol 2>&1 | FileCheck %s --check-prefix=INIT
// INIT: error: has barriers of which the warps go wrong: {{.*}}uses a barrier that nobody made

!lhs = !ws.tile<128 x 64 x bf16, 3, 0>
!rhs = !ws.tile<64 x 128 x bf16, 3, 0, panels 64>
!sums = !ws.accumulator<128 x 128, 8 x 1>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @roles(%x: memref<?xbf16>, %y: memref<?xbf16>) attributes {kernel.threads = 384 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %channel = ws.channel : !pipe
  %x_map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  %y_map = ws.tensor_map %y offset 0 extents [4096, 512] strides [4096] box [64, 64] : memref<?xbf16>
  scf.for %tile = %c0 to %c8 step %c1 {
    %zero = ws.zero : !sums
    %sum = ws.roles %c8 init %zero registers [40, 232] : !sums produce {
    ^bb0(%step: index):
      %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
      ws.copy_box %x_map at %step, %tile to %a : !lhs
      ws.copy_box %y_map at %tile, %step to %b : !rhs
      ws.put.exit %token by box
      ws.yield
    } consume {
    ^bb0(%step: index, %carried: !sums):
      %a, %b, %token = ws.get.enter %channel : !pipe -> !lhs, !rhs
      %started = ws.mma %a, %b, %carried : !lhs, !rhs, !sums
      %done = ws.mma.wait %started : !sums
      ws.get.exit %token
      ws.yield %done : !sums
    }
    ws.epilogue %sum : !sums {
    ^bb0(%element: f32, %row: index, %column: index):
      ws.yield
    }
  }
  return
}
