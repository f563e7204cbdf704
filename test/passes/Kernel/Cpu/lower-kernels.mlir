// RUN: heddle-opt %s --heddle-lower-kernels --split-input-file | FileCheck %s
// RUN: heddle-opt %s --heddle-lower-kernels --split-input-file --verify-each

// Lanes along the one loop that is left: four vectors a step, then a masked rest of five.

module attributes {heddle.target = "x86-64-v4"} {
  // CHECK-LABEL: func.func @elementwise(
  // CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>, %{{.*}}: memref<?xi8>, %{{.*}}: index, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
  // CHECK-SAME: kernel.chunk = 1 : i64, kernel.scratch = 0 : i64, kernel.tiles = 1 : i64
  // CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
  // CHECK-COUNT-4: vector.load %[[A]]
  // CHECK-NOT: tensor
  // CHECK: vector.maskedload %[[A]]
  // CHECK: vector.maskedstore %[[OUT]]
  // CHECK: return
  func.func @elementwise(%a: tensor<123x191xf32>, %b: tensor<123x191xf32>) -> tensor<123x191xf32> attributes {kernel.entry} {
    %e = tensor.empty() : tensor<123x191xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<123x191xf32>, tensor<123x191xf32>) outs(%e : tensor<123x191xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
    } -> tensor<123x191xf32>
    return %r : tensor<123x191xf32>
  }
}

// -----

// What takes less time than its launch has one vector a step, then the masked rest.

module attributes {heddle.target = "x86-64-v4"} {
  // CHECK-LABEL: func.func @tiny(
  // CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>, %{{.*}}: memref<?xi8>, %{{.*}}: index, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
  // CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
  // CHECK: vector.load %[[A]]
  // CHECK-NOT: vector.load %[[A]]
  // CHECK: vector.maskedload %[[A]]
  // CHECK: vector.maskedstore %[[OUT]]
  // CHECK: return
  func.func @tiny(%a: tensor<7x191xf32>, %b: tensor<7x191xf32>) -> tensor<7x191xf32> attributes {kernel.entry} {
    %e = tensor.empty() : tensor<7x191xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<7x191xf32>, tensor<7x191xf32>) outs(%e : tensor<7x191xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
    } -> tensor<7x191xf32>
    return %r : tensor<7x191xf32>
  }
}

// -----

// A row's sum by lanes: masked lanes keep the accumulator, and the rest is a tree.

module attributes {heddle.target = "x86-64-v4"} {
  // CHECK-LABEL: func.func @row_sum(
  // CHECK: %[[NEW:.*]] = arith.addf
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi1>, vector<16xf32>
  // CHECK: vector.shuffle %{{.*}} [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xf32>, vector<16xf32>
  // CHECK: vector.shuffle %{{.*}} [1] : vector<2xf32>, vector<2xf32>
  // CHECK: memref.store
  // CHECK: return
  func.func @row_sum(%a: tensor<9x37xf32>) -> tensor<9xf32> attributes {kernel.entry} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<9xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<9xf32>) -> tensor<9xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<9x37xf32>) outs(%f : tensor<9xf32>) {
    ^bb0(%x: f32, %acc: f32):
      %s = arith.addf %acc, %x : f32
      linalg.yield %s : f32
    } -> tensor<9xf32>
    return %r : tensor<9xf32>
  }
}

// -----

// Reducing an outer dimension keeps lanes apart: no shuffle.

module attributes {heddle.target = "x86-64-v4"} {
  // CHECK-LABEL: func.func @column_sum(
  // CHECK-NOT: vector.shuffle
  // CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
  // CHECK-NOT: vector.shuffle
  // CHECK: return
  func.func @column_sum(%a: tensor<900x64xf32>) -> tensor<64xf32> attributes {kernel.entry} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<900x64xf32>) outs(%f : tensor<64xf32>) {
    ^bb0(%x: f32, %acc: f32):
      %s = arith.addf %acc, %x : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}

// -----

// The row that two groups share lies in scratch memory, 37 floats in 192 bytes.

