// Extents of 0 and ranks of 0, compiled against interpreted: one program per operation.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare shapes.mlir
// RUN: heddle compare sums.mlir
// RUN: heddle compare places.mlir
// RUN: heddle compare convolutions.mlir

//--- shapes.mlir
func.func @main(%padc_x: tensor<2x0xf32>, %padc_z: tensor<f32>,
                %padcut_x: tensor<5xf32>,
                %concat_x: tensor<0x3xf32>, %concat_y: tensor<2x3xf32>,
                %concat0_x: tensor<0x3xf32>, %concat0_y: tensor<0x3xf32>,
                %reshape_x: tensor<0x3xf32>,
                %reshape2_x: tensor<0x3xf32>,
                %transpose_x: tensor<0x3x1xf32>,
                %broadcast_x: tensor<1xf32>,
                %iota_x: tensor<1xf32>,
                %gather_x: tensor<4x3xf32>, %gather_i: tensor<0x1xi32>,
                %reverse0_x: tensor<0x4xf32>,
                %ds_x: tensor<4xf32>, %ds_i: tensor<i32>,
                %ds0_x: tensor<f32>,
                %dus_x: tensor<4xf32>, %dus_u: tensor<0xf32>, %dus_i: tensor<i32>,
                %dus0_x: tensor<f32>, %dus0_u: tensor<f32>)
    -> (tensor<2x5xf32>, tensor<0xf32>, tensor<2x3xf32>, tensor<0x3xf32>, tensor<5x0xf32>, tensor<5x0x2x2xf32>, tensor<3x1x0xf32>, tensor<0x4xf32>, tensor<0x4xi32>, tensor<0x3xf32>, tensor<0x4xf32>, tensor<0xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>) {
  %padc_0 = stablehlo.pad %padc_x, %padc_z, low = [0, 2], high = [0, 3], interior = [0, 1] : (tensor<2x0xf32>, tensor<f32>) -> tensor<2x5xf32>
  %padcut_z = stablehlo.constant dense<1.0> : tensor<f32>
  %padcut_0 = stablehlo.pad %padcut_x, %padcut_z, low = [-2], high = [-3], interior = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<0xf32>
  %concat_0 = stablehlo.concatenate %concat_x, %concat_y, %concat_x, dim = 0 : (tensor<0x3xf32>, tensor<2x3xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  %concat0_0 = stablehlo.concatenate %concat0_x, %concat0_y, dim = 0 : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  %reshape_0 = stablehlo.reshape %reshape_x : (tensor<0x3xf32>) -> tensor<5x0xf32>
  %reshape2_1 = stablehlo.negate %reshape2_x : tensor<0x3xf32>
  %reshape2_0 = stablehlo.reshape %reshape2_1 : (tensor<0x3xf32>) -> tensor<5x0x2x2xf32>
  %transpose_0 = stablehlo.transpose %transpose_x, dims = [1, 2, 0] : (tensor<0x3x1xf32>) -> tensor<3x1x0xf32>
  %broadcast_0 = stablehlo.broadcast_in_dim %broadcast_x, dims = [0] : (tensor<1xf32>) -> tensor<0x4xf32>
  %iota_0 = stablehlo.iota dim = 0 : tensor<0x4xi32>
  %gather_0 = "stablehlo.gather"(%gather_x, %gather_i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<0x1xi32>) -> tensor<0x3xf32>
  %reverse0_0 = stablehlo.reverse %reverse0_x, dims = [0] : tensor<0x4xf32>
  %ds_0 = stablehlo.dynamic_slice %ds_x, %ds_i, sizes = [0] : (tensor<4xf32>, tensor<i32>) -> tensor<0xf32>
  %ds0_0 = stablehlo.dynamic_slice %ds0_x, sizes = [] : (tensor<f32>) -> tensor<f32>
  %dus_0 = stablehlo.dynamic_update_slice %dus_x, %dus_u, %dus_i : (tensor<4xf32>, tensor<0xf32>, tensor<i32>) -> tensor<4xf32>
  %dus0_0 = stablehlo.dynamic_update_slice %dus0_x, %dus0_u : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %padc_0, %padcut_0, %concat_0, %concat0_0, %reshape_0, %reshape2_0, %transpose_0, %broadcast_0, %iota_0, %gather_0, %reverse0_0, %ds_0, %ds0_0, %dus_0, %dus0_0 : tensor<2x5xf32>, tensor<0xf32>, tensor<2x3xf32>, tensor<0x3xf32>, tensor<5x0xf32>, tensor<5x0x2x2xf32>, tensor<3x1x0xf32>, tensor<0x4xf32>, tensor<0x4xi32>, tensor<0x3xf32>, tensor<0x4xf32>, tensor<0xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>
}
//--- sums.mlir
func.func @main(%reduce_x: tensor<3x0xf32>,
                %reduceall_x: tensor<0xi32>, %reduceall_z: tensor<i32>,
                %dot_x: tensor<3x0xf32>, %dot_y: tensor<0x4xf32>,
                %dotbias_x: tensor<3x0xf32>, %dotbias_y: tensor<0x4xf32>, %dotbias_b: tensor<3x4xf32>,
                %dot0_x: tensor<0x3xf32>, %dot0_y: tensor<3x4xf32>,
                %pad_x: tensor<0xf32>,
                %reduce0d_x: tensor<f32>,
                %reducenone_x: tensor<3xf32>,
                %rw_x: tensor<0x3xf32>,
                %rw0_x: tensor<f32>)
    -> (tensor<3xf32>, tensor<i32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<0x4xf32>, tensor<5xf32>, tensor<f32>, tensor<3xf32>, tensor<2x3xf32>, tensor<f32>) {
  %reduce_z = stablehlo.constant dense<1.0> : tensor<f32>
  %reduce_0 = stablehlo.reduce(%reduce_x init: %reduce_z) applies stablehlo.add across dimensions = [1] : (tensor<3x0xf32>, tensor<f32>) -> tensor<3xf32>
  %reduceall_0 = stablehlo.reduce(%reduceall_x init: %reduceall_z) applies stablehlo.add across dimensions = [0] : (tensor<0xi32>, tensor<i32>) -> tensor<i32>
  %dot_0 = stablehlo.dot_general %dot_x, %dot_y, contracting_dims = [1] x [0] : (tensor<3x0xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>
  %dotbias_1 = stablehlo.dot_general %dotbias_x, %dotbias_y, contracting_dims = [1] x [0] : (tensor<3x0xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>
  %dotbias_0 = stablehlo.add %dotbias_1, %dotbias_b : tensor<3x4xf32>
  %dot0_0 = stablehlo.dot_general %dot0_x, %dot0_y, contracting_dims = [1] x [0] : (tensor<0x3xf32>, tensor<3x4xf32>) -> tensor<0x4xf32>
  %pad_z = stablehlo.constant dense<1.0> : tensor<f32>
  %pad_0 = stablehlo.pad %pad_x, %pad_z, low = [2], high = [3], interior = [1] : (tensor<0xf32>, tensor<f32>) -> tensor<5xf32>
  %reduce0d_z = stablehlo.constant dense<1.0> : tensor<f32>
  %reduce0d_0 = stablehlo.reduce(%reduce0d_x init: %reduce0d_z) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %reducenone_z = stablehlo.constant dense<1.0> : tensor<f32>
  %reducenone_0 = stablehlo.reduce(%reducenone_x init: %reducenone_z) applies stablehlo.add across dimensions = [] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %rw_z = stablehlo.constant dense<1.0> : tensor<f32>
  %rw_0 = "stablehlo.reduce_window"(%rw_x, %rw_z) <{window_dimensions = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%rw_a: tensor<f32>, %rw_b: tensor<f32>):
  %rw_s = stablehlo.add %rw_a, %rw_b : tensor<f32>
  stablehlo.return %rw_s : tensor<f32>
  }) : (tensor<0x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %rw0_z = stablehlo.constant dense<1.0> : tensor<f32>
  %rw0_0 = "stablehlo.reduce_window"(%rw0_x, %rw0_z) <{window_dimensions = array<i64>}> ({
  ^bb0(%rw0_a: tensor<f32>, %rw0_b: tensor<f32>):
  %rw0_s = stablehlo.add %rw0_a, %rw0_b : tensor<f32>
  stablehlo.return %rw0_s : tensor<f32>
  }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %reduce_0, %reduceall_0, %dot_0, %dotbias_0, %dot0_0, %pad_0, %reduce0d_0, %reducenone_0, %rw_0, %rw0_0 : tensor<3xf32>, tensor<i32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<0x4xf32>, tensor<5xf32>, tensor<f32>, tensor<3xf32>, tensor<2x3xf32>, tensor<f32>
}
//--- places.mlir
func.func @main(%gather_x: tensor<4x3xf32>, %gather_i: tensor<0x1xi32>,
                %gathernone_x: tensor<4x3xf32>, %gathernone_i: tensor<2x0xi32>,
                %scatter_x: tensor<4x3xf32>, %scatter_i: tensor<0x1xi32>, %scatter_u: tensor<0x3xf32>,
                %scatternone_x: tensor<4x3xf32>, %scatternone_i: tensor<2x0xi32>, %scatternone_u: tensor<2x4x3xf32>,
                %scatter0_x: tensor<0xf32>, %scatter0_i: tensor<2x1xi32>, %scatter0_u: tensor<2xf32>,
                %sort_x: tensor<0x3xf32>,
                %topk_x: tensor<3x4xf32>)
    -> (tensor<0x3xf32>, tensor<2x4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<0xf32>, tensor<0x3xf32>, tensor<3x0xf32>) {
  %gather_0 = "stablehlo.gather"(%gather_x, %gather_i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<0x1xi32>) -> tensor<0x3xf32>
  %gathernone_0 = "stablehlo.gather"(%gathernone_x, %gathernone_i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [], index_vector_dim = 1>, slice_sizes = array<i64: 4, 3>}> : (tensor<4x3xf32>, tensor<2x0xi32>) -> tensor<2x4x3xf32>
  %scatter_0 = "stablehlo.scatter"(%scatter_x, %scatter_i, %scatter_u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%scatter_a: tensor<f32>, %scatter_b: tensor<f32>):
  %scatter_s = stablehlo.add %scatter_a, %scatter_b : tensor<f32>
  stablehlo.return %scatter_s : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<0x1xi32>, tensor<0x3xf32>) -> tensor<4x3xf32>
  %scatternone_0 = "stablehlo.scatter"(%scatternone_x, %scatternone_i, %scatternone_u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [], index_vector_dim = 1>}> ({
  ^bb0(%scatternone_a: tensor<f32>, %scatternone_b: tensor<f32>):
  %scatternone_s = stablehlo.add %scatternone_a, %scatternone_b : tensor<f32>
  stablehlo.return %scatternone_s : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<2x0xi32>, tensor<2x4x3xf32>) -> tensor<4x3xf32>
  %scatter0_0 = "stablehlo.scatter"(%scatter0_x, %scatter0_i, %scatter0_u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%scatter0_a: tensor<f32>, %scatter0_b: tensor<f32>):
  %scatter0_s = stablehlo.add %scatter0_a, %scatter0_b : tensor<f32>
  stablehlo.return %scatter0_s : tensor<f32>
  }) : (tensor<0xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<0xf32>
  %sort_0 = "stablehlo.sort"(%sort_x) <{dimension = 0 : i64}> ({
  ^bb0(%sort_a: tensor<f32>, %sort_b: tensor<f32>):
  %sort_s = stablehlo.compare LT, %sort_a, %sort_b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %sort_s : tensor<i1>
  }) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %topk_0, %topk_1 = chlo.top_k(%topk_x, k = 0) : tensor<3x4xf32> -> (tensor<3x0xf32>, tensor<3x0xi32>)
  return %gather_0, %gathernone_0, %scatter_0, %scatternone_0, %scatter0_0, %sort_0, %topk_0 : tensor<0x3xf32>, tensor<2x4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<0xf32>, tensor<0x3xf32>, tensor<3x0xf32>
}
//--- convolutions.mlir
func.func @main(%conv0_x: tensor<0x5x2xf32>, %conv0_w: tensor<3x2x4xf32>,
                %convi0_x: tensor<1x5x0xf32>, %convi0_w: tensor<3x0x4xf32>,
                %convs0_x: tensor<1x0x2xf32>, %convs0_w: tensor<3x2x4xf32>)
    -> (tensor<0x3x4xf32>, tensor<1x3x4xf32>, tensor<1x1x4xf32>) {
  %conv0_0 = stablehlo.convolution(%conv0_x, %conv0_w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<0x5x2xf32>, tensor<3x2x4xf32>) -> tensor<0x3x4xf32>
  %convi0_0 = stablehlo.convolution(%convi0_x, %convi0_w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x0xf32>, tensor<3x0x4xf32>) -> tensor<1x3x4xf32>
  %convs0_0 = stablehlo.convolution(%convs0_x, %convs0_w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 2]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x0x2xf32>, tensor<3x2x4xf32>) -> tensor<1x1x4xf32>
  return %conv0_0, %convi0_0, %convs0_0 : tensor<0x3x4xf32>, tensor<1x3x4xf32>, tensor<1x1x4xf32>
}
