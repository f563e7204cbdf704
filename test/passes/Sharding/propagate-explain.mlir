// RUN: heddle-opt %s --heddle-sharding-propagate="explain=true" --verify-diagnostics

sdy.mesh @grid = <["x"=2]>
func.func @f(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}) -> tensor<4xf32> {
  // expected-remark @below {{sets result 0 to #sdy.sharding<@grid, [{"x", ?}]>}}
  %0 = stablehlo.abs %a : tensor<4xf32>
  // expected-remark @below {{sets result 0 to #sdy.sharding<@grid, [{"x", ?}]>}}
  return %0 : tensor<4xf32>
}