module attributes {heddle.target = "x86-64-v4"} {
  // CHECK-LABEL: func.func @centre(
  // CHECK-SAME: %{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>, %[[SCRATCH:.*]]: memref<?xi8>
  // CHECK-SAME: kernel.scratch = 192 : i64
  // CHECK: %[[ROW:.*]] = memref.view %[[SCRATCH]]
  // CHECK: vector.store %{{.*}}, %[[ROW]]
  // CHECK: vector.load %[[ROW]]
  // CHECK: return
  func.func @centre(%a: tensor<9x37xf32>) -> tensor<9x37xf32> attributes {kernel.entry} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<9xf32>
    %m = tensor.empty() : tensor<9x37xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<9xf32>) -> tensor<9xf32>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<9x37xf32>) outs(%m : tensor<9x37xf32>) {
    ^bb0(%x: f32, %o: f32):
      %s = math.exp %x : f32
      linalg.yield %s : f32
    } -> tensor<9x37xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<9x37xf32>) outs(%f : tensor<9xf32>) {
    ^bb0(%x: f32, %acc: f32):
      %s = arith.addf %acc, %x : f32
      linalg.yield %s : f32
    } -> tensor<9xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<9x37xf32>, tensor<9xf32>) outs(%m : tensor<9x37xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %d = arith.subf %x, %y : f32
      linalg.yield %d : f32
    } -> tensor<9x37xf32>
    return %r : tensor<9x37xf32>
  }
}

// -----

// Rows of a table: the row's number is one scalar, the columns one load.

module attributes {heddle.target = "x86-64-v4"} {
  // CHECK-LABEL: func.func @embedding(
  // CHECK-SAME: %[[TABLE:[^:]*]]: memref<?xf32>
  // CHECK-NOT: vector.gather
  // CHECK: vector.load %[[TABLE]]
  // CHECK-NOT: vector.gather
  // CHECK: return
  func.func @embedding(%table: tensor<50x64xf32>, %ids: tensor<9xi64>) -> tensor<9x64xf32> attributes {kernel.entry} {
    %e = tensor.empty() : tensor<9x64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<9xi64>) outs(%e : tensor<9x64xf32>) {
    ^bb0(%id: i64, %o: f32):
      %row = arith.index_cast %id : i64 to index
      %column = linalg.index 1 : index
      %v = tensor.extract %table[%row, %column] : tensor<50x64xf32>
      linalg.yield %v : f32
    } -> tensor<9x64xf32>
    return %r : tensor<9x64xf32>
  }
}

// -----

// A transpose: blocks of 16 x 16 by shuffles.

module attributes {heddle.target = "x86-64-v4"} {
  // CHECK-LABEL: func.func @transpose(
  // CHECK-NOT: vector.gather
  // CHECK-COUNT-64: vector.shuffle
  // CHECK-NOT: vector.gather
  // CHECK: return
  func.func @transpose(%a: tensor<40x50xf32>) -> tensor<50x40xf32> attributes {kernel.entry} {
    %e = tensor.empty() : tensor<50x40xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<40x50xf32>) outs(%e : tensor<50x40xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<50x40xf32>
    return %r : tensor<50x40xf32>
  }
}

// -----

// Numbers of the launch are arguments after the buffers.

module attributes {heddle.target = "x86-64-v4"} {
  // CHECK-LABEL: func.func @scaled(
  // CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>, %[[SCALE:.*]]: f32, %{{.*}}: memref<?xi8>, %{{.*}}: index, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
  // CHECK: %[[LANES:.*]] = vector.broadcast %[[SCALE]] : f32 to vector<16xf32>
  // CHECK: arith.divf %{{.*}}, %[[LANES]]
  func.func @scaled(%a: tensor<160xf32>, %scale: f32) -> tensor<160xf32> attributes {kernel.entry} {
    %e = tensor.empty() : tensor<160xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<160xf32>) outs(%e : tensor<160xf32>) {
    ^bb0(%x: f32, %o: f32):
      %s = arith.divf %x, %scale : f32
      linalg.yield %s : f32
    } -> tensor<160xf32>
    return %r : tensor<160xf32>
  }
}
