// RUN: heddle-opt %s --heddle-sharding-propagate --split-input-file --verify-diagnostics

sdy.mesh @grid = <["x"=2]>
func.func @group(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{groups of shardings are not propagated yet}}
  sdy.sharding_group %a group_id=1 : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

sdy.mesh @grid = <["x"=2]>
func.func @priority(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}p1]>}) -> tensor<4xf32> {
  // expected-error @below {{priorities of users are not heeded by propagation yet}}
  %0 = stablehlo.abs %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
