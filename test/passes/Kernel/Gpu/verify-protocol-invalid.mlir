// RUN: heddle-opt %s --heddle-verify-protocol --split-input-file --verify-diagnostics

llvm.mlir.global external @heddle_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
func.func @unknown_place(%where: i32) attributes {kernel.threads = 32 : i64} {
  %shared = llvm.mlir.addressof @heddle_shared : !llvm.ptr<3>
  %barrier = llvm.getelementptr %shared[%where] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %c1 = arith.constant 1 : i32
  // expected-error @below {{'nvvm.mbarrier.init' op cannot be checked: it depends on more than threads, loops and constants}}
  nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
  return
}

// -----

llvm.mlir.global external @heddle_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
func.func @unknown_branch(%taken: i1) attributes {kernel.threads = 32 : i64} {
  %shared = llvm.mlir.addressof @heddle_shared : !llvm.ptr<3>
  %c1 = arith.constant 1 : i32
  nvvm.mbarrier.init %shared, %c1 : !llvm.ptr<3>, i32
  // expected-error @below {{'scf.if' op cannot be checked: it depends on more than threads, loops and constants}}
  scf.if %taken {
    %0 = nvvm.mbarrier.arrive %shared : !llvm.ptr<3> -> i64
  }
  return
}

// -----

llvm.mlir.global external @heddle_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
func.func @no_map(%map: !llvm.ptr) attributes {kernel.threads = 32 : i64} {
  %shared = llvm.mlir.addressof @heddle_shared : !llvm.ptr<3>
  %c1 = arith.constant 1 : i32
  nvvm.mbarrier.init %shared, %c1 : !llvm.ptr<3>, i32
  %into = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
  // expected-error @below {{'nvvm.cp.async.bulk.tensor.shared.cluster.global' op copies by a map that 'kernel.descriptors' lacks}}
  nvvm.cp.async.bulk.tensor.shared.cluster.global %into, %map, %shared, box[%c1, %c1] : !llvm.ptr<7>, !llvm.ptr
  return
}

// -----

!sums = !llvm.struct<(f32, f32, f32, f32)>
llvm.mlir.global external @heddle_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
// expected-error @below {{multiplies what nobody copies, at shared address 1024}}
func.func @no_copy(%sums: !sums) attributes {kernel.threads = 32 : i64} {
  %shared = llvm.mlir.addressof @heddle_shared : !llvm.ptr<3>
  %c1 = arith.constant 1 : i32
  nvvm.mbarrier.init %shared, %c1 : !llvm.ptr<3>, i32
  %matrix = arith.constant 64 : i64
  %0 = nvvm.wgmma.mma_async %matrix, %matrix, %sums, <m = 64, n = 8, k = 16>, D [<f32>, <one>], A [<bf16>, <one>, <row>], B [<bf16>, <one>, <col>] : !sums -> !sums
  return
}

// -----

// A wait that nobody ends.
llvm.mlir.global external @heddle_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
// expected-error @below {{has barriers of which the warps go wrong: nobody can go on; warp 0 waits for barrier 0}}
func.func @for_ever() attributes {kernel.threads = 32 : i64} {
  %shared = llvm.mlir.addressof @heddle_shared : !llvm.ptr<3>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  nvvm.mbarrier.init %shared, %c1 : !llvm.ptr<3>, i32
  nvvm.mbarrier.try_wait.parity %shared, %c0, %c1 : !llvm.ptr<3>, i32, i32
  return
}
