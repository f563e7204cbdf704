// RUN: heddle-opt %s --heddle-lower-roles --split-input-file --verify-diagnostics | FileCheck %s

!lhs = !ws.tile<128 x 64 x bf16, 3, 0>
!rhs = !ws.tile<64 x 128 x bf16, 3, 0, panels 64>
!sums = !ws.accumulator<128 x 128, 8 x 1>
!pipe = !ws.channel<4 x !lhs, !rhs>

// The slots, 4 of 16 + 16 KiB, and two barriers of 8 bytes for each are what the launch gives.
// CHECK: llvm.mlir.global external @heddle_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: func.func @roles
// CHECK-SAME: %arg2: !llvm.ptr, %arg3: !llvm.ptr
// CHECK-SAME: kernel.descriptors = [{binding = 0 : i64, box = array<i64: 64, 128>, element = bf16, extents = array<i64: 512, 4096>, offset = 0 : i64, strides = array<i64: 512>}, {binding = 1 : i64,
// CHECK-SAME: kernel.shared_bytes = 131136 : i64
func.func @roles(%x: memref<?xbf16>, %y: memref<?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %channel = ws.channel : !pipe
  %x_map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  %y_map = ws.tensor_map %y offset 0 extents [4096, 512] strides [4096] box [64, 64] : memref<?xbf16>
  // One arrival fills a slot, those of the eight warps that multiply empty it.
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c1_i32{{[_0-9]*}} : !llvm.ptr<3>, i32
  // CHECK: nvvm.mbarrier.init %{{.*}}, %c8_i32{{[_0-9]*}} : !llvm.ptr<3>, i32
  // CHECK-COUNT-6: nvvm.mbarrier.init
  // CHECK-NOT: nvvm.mbarrier.init
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK: nvvm.barrier0
  // One thread of the first warpgroup copies: a box of x and one for each panel of y.
  // CHECK: scf.if
  // CHECK: nvvm.setmaxregister decrease 40
  // CHECK: nvvm.elect.sync
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: %[[BEFORE:.*]] = arith.xori %{{.*}}, %c1_i32{{[_0-9]*}} : i32
  // CHECK: nvvm.mbarrier.try_wait.parity %{{.*}}, %[[BEFORE]], %{{.*}}
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c32768_i32
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg2, %{{.*}}, box[
  // CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %arg3, %{{.*}}, box[
  // CHECK-NOT: nvvm.cp.async
  // The others multiply: 4 of 16 summed elements a step. A slot is given back when the step behind it has started.
  // CHECK: } else {
  // CHECK: nvvm.setmaxregister increase 232
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: nvvm.wgmma.fence.aligned
  // CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}}, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <row>]
  // CHECK-NOT: nvvm.wgmma.mma_async
  // CHECK: nvvm.wgmma.commit.group.sync.aligned
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 1
  // CHECK: scf.if
  // CHECK: nvvm.mbarrier.arrive
  // CHECK: scf.yield
  // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;"
  // CHECK: nvvm.mbarrier.arrive
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

// -----

!lhs = !ws.tile<128 x 64 x bf16, 3, 0>
!rhs = !ws.tile<128 x 64 x bf16, 3, 0>
!sums = !ws.accumulator<128 x 128, 8 x 1>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @no_loop(%x: memref<?xbf16>, %steps: index) {
  %channel = ws.channel : !pipe
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  %zero = ws.zero : !sums
  // expected-error @below {{'ws.roles' op copies boxes outside of a loop over tiles that has these roles and an epilogue alone}}
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    ws.copy_box %map at %step, %step to %a : !lhs
    ws.copy_box %map at %step, %step to %b : !rhs
    ws.put.exit %token by box
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %b, %token = ws.get.enter %channel : !pipe -> !lhs, !rhs
    %started = ws.mma %a, %b transposed, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %token
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<128 x 64 x bf16, 3, 0>
!rhs = !ws.tile<128 x 64 x bf16, 3, 0>
!sums = !ws.accumulator<128 x 128, 2 x 4>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @no_warpgroups(%x: memref<?xbf16>, %steps: index) {
  %channel = ws.channel : !pipe
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %tile = %c0 to %steps step %c1 {
    %zero = ws.zero : !sums
    %sum = ws.roles %steps init %zero : !sums produce {
    ^bb0(%step: index):
      %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
      ws.copy_box %map at %step, %step to %a : !lhs
      ws.copy_box %map at %step, %step to %b : !rhs
      ws.put.exit %token by box
      ws.yield
    } consume {
    ^bb0(%step: index, %carried: !sums):
      %a, %b, %token = ws.get.enter %channel : !pipe -> !lhs, !rhs
      // expected-error @below {{'ws.mma' op has no sums of warpgroups, which have 64 rows and up to 256 columns, 16 rows a warp}}
      %started = ws.mma %a, %b transposed, %carried : !lhs, !rhs, !sums
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

// -----


!lhs = !ws.tile<128 x 64 x bf16, 3, 0>
!rhs = !ws.tile<128 x 64 x bf16, 3, 0>
!sums = !ws.accumulator<128 x 128, 8 x 1>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @no_buffer(%source: memref<?xbf16>, %steps: index) {
  %channel = ws.channel : !pipe
  %x = memref.cast %source : memref<?xbf16> to memref<4096xbf16>
  // expected-error @below {{'ws.tensor_map' op describes no buffer of the launch: the host makes a map before it}}
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<4096xbf16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %tile = %c0 to %steps step %c1 {
    %zero = ws.zero : !sums
    %sum = ws.roles %steps init %zero : !sums produce {
    ^bb0(%step: index):
      %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
      ws.copy_box %map at %step, %step to %a : !lhs
      ws.copy_box %map at %step, %step to %b : !rhs
      ws.put.exit %token by box
      ws.yield
    } consume {
    ^bb0(%step: index, %carried: !sums):
      %a, %b, %token = ws.get.enter %channel : !pipe -> !lhs, !rhs
      %started = ws.mma %a, %b transposed, %carried : !lhs, !rhs, !sums
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

// -----

!lhs = !ws.tile<128 x 64 x bf16, 3, 0>
!rhs = !ws.tile<128 x 64 x bf16, 3, 0>
!sums = !ws.accumulator<128 x 128, 8 x 1>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @two_sums(%x: memref<?xbf16>, %steps: index) {
  %channel = ws.channel launched : !pipe
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %tile = %c0 to %steps step %c1 {
    %zero = ws.zero : !sums
    // expected-error @below {{'ws.roles' op copies boxes, and carries something else than one accumulator of products}}
    %sum:2 = ws.roles %steps init %zero, %zero : !sums, !sums produce {
    ^bb0(%step: index):
      %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
      ws.copy_box %map at %step, %step to %a : !lhs
      ws.copy_box %map at %step, %step to %b : !rhs
      ws.put.exit %token by box
      ws.yield
    } consume {
    ^bb0(%step: index, %carried: !sums, %other: !sums):
      %a, %b, %token = ws.get.enter %channel : !pipe -> !lhs, !rhs
      %started = ws.mma %a, %b transposed, %carried : !lhs, !rhs, !sums
      %done = ws.mma.wait %started : !sums
      ws.get.exit %token
      ws.yield %done, %other : !sums, !sums
    }
    ws.epilogue %sum#0 : !sums {
    ^bb0(%element: f32, %row: index, %column: index):
      ws.yield
    }
  }
  return
}

// -----

!lhs = !ws.tile<128 x 64 x bf16, 3, 0>
!rhs = !ws.tile<128 x 64 x bf16, 3, 0>
!sums = !ws.accumulator<128 x 128, 8 x 1>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @computed(%x: memref<?xbf16>, %steps: index) {
  %channel = ws.channel launched : !pipe
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %tile = %c0 to %steps step %c1 {
    %zero = ws.zero : !sums
    // expected-error @below {{'ws.roles' op copies boxes and computes in registers, without a last product of these that is the first of what it carries}}
    %sum = ws.roles %steps init %zero : !sums produce {
    ^bb0(%step: index):
      %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
      ws.copy_box %map at %step, %step to %a : !lhs
      ws.copy_box %map at %step, %step to %b : !rhs
      ws.put.exit %token by box
      ws.yield
    } consume {
    ^bb0(%step: index, %carried: !sums):
      %a, %b, %token = ws.get.enter %channel : !pipe -> !lhs, !rhs
      %started = ws.mma %a, %b transposed, %carried : !lhs, !rhs, !sums
      %done = ws.mma.wait %started : !sums
      ws.get.exit %token
      %doubled = ws.map %done : (!sums) -> !sums {
      ^bb0(%value: f32, %row: index, %column: index):
        %sum = arith.addf %value, %value : f32
        ws.yield %sum : f32
      }
      ws.yield %doubled : !sums
    }
    ws.epilogue %sum : !sums {
    ^bb0(%element: f32, %row: index, %column: index):
      ws.yield
    }
  }
  return
}

// -----

!lhs = !ws.tile<128 x 64 x bf16, 3, 0>
!rhs = !ws.tile<128 x 64 x bf16, 3, 0>
!sums = !ws.accumulator<128 x 128, 8 x 1>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @idle(%x: memref<?xbf16>, %steps: index) {
  %channel = ws.channel launched : !pipe
  // expected-error @below {{'ws.channel' op has no role, beside others that have}}
  %other = ws.channel launched : !pipe
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %tile = %c0 to %steps step %c1 {
    %zero = ws.zero : !sums
    %sum = ws.roles %steps init %zero : !sums produce {
    ^bb0(%step: index):
      %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
      ws.copy_box %map at %step, %step to %a : !lhs
      ws.copy_box %map at %step, %step to %b : !rhs
      ws.put.exit %token by box
      ws.yield
    } consume {
    ^bb0(%step: index, %carried: !sums):
      %a, %b, %token = ws.get.enter %channel : !pipe -> !lhs, !rhs
      %started = ws.mma %a, %b transposed, %carried : !lhs, !rhs, !sums
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
