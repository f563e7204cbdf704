// Parts of one axis that no order of places has both of are not cut over together.
// RUN: %heddle_build/test/unit/Sharding/partitioned-programs --file %s | FileCheck %s

// Halves of six devices in a row, and every second device: a tensor that is cut over the halves is gathered before it is cut over the others.
// CHECK: halves_and_seconds: equal
sdy.mesh @mesh = <["x"=6]>
func.func @halves_and_seconds(%a: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<2x2x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(3)2}, {"x":(1)3}]>}) {
  %0 = stablehlo.reshape %a : (tensor<4x4xi32>) -> tensor<2x2x4xi32>
  return %0 : tensor<2x2x4xi32>
}
