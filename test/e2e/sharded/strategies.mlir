// Models under the strategies that are usual for them: partitioned, they compute what they compute on one device.
// RUN: %heddle_build/test/unit/Sharding/partitioned-programs --file %s | FileCheck %s

// A perceptron whose batch is cut.
// CHECK: mlp_data: equal
sdy.mesh @mesh = <["data"=4]>
func.func @mlp_data(%x: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: tensor<16x24xf32>, %b: tensor<24xf32>, %v: tensor<24x10xf32>) -> tensor<12x10xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<12x24xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<12x16xf32>, tensor<16x24xf32>) -> tensor<12x24xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<24xf32>) -> tensor<12x24xf32>
  %2 = stablehlo.add %0, %1 : tensor<12x24xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<12x24xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<12x24xf32>, tensor<24x10xf32>) -> tensor<12x10xf32>
  return %4 : tensor<12x10xf32>
}

// -----

// Its weights are cut by columns, then by rows.
// CHECK: mlp_tensor: equal
sdy.mesh @mesh = <["model"=4]>
func.func @mlp_tensor(%x: tensor<12x16xf32>, %w: tensor<16x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %b: tensor<24xf32>, %v: tensor<24x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<12x10xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<12x24xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<12x16xf32>, tensor<16x24xf32>) -> tensor<12x24xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<24xf32>) -> tensor<12x24xf32>
  %2 = stablehlo.add %0, %1 : tensor<12x24xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<12x24xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<12x24xf32>, tensor<24x10xf32>) -> tensor<12x10xf32>
  return %4 : tensor<12x10xf32>
}

// -----

// Both.
// CHECK: mlp_data_tensor: equal
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @mlp_data_tensor(%x: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: tensor<16x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %b: tensor<24xf32>, %v: tensor<24x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<12x10xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<12x24xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<12x16xf32>, tensor<16x24xf32>) -> tensor<12x24xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<24xf32>) -> tensor<12x24xf32>
  %2 = stablehlo.add %0, %1 : tensor<12x24xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<12x24xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<12x24xf32>, tensor<24x10xf32>) -> tensor<12x10xf32>
  return %4 : tensor<12x10xf32>
}

// -----

// Parameters lie in parts along the batch's axis and are gathered when they are needed.
// CHECK: mlp_parameters: equal
sdy.mesh @mesh = <["data"=4]>
func.func @mlp_parameters(%x: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: tensor<16x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %b: tensor<24xf32>, %v: tensor<24x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<12x10xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<12x24xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<12x16xf32>, tensor<16x24xf32>) -> tensor<12x24xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<24xf32>) -> tensor<12x24xf32>
  %2 = stablehlo.add %0, %1 : tensor<12x24xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<12x24xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<12x24xf32>, tensor<24x10xf32>) -> tensor<12x10xf32>
  return %4 : tensor<12x10xf32>
}

// -----

// A batch that the devices do not divide.
// CHECK: mlp_uneven: equal
sdy.mesh @mesh = <["data"=5]>
func.func @mlp_uneven(%x: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: tensor<16x24xf32>, %b: tensor<24xf32>, %v: tensor<24x10xf32>) -> tensor<12x10xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<12x24xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<12x16xf32>, tensor<16x24xf32>) -> tensor<12x24xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<24xf32>) -> tensor<12x24xf32>
  %2 = stablehlo.add %0, %1 : tensor<12x24xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<12x24xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<12x24xf32>, tensor<24x10xf32>) -> tensor<12x10xf32>
  return %4 : tensor<12x10xf32>
}

// -----

// Heads of attention are cut as the columns of the three weights, and the rows of the last: one sum for the block.
// CHECK: attention: equal
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @attention(%x: tensor<2x6x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>},
                     %wq: tensor<16x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>},
                     %wk: tensor<16x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>},
                     %wv: tensor<16x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>},
                     %wo: tensor<4x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}) -> tensor<2x6x16xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %scale = stablehlo.constant dense<0.35355339> : tensor<2x4x6x6xf32>
  %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<2x6x16xf32>, tensor<16x4x8xf32>) -> tensor<2x6x4x8xf32>
  %k = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0] : (tensor<2x6x16xf32>, tensor<16x4x8xf32>) -> tensor<2x6x4x8xf32>
  %v = stablehlo.dot_general %x, %wv, contracting_dims = [2] x [0] : (tensor<2x6x16xf32>, tensor<16x4x8xf32>) -> tensor<2x6x4x8xf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x6x4x8xf32>, tensor<2x6x4x8xf32>) -> tensor<2x4x6x6xf32>
  %t = stablehlo.multiply %s, %scale : tensor<2x4x6x6xf32>
  %m = stablehlo.reduce(%t init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x6x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<2x4x6xf32>) -> tensor<2x4x6x6xf32>
  %d = stablehlo.subtract %t, %mb : tensor<2x4x6x6xf32>
  %e = stablehlo.exponential %d : tensor<2x4x6x6xf32>
  %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x4x6x6xf32>, tensor<f32>) -> tensor<2x4x6xf32>
  %zb = stablehlo.broadcast_in_dim %z, dims = [0, 1, 2] : (tensor<2x4x6xf32>) -> tensor<2x4x6x6xf32>
  %p = stablehlo.divide %e, %zb : tensor<2x4x6x6xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x4x6x6xf32>, tensor<2x6x4x8xf32>) -> tensor<2x4x6x8xf32>
  %y = stablehlo.dot_general %o, %wo, contracting_dims = [1, 3] x [0, 1] : (tensor<2x4x6x8xf32>, tensor<4x8x16xf32>) -> tensor<2x6x16xf32>
  return %y : tensor<2x6x16xf32>
}

