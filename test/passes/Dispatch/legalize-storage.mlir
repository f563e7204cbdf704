// RUN: split-file %s %t && cd %t
// RUN: heddle-opt all.mlir --heddle-legalize-storage -o bytes.mlir && FileCheck all.mlir < bytes.mlir
// RUN: sed 's/heddle.type = tensor<[^>]*>//g' bytes.mlir | FileCheck all.mlir --check-prefix=NONE
// RUN: heddle-opt all.mlir --heddle-assign-target="target=x86-64-v3 spelled" -o spelled.mlir
// RUN: sed 's/narrow_elements = \[\]/narrow_elements = ["f4E2M1FN", "i4"]/' spelled.mlir | heddle-opt --heddle-legalize-storage | FileCheck all.mlir --check-prefix=HELD
// RUN: not heddle-opt computes.mlir --heddle-legalize-storage 2>&1 | FileCheck computes.mlir
// RUN: not heddle-opt quantizes.mlir --heddle-legalize-storage 2>&1 | FileCheck quantizes.mlir
// RUN: not heddle-opt array.mlir --heddle-legalize-storage 2>&1 | FileCheck array.mlir
// RUN: not heddle-opt target.mlir --heddle-legalize-storage 2>&1 | FileCheck target.mlir

//--- all.mlir
#id = affine_map<(d0) -> (d0)>
module attributes {heddle.target = "x86-64-v3"} {
  // Weights keep their type, and are read as bytes.
  // CHECK: kernel.weight @w0 : tensor<4xf8E4M3FN>
  // CHECK: stablehlo.constant {{.*}} : tensor<4xf8E4M3FN>
  kernel.weight @w0 : tensor<4xf8E4M3FN> {
    %c = stablehlo.constant dense<[1.0, -2.0, 0.5, -1.0]> : tensor<4xf8E4M3FN>
    kernel.yield %c : tensor<4xf8E4M3FN>
  }
  // CHECK-LABEL: func.func @floats
  // CHECK-SAME: (%[[X:.*]]: tensor<4xi8> {heddle.type = tensor<4xf8E4M3FN>}) -> (tensor<4xi8> {heddle.type = tensor<4xf8E4M3FN>}, tensor<4xf64>, tensor<4xi8> {heddle.type = tensor<4xf4E2M1FN>})
  // NONE-LABEL: func.func @floats
  // NONE-NOT: {{xf[468]E|xi[24]>| : f[468]E| : i[24]$| to f[468]E| to i[24]$}}
  func.func @floats(%x: tensor<4xf8E4M3FN>) -> (tensor<4xf8E4M3FN>, tensor<4xf64>, tensor<4xf4E2M1FN>) {
    // CHECK: kernel.weight_ref @w0 : tensor<4xi8>
    %w = kernel.weight_ref @w0 : tensor<4xf8E4M3FN>
    %e = tensor.empty() : tensor<4xf8E4M3FN>
    // CHECK: linalg.generic {{.*}}ins(%[[X]], %{{.*}} : tensor<4xi8>, tensor<4xi8>)
    // CHECK: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8, %{{.*}}: i8):
    // CHECK: arith.extui %[[A]] : i8 to i32
    // CHECK: arith.bitcast %{{.*}} : i32 to f32
    // CHECK: arith.extui %[[B]] : i8 to i32
    // CHECK: %[[SUM:.*]] = arith.addf
    // CHECK: arith.bitcast %[[SUM]] : f32 to i32
    // CHECK: arith.trunci %{{.*}} : i32 to i8
    %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %w : tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>) outs(%e : tensor<4xf8E4M3FN>) {
    ^bb0(%a: f8E4M3FN, %b: f8E4M3FN, %o: f8E4M3FN):
      %1 = arith.extf %a : f8E4M3FN to f32
      %2 = arith.extf %b : f8E4M3FN to f32
      %3 = arith.addf %1, %2 : f32
      %4 = arith.truncf %3 : f32 to f8E4M3FN
      linalg.yield %4 : f8E4M3FN
    } -> tensor<4xf8E4M3FN>
    %d = tensor.empty() : tensor<4xf64>
    // By way of f32, which holds them all.
    // CHECK: linalg.generic {{.*}}ins(%[[X]] : tensor<4xi8>) outs(%{{.*}} : tensor<4xf64>)
    // CHECK: arith.extf %{{.*}} : f32 to f64
    %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf8E4M3FN>) outs(%d : tensor<4xf64>) {
    ^bb0(%a: f8E4M3FN, %o: f64):
      %1 = arith.extf %a : f8E4M3FN to f64
      linalg.yield %1 : f64
    } -> tensor<4xf64>
    // HELD-LABEL: func.func @floats
    // HELD-SAME: -> (tensor<4xi8> {heddle.type = tensor<4xf8E4M3FN>}, tensor<4xf64>, tensor<4xf4E2M1FN>)
    // HELD: outs(%{{.*}} : tensor<4xf4E2M1FN>)
    // HELD: arith.truncf %{{.*}} : f32 to f4E2M1FN
    %f = tensor.empty() : tensor<4xf4E2M1FN>
    %four = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf8E4M3FN>) outs(%f : tensor<4xf4E2M1FN>) {
    ^bb0(%a: f8E4M3FN, %o: f4E2M1FN):
      %1 = arith.extf %a : f8E4M3FN to f32
      %2 = arith.truncf %1 : f32 to f4E2M1FN
      linalg.yield %2 : f4E2M1FN
    } -> tensor<4xf4E2M1FN>
    return %s, %wide, %four : tensor<4xf8E4M3FN>, tensor<4xf64>, tensor<4xf4E2M1FN>
  }

  // CHECK-LABEL: func.func @integers
  // What a caller sees was said by an earlier stage, or is said here.
  // CHECK-SAME: (%{{.*}}: tensor<4xi8> {heddle.type = tensor<4xui4>}, %{{.*}}: tensor<4xi8> {heddle.type = tensor<4xi2>})
  // HELD-LABEL: func.func @integers
  // HELD-SAME: (%{{.*}}: tensor<4xi4> {heddle.type = tensor<4xui4>}, %{{.*}}: tensor<4xi8> {heddle.type = tensor<4xi2>}) -> (tensor<4xi4>, tensor<4xi4>, tensor<4xi8> {heddle.type = tensor<4xi2>})
  // HELD: arith.extsi %{{.*}} : i4 to i8
  // HELD: arith.trunci %{{.*}} : i8 to i4
  // HELD: arith.trunci %{{.*}} overflow<nuw> : i8 to i4
  func.func @integers(%i: tensor<4xi4> {heddle.type = tensor<4xui4>}, %p: tensor<4xi2>) -> (tensor<4xi4>, tensor<4xi4>, tensor<4xi2>) {
    %e = tensor.empty() : tensor<4xi4>
    // Signed numbers fill the byte with their sign.
    // CHECK: ^bb0(%[[A:.*]]: i8, %{{.*}}: i8):
    // CHECK: %[[HIGH:.*]] = arith.shli %[[A]], %[[C4:.*]] : i8
    // CHECK: %[[N:.*]] = arith.shrsi %[[HIGH]], %[[C4]] : i8
    // CHECK: %[[S:.*]] = arith.addi %[[N]], %[[N]] : i8
    // CHECK: %[[UP:.*]] = arith.shli %[[S]], %[[D4:.*]] : i8
    // CHECK: %[[DOWN:.*]] = arith.shrsi %[[UP]], %[[D4]] : i8
    // CHECK: linalg.yield %[[DOWN]] : i8
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<4xi4>) outs(%e : tensor<4xi4>) {
    ^bb0(%a: i4, %o: i4):
      %1 = arith.extsi %a : i4 to i8
      %2 = arith.addi %1, %1 : i8
      %3 = arith.trunci %2 : i8 to i4
      linalg.yield %3 : i4
    } -> tensor<4xi4>
    // Of what is whole already nothing is cut off.
    // CHECK: ^bb0(%[[A:.*]]: i8, %{{.*}}: i8):
    // CHECK: %[[U:.*]] = arith.andi %[[A]]
    // CHECK: %[[T:.*]] = arith.minui %[[U]]
    // CHECK-NEXT: linalg.yield %[[T]] : i8
    %u = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<4xi4>) outs(%e : tensor<4xi4>) {
    ^bb0(%a: i4, %o: i4):
      %c = arith.constant 9 : i8
      %1 = arith.extui %a : i4 to i8
      %2 = arith.minui %1, %c : i8
      %3 = arith.trunci %2 overflow<nuw> : i8 to i4
      linalg.yield %3 : i4
    } -> tensor<4xi4>
    // Elements that are only chosen are bytes that are.
    // CHECK: arith.constant 3 : i8
    // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i8
    %e2 = tensor.empty() : tensor<4xi2>
    %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%p : tensor<4xi2>) outs(%e2 : tensor<4xi2>) {
    ^bb0(%a: i2, %o: i2):
      %t = arith.constant true
      %c = arith.constant -1 : i2
      %1 = arith.select %t, %a, %c : i2
      linalg.yield %1 : i2
    } -> tensor<4xi2>
    return %s, %u, %q : tensor<4xi4>, tensor<4xi4>, tensor<4xi2>
  }

  // Bits move between what is held and what is not.
  // CHECK-LABEL: func.func @bits
  // CHECK: ^bb0(%[[A:.*]]: i8, %{{.*}}: i8):
  // CHECK-NEXT: linalg.yield %[[A]] : i8
  // HELD-LABEL: func.func @bits
  // HELD: ^bb0(%[[A:.*]]: i8, %{{.*}}: i8):
  // HELD-NEXT: linalg.yield %[[A]] : i8
  func.func @bits(%x: tensor<4xf8E4M3FN>) -> tensor<4xi8> {
    %e = tensor.empty() : tensor<4xi8>
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf8E4M3FN>) outs(%e : tensor<4xi8>) {
    ^bb0(%a: f8E4M3FN, %o: i8):
      %1 = arith.bitcast %a : f8E4M3FN to i8
      linalg.yield %1 : i8
    } -> tensor<4xi8>
    return %b : tensor<4xi8>
  }

  // A root says what its bytes are.
  // CHECK-LABEL: func.func @root
  // CHECK: kernel.contract %{{.*}}, %{{.*}} {{.*}}lhs_type = f8E4M3FN, rhs_type = ui4} : tensor<4x8xi8>, tensor<8x4xi8> -> tensor<4x4xf32>
  // HELD-LABEL: func.func @root
  // HELD: kernel.contract %{{.*}}, %{{.*}} {{.*}}lhs_type = f8E4M3FN, rhs_type = ui4} : tensor<4x8xi8>, tensor<8x4xi4> -> tensor<4x4xf32>
  func.func @root(%x: tensor<4x8xf8E4M3FN>, %y: tensor<8x4xi4>) -> tensor<4x4xf32> {
    %0 = kernel.contract %x, %y {extents = array<i64: 4, 4, 8>, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], rhs_type = ui4} : tensor<4x8xf8E4M3FN>, tensor<8x4xi4> -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }

  // Regions of loops and roots follow.
  // CHECK-LABEL: func.func @regions
  // CHECK: stablehlo.while(%{{.*}} = %{{.*}}) : tensor<4xi8>
  // CHECK: kernel.pad %{{.*}}, %{{.*}} : tensor<3xi8>, i8 -> tensor<4xi8>
  func.func @regions(%x: tensor<4xf8E4M3FN>, %y: tensor<3xf8E4M3FN>, %more: tensor<i1>) -> tensor<4xf8E4M3FN> {
    %0 = stablehlo.while(%v = %x) : tensor<4xf8E4M3FN>
      cond {
        stablehlo.return %more : tensor<i1>
      } do {
        %one = arith.constant 1.0 : f8E4M3FN
        %1 = kernel.pad %y, %one {low = array<i64: 1>, high = array<i64: 0>, interior = array<i64: 0>} : tensor<3xf8E4M3FN>, f8E4M3FN -> tensor<4xf8E4M3FN>
        stablehlo.return %1 : tensor<4xf8E4M3FN>
      }
    return %0 : tensor<4xf8E4M3FN>
  }
}

