// An epilogue is written as far as its root runs: one that puts numbers beyond takes away the limits of rows.
// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v3 --heddle-form-dispatches --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
// A mask counts beyond the product's rows. Sums end where they do.
// CHECK-LABEL: func @mask(
// CHECK: %[[TERMS:.*]] = kernel.size
// CHECK: kernel.dispatch({{.*}}%[[LIMIT:.*]] = %[[TERMS]] : index)
// CHECK: kernel.contract {{.*}} limits(%[[LIMIT]]) {{.*}}limited = array<i64: 2>
func.func @mask(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %m: tensor<8x16xi1>, %s0: tensor<i32> {heddle.extent = "a"}) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = kernel.size <2 * a>(%s0) : tensor<i32>
  %terms = kernel.size <a>(%s0) : tensor<i32>
  %0 = kernel.contract %x, %w limits(%rows, %terms) {extents = array<i64: 8, 16, 4>, limited = array<i64: 0, 2>,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %m : tensor<8x16xf32>, tensor<8x16xi1>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: f32, %inside: i1, %out: f32):
    %t = math.tanh %in : f32
    %r = arith.select %inside, %t, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
// What the product leaves beyond, arithmetic leaves, too: NaN is more than zero times it or a maximum.
// CHECK-LABEL: func @bias(
// CHECK: kernel.contract {{.*}} limits(%{{[^,]*}}) {{.*}}limited = array<i64: 0>
func.func @bias(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %y: tensor<8x16xf32>, %m: tensor<8x16xi1>, %s0: tensor<i32> {heddle.extent = "a"}) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = kernel.size <2 * a>(%s0) : tensor<i32>
  %0 = kernel.contract %x, %w limits(%rows) {extents = array<i64: 8, 16, 4>, limited = array<i64: 0>,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %y, %m : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: f32, %other: f32, %flag: i1, %out: f32):
    %a = arith.mulf %in, %zero : f32
    %b = arith.addf %other, %a : f32
    %r = arith.maximumf %b, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
// Of two numbers that are nobody's either is.
// CHECK-LABEL: func @either(
// CHECK: kernel.contract {{.*}} limits(%{{[^,]*}}) {{.*}}limited = array<i64: 0>
func.func @either(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %y: tensor<8x16xf32>, %m: tensor<8x16xi1>, %s0: tensor<i32> {heddle.extent = "a"}) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = kernel.size <2 * a>(%s0) : tensor<i32>
  %0 = kernel.contract %x, %w limits(%rows) {extents = array<i64: 8, 16, 4>, limited = array<i64: 0>,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %y, %m : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: f32, %other: f32, %flag: i1, %out: f32):
    %a = math.absf %in : f32
    %r = arith.select %flag, %in, %a : f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
// A product that chooses between itself and another number: it may be itself.
// CHECK-LABEL: func @rectify(
// CHECK: kernel.contract {{.*}} limits(%{{[^,]*}}) {{.*}}limited = array<i64: 0>
func.func @rectify(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %y: tensor<8x16xf32>, %m: tensor<8x16xi1>, %s0: tensor<i32> {heddle.extent = "a"}) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = kernel.size <2 * a>(%s0) : tensor<i32>
  %0 = kernel.contract %x, %w limits(%rows) {extents = array<i64: 8, 16, 4>, limited = array<i64: 0>,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %y, %m : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: f32, %other: f32, %flag: i1, %out: f32):
    %a = arith.cmpf ogt, %in, %zero : f32
    %r = arith.select %a, %in, %other : f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
// A product that chooses between two numbers that count.
// CHECK-LABEL: func @choose(
// CHECK: kernel.contract
// CHECK-NOT: limit
// CHECK: kernel.yield
func.func @choose(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %y: tensor<8x16xf32>, %m: tensor<8x16xi1>, %s0: tensor<i32> {heddle.extent = "a"}) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = kernel.size <2 * a>(%s0) : tensor<i32>
  %0 = kernel.contract %x, %w limits(%rows) {extents = array<i64: 8, 16, 4>, limited = array<i64: 0>,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %y, %m : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: f32, %other: f32, %flag: i1, %out: f32):
    %a = arith.cmpf ogt, %in, %zero : f32
    %r = arith.select %a, %zero, %other : f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
