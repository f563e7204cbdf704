// What is scattered may be what it is scattered onto: updates are values from before. The same of a slice of it that moves.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare argument.mlir
// RUN: heddle compare computed.mlir
// RUN: heddle compare slice.mlir

//--- argument.mlir
func.func @main(%x: tensor<3xi64>) -> tensor<3xi64> {
  %i = stablehlo.constant dense<[2, 0, 2]> : tensor<3xui32>
  %0 = "stablehlo.scatter"(%x, %i, %x) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %c = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %c : tensor<i64>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3xi64>, tensor<3xui32>, tensor<3xi64>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}
//--- computed.mlir
func.func @main(%y: tensor<3xi64>) -> tensor<3xi64> {
  %x = stablehlo.negate %y : tensor<3xi64>
  %i = stablehlo.constant dense<[2, 0, 2]> : tensor<3xui32>
  %0 = "stablehlo.scatter"(%x, %i, %x) ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %c = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %c : tensor<i64>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3xi64>, tensor<3xui32>, tensor<3xi64>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}
//--- slice.mlir
func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {
  %i = stablehlo.constant dense<1> : tensor<i32>
  %s = stablehlo.slice %x [0:39] : (tensor<40xf32>) -> tensor<39xf32>
  %0 = stablehlo.dynamic_update_slice %x, %s, %i : (tensor<40xf32>, tensor<39xf32>, tensor<i32>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}
