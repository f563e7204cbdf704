// What is left behind the partition: cuts as numbers, and how many ranks there are.
// RUN: heddle-opt %s --heddle-ranks --split-input-file | FileCheck %s

// CHECK: module attributes {heddle.mesh = {{\[\[}}"x", 2], ["y", 4]], heddle.ranks = 8 : i32
// CHECK-NOT: sdy
sdy.mesh @grid = <["x"=2, "y"=4]>
// CHECK: func.func @main(
// CHECK-SAME: tensor<4x2xf32> {heddle.cuts = array<i64: 0, 2, 4, 1, 4, 1>, heddle.whole = tensor<8x8xf32>},
// Half of an axis: the coarse half has the larger divisor.
// CHECK-SAME: tensor<4xf32> {heddle.cuts = array<i64: 0, 2, 2>, heddle.whole = tensor<8xf32>},
// A part as large as the whole is cut all the same: the other ranks have nothing.
// CHECK-SAME: tensor<1xf32> {heddle.cuts = array<i64: 0, 2, 4>, heddle.whole = tensor<1xf32>},
// CHECK-SAME: tensor<3xf32>)
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {"y"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"y":(1)2}]>}, %c: tensor<1xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}, %d: tensor<3xf32> {sdy.sharding = #sdy.sharding<@grid, [{}]>}) -> tensor<3xf32> {
  return %d : tensor<3xf32>
}

// -----

// CHECK: module attributes {heddle.mesh = {{\[\[}}"r", 3]], heddle.places = array<i64: 1, 2, 0>, heddle.ranks = 3 : i32
sdy.mesh @ring = <["r"=3], device_ids=[2, 0, 1]>
// CHECK: tensor<2xf32> {heddle.cuts = array<i64: 0, 3, 1>, heddle.whole = tensor<5xf32>}
func.func @main(%a: tensor<5xf32> {sdy.sharding = #sdy.sharding<@ring, [{"r"}]>}) -> tensor<5xf32> {
  return %a : tensor<5xf32>
}

// -----

// Only a constant is cut: no argument names the mesh.
// CHECK: module attributes {heddle.mesh = {{\[\[}}"r", 2]], heddle.places = array<i64: 1, 0>, heddle.ranks = 2 : i32
sdy.mesh @ring = <["r"=2], device_ids=[1, 0]>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: dist.part
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@ring, [{"r"}]>]>} dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = stablehlo.add %a, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