// Flags are masked by a logical and.
// CHECK-LABEL: func @flags(
// CHECK: kernel.contract
// CHECK-NOT: limit
// CHECK: kernel.yield
func.func @flags(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %y: tensor<8x16xf32>, %m: tensor<8x16xi1>, %s0: tensor<i32> {heddle.extent = "a"}) -> tensor<8x16xi1> {
  %zero = arith.constant 0.0 : f32
  %rows = kernel.size <2 * a>(%s0) : tensor<i32>
  %0 = kernel.contract %x, %w limits(%rows) {extents = array<i64: 8, 16, 4>, limited = array<i64: 0>,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xi1>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %y, %m : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>) outs(%e : tensor<8x16xi1>) {
  ^bb0(%in: f32, %other: f32, %flag: i1, %out: i1):
    %a = arith.cmpf ogt, %in, %other : f32
    %r = arith.andi %a, %flag : i1
    linalg.yield %r : i1
  } -> tensor<8x16xi1>
  return %1 : tensor<8x16xi1>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
// A position is held within a range, and read as one.
// CHECK-LABEL: func @position(
// CHECK: kernel.contract
// CHECK-NOT: limit
// CHECK: kernel.yield
func.func @position(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %y: tensor<8x16xf32>, %m: tensor<8x16xi1>, %s0: tensor<i32> {heddle.extent = "a"}) -> tensor<8x16xi32> {
  %zero = arith.constant 0.0 : f32
  %rows = kernel.size <2 * a>(%s0) : tensor<i32>
  %0 = kernel.contract %x, %w limits(%rows) {extents = array<i64: 8, 16, 4>, limited = array<i64: 0>,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xi32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %y, %m : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>) outs(%e : tensor<8x16xi32>) {
  ^bb0(%in: f32, %other: f32, %flag: i1, %out: i32):
    %a = arith.fptosi %in : f32 to i32
    %c = arith.constant 7 : i32
    %r = arith.minsi %a, %c : i32
    linalg.yield %r : i32
  } -> tensor<8x16xi32>
  return %1 : tensor<8x16xi32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
// A sum with what a mask gives counts.
// CHECK-LABEL: func @behind(
// CHECK: kernel.contract
// CHECK-NOT: limit
// CHECK: kernel.yield
func.func @behind(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %y: tensor<8x16xf32>, %m: tensor<8x16xi1>, %s0: tensor<i32> {heddle.extent = "a"}) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = kernel.size <2 * a>(%s0) : tensor<i32>
  %0 = kernel.contract %x, %w limits(%rows) {extents = array<i64: 8, 16, 4>, limited = array<i64: 0>,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %y, %m : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xi1>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: f32, %other: f32, %flag: i1, %out: f32):
    %a = arith.select %flag, %in, %zero : f32
    %r = arith.addf %a, %other : f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#q = affine_map<(m, n, d, e) -> (m, d)>
#k = affine_map<(m, n, d, e) -> (n, d)>
#v = affine_map<(m, n, d, e) -> (n, e)>
#o = affine_map<(m, n, d, e) -> (m, e)>
// An attention whose rows are scaled, and one whose rows are masked.
// CHECK-LABEL: func @attentions(
// CHECK: kernel.attention {{.*}} limits(%{{[^,]*}}) {{.*}}limited = array<i64: 0>
// CHECK: kernel.attention
// CHECK-NOT: limits(
// CHECK: kernel.yield
func.func @attentions(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %m: tensor<8x4xi1>, %s0: tensor<i32> {heddle.extent = "a"}) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %rows = kernel.size <2 * a>(%s0) : tensor<i32>
  %0 = kernel.attention %x, %x, %x limits(%rows) {extents = array<i64: 8, 8, 4, 4>, limited = array<i64: 0>, scale = 1.0 : f32,
      indexing_maps = [#q, #k, #v, #o]} : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  %1 = kernel.attention %y, %y, %y limits(%rows) {extents = array<i64: 8, 8, 4, 4>, limited = array<i64: 0>, scale = 1.0 : f32,
      indexing_maps = [#q, #k, #v, #o]} : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %y : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %r = arith.addf %in, %other : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1, %m : tensor<8x4xf32>, tensor<8x4xi1>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%in: f32, %flag: i1, %out: f32):
    %r = arith.select %flag, %in, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %2, %3 : tensor<8x4xf32>, tensor<8x4xf32>
}