// -----

// Heads that one product has side by side are told apart by a reshape.
// CHECK: heads: equal
sdy.mesh @mesh = <["model"=4]>
func.func @heads(%x: tensor<6x16xf32>, %w: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}) -> tensor<4x6x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x16xf32>, tensor<16x32xf32>) -> tensor<6x32xf32>
  %1 = stablehlo.reshape %0 : (tensor<6x32xf32>) -> tensor<6x4x8xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<6x4x8xf32>) -> tensor<4x6x8xf32>
  return %2 : tensor<4x6x8xf32>
}

// -----

// A layer norm over rows that lie on several devices.
// CHECK: layer_norm: equal
sdy.mesh @mesh = <["x"=4]>
func.func @layer_norm(%x: tensor<6x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %g: tensor<16xf32>, %b: tensor<16xf32>) -> (tensor<6x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<16.0> : tensor<6xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<6xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
  %m = stablehlo.divide %s, %n : tensor<6xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<6xf32>) -> tensor<6x16xf32>
  %d = stablehlo.subtract %x, %mb : tensor<6x16xf32>
  %q = stablehlo.multiply %d, %d : tensor<6x16xf32>
  %t = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
  %v = stablehlo.divide %t, %n : tensor<6xf32>
  %w = stablehlo.add %v, %eps : tensor<6xf32>
  %r = stablehlo.rsqrt %w : tensor<6xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<6xf32>) -> tensor<6x16xf32>
  %y = stablehlo.multiply %d, %rb : tensor<6x16xf32>
  %gb = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<16xf32>) -> tensor<6x16xf32>
  %bb = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<16xf32>) -> tensor<6x16xf32>
  %z = stablehlo.multiply %y, %gb : tensor<6x16xf32>
  %o = stablehlo.add %z, %bb : tensor<6x16xf32>
  return %o : tensor<6x16xf32>
}

// -----

// The same where devices have rows of unequal length.
// CHECK: layer_norm_uneven: equal
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @layer_norm_uneven(%x: tensor<6x14xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %g: tensor<14xf32>, %b: tensor<14xf32>) -> (tensor<6x14xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<14.0> : tensor<6xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<6xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x14xf32>, tensor<f32>) -> tensor<6xf32>
  %m = stablehlo.divide %s, %n : tensor<6xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<6xf32>) -> tensor<6x14xf32>
  %d = stablehlo.subtract %x, %mb : tensor<6x14xf32>
  %q = stablehlo.multiply %d, %d : tensor<6x14xf32>
  %t = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x14xf32>, tensor<f32>) -> tensor<6xf32>
  %v = stablehlo.divide %t, %n : tensor<6xf32>
  %w = stablehlo.add %v, %eps : tensor<6xf32>
  %r = stablehlo.rsqrt %w : tensor<6xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<6xf32>) -> tensor<6x14xf32>
  %y = stablehlo.multiply %d, %rb : tensor<6x14xf32>
  %gb = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<14xf32>) -> tensor<6x14xf32>
  %bb = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<14xf32>) -> tensor<6x14xf32>
  %z = stablehlo.multiply %y, %gb : tensor<6x14xf32>
  %o = stablehlo.add %z, %bb : tensor<6x14xf32>
  return %o : tensor<6x14xf32>
}

// -----

// A softmax over a dimension that is cut, unevenly.
// CHECK: softmax: equal
sdy.mesh @mesh = <["x"=4]>
func.func @softmax(%x: tensor<3x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<3x10xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<3xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<3xf32>) -> tensor<3x10xf32>
  %d = stablehlo.subtract %x, %mb : tensor<3x10xf32>
  %e = stablehlo.exponential %d : tensor<3x10xf32>
  %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<3xf32>
  %zb = stablehlo.broadcast_in_dim %z, dims = [0] : (tensor<3xf32>) -> tensor<3x10xf32>
  %p = stablehlo.divide %e, %zb : tensor<3x10xf32>
  return %p : tensor<3x10xf32>
}

// -----

// Rows of a table for a batch that is cut.
// CHECK: embedding_batch: equal
sdy.mesh @mesh = <["x"=4]>
func.func @embedding_batch(%table: tensor<10x8xf32>, %ids: tensor<8x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x3x8xf32> {
  %0 = "stablehlo.gather"(%table, %ids) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 8>} : (tensor<10x8xf32>, tensor<8x3xi32>) -> tensor<8x3x8xf32>
  return %0 : tensor<8x3x8xf32>
}

// -----

// The table is cut by what it has of each row.
// CHECK: embedding_columns: equal
sdy.mesh @mesh = <["x"=4]>
func.func @embedding_columns(%table: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %ids: tensor<8x3xi32>) -> tensor<8x3x8xf32> {
  %0 = "stablehlo.gather"(%table, %ids) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 8>} : (tensor<10x8xf32>, tensor<8x3xi32>) -> tensor<8x3x8xf32>
  return %0 : tensor<8x3x8xf32>
}

// -----

// The table is cut by rows, unevenly: each device looks up those that it has.
// CHECK: embedding_rows: equal
sdy.mesh @mesh = <["x"=4]>
func.func @embedding_rows(%table: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %ids: tensor<8x3xi32>) -> tensor<8x3x8xf32> {
  %0 = "stablehlo.gather"(%table, %ids) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 8>} : (tensor<10x8xf32>, tensor<8x3xi32>) -> tensor<8x3x8xf32>
  return %0 : tensor<8x3x8xf32>
}
