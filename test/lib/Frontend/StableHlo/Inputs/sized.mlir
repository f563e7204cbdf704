// Sizes that are operands, in each form that has them.
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x?xf32>, %i: tensor<i32>) -> (tensor<?x4xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<1x?x2xf32>, tensor<?x3xf32>) {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %nothing = stablehlo.constant dense<0> : tensor<2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %as = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %bs = stablehlo.get_dimension_size %y, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %holds = stablehlo.compare GE, %as, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%holds, %as) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %least = stablehlo.minimum %as, %bs : tensor<i32>
  %half = stablehlo.divide %bs, %two : tensor<i32>
  %rest = stablehlo.remainder %bs, %two : tensor<i32>
  %sum = stablehlo.add %half, %rest : tensor<i32>
  %chosen = stablehlo.select %holds, %sum, %least : tensor<i1>, tensor<i32>
  %a = stablehlo.reshape %as : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.reshape %bs : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.reshape %chosen : (tensor<i32>) -> tensor<1xi32>
  %positions = stablehlo.dynamic_iota %c, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %ab = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %turned = stablehlo.transpose %y, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %again = stablehlo.dynamic_reshape %turned, %ab : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %wide = stablehlo.dynamic_pad %again, %zero, %ab, %ones, %nothing : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %limits = stablehlo.add %ab, %ones : tensor<2xi32>
  %cut = stablehlo.real_dynamic_slice %wide, %ones, %limits, %ones : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %shorter = stablehlo.set_dimension_size %wide, %as, dim = 1 : (tensor<?x?xf32>, tensor<i32>) -> tensor<?x?xf32>
  %some = stablehlo.concatenate %one, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %places = stablehlo.dynamic_broadcast_in_dim %i, %a, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
  %rows = "stablehlo.dynamic_gather"(%wide, %places, %some) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<?x?xf32>, tensor<?xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %shape = stablehlo.concatenate %one, %a, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %signal = stablehlo.dynamic_broadcast_in_dim %zero, %shape, dims = [] : (tensor<f32>, tensor<3xi32>) -> tensor<1x?x1xf32>
  %kernel = stablehlo.constant dense<1.0> : tensor<3x1x2xf32>
  %ends = stablehlo.concatenate %a, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %padding = stablehlo.reshape %ends : (tensor<2xi32>) -> tensor<1x2xi32>
  %conv = "stablehlo.dynamic_conv"(%signal, %kernel, %padding) {window_strides = array<i64: 2>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x?x1xf32>, tensor<3x1x2xf32>, tensor<1x2xi32>) -> tensor<1x?x2xf32>
  %window = stablehlo.concatenate %a, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %before = stablehlo.subtract %a, %one : tensor<1xi32>
  %low = stablehlo.concatenate %before, %nothing, %nothing, dim = 0 : (tensor<1xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<5xi32>
  %amounts = stablehlo.slice %low [0:4] : (tensor<5xi32>) -> tensor<4xi32>
  %pads = stablehlo.reshape %amounts : (tensor<4xi32>) -> tensor<2x2xi32>
  %sums = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %pads) {called_computations = [@sum]} : (tensor<?x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x4xf32>
  %top, %where = stablehlo.custom_call @stablehlo.dynamic_top_k(%sums, %three) : (tensor<?x4xf32>, tensor<i32>) -> (tensor<?x3xf32>, tensor<?x3xi32>)
  %twice = call @twice(%sums) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %looped = stablehlo.while(%carried = %twice) : tensor<?x4xf32> cond {
    %go = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %carried, %x : tensor<?x4xf32>
    stablehlo.return %next : tensor<?x4xf32>
  }
  %all = stablehlo.add %rows, %cut : tensor<?x?xf32>
  return %looped, %all, %positions, %conv, %top : tensor<?x4xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<1x?x2xf32>, tensor<?x3xf32>
}
func.func private @twice(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.add %x, %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func private @sum(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %y : tensor<f32>
  return %0 : tensor<f32>
}