//--- computes.mlir
// CHECK: computes.mlir:[[#@LINE+3]]:{{.*}} error: 'arith.addf' computes with elements that the target's kernels do not hold
module attributes {heddle.target = "x86-64-v3"} {
  func.func @main(%x: tensor<f8E4M3FN>) -> tensor<f8E4M3FN> {
    %0 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%x : tensor<f8E4M3FN>) outs(%x : tensor<f8E4M3FN>) { ^bb0(%a: f8E4M3FN, %o: f8E4M3FN): %1 = arith.addf %a, %a : f8E4M3FN linalg.yield %1 : f8E4M3FN } -> tensor<f8E4M3FN>
    return %0 : tensor<f8E4M3FN>
  }
}

//--- quantizes.mlir
// CHECK: error: 'prec.dequantize' computes with elements that the target's kernels do not hold
module attributes {heddle.target = "x86-64-v3"} {
  func.func @main(%q: tensor<2xi4>, %s: tensor<f32>, %z: tensor<i4>) -> tensor<2xf32> {
    %0 = prec.dequantize %q, %s, %z : tensor<2xi4>, tensor<f32>, tensor<i4> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

//--- array.mlir
// CHECK: error: a constant that is no number
module attributes {heddle.target = "x86-64-v3"} {
  func.func @main() -> tensor<2xi4> {
    %0 = arith.constant dense<[1, 2]> : tensor<2xi4>
    return %0 : tensor<2xi4>
  }
}

//--- target.mlir
// CHECK: error: no target to dispatch for
module {
}
