// RUN: heddle-opt %s --heddle-sharding-propagate --split-input-file --verify-diagnostics

sdy.mesh @grid = <["x"=2]>
func.func @shapes(%a: tensor<4xf32>, %b: tensor<8xf32>) {
  // expected-note @below {{the first of the group is here}}
  sdy.sharding_group %a group_id=1 : tensor<4xf32>
  // expected-error @below {{is in a group of tensors of another shape}}
  sdy.sharding_group %b group_id=1 : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["x"=2]>
func.func @apart(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}, %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{}]>}) {
  // expected-note @below {{the first of the group is here}}
  sdy.sharding_group %a group_id=1 : tensor<4xf32>
  // expected-error @below {{does not lie as the others of its group}}
  sdy.sharding_group %b group_id=1 : tensor<4xf32>
  return
}

// -----

sdy.mesh @grid = <["x"=2]>
func.func @priority(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}p1]>}) -> tensor<4xf32> {
  // expected-error @below {{priorities of users are not heeded by propagation yet}}
  %0 = stablehlo.abs %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
