// RUN: heddle-opt %s --heddle-sharding-partition --split-input-file --verify-diagnostics

sdy.mesh @line = <["x"=2]>
func.func @device(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<ui32> {
  // expected-error @below {{speaks of devices outside of a computation by hand}}
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}

// -----

sdy.mesh @line = <["x"=2]>
func.func @begun(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<16xf32> {
  // expected-error @below {{speaks of devices outside of a computation by hand}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%y: tensor<8xf32>):
    %all = "stablehlo.all_gather"(%y) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<8xf32>) -> tensor<16xf32>
    stablehlo.return %all : tensor<16xf32>
  }) : (tensor<8xf32>) -> !stablehlo.future<tensor<16xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<16xf32>>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

sdy.mesh @line = <["x"=2]>
func.func @effect(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<8xf32> {
  // expected-error @below {{has an effect that each of the devices of a mesh would have}}
  %0 = stablehlo.custom_call @print(%x) {has_side_effect = true} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @line = <["x"=2]>
sdy.mesh @other = <["y"=2]>
// expected-note @below {{the first mesh is used here}}
func.func @meshes(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<8xf32> {
  // expected-error @below {{lies over another mesh}}
  %0 = sdy.reshard %x <@other, [{"y"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @line = <["x"=2]>
sdy.mesh @one = <[], device_ids=[1]>
func.func @alone(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<8xf32> {
  // expected-error @below {{lies on one device of several}}
  %0 = sdy.reshard %x <@one, []> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @line = <["x"=2]>
func.func @terms(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{}]>}) -> tensor<8xf32> {
  // expected-error @below {{has terms that are not joined}}
  %0 = sdy.reshard %x <@line, [{}], unreduced={"x"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @line = <["x"=2]>
// expected-error @below {{has a size that is not known before a call}}
func.func @open(%x: tensor<?x8xf32> {sdy.sharding = #sdy.sharding<@line, [{}, {"x"}]>}) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}

// -----

sdy.mesh @line = <["x"=2]>
// expected-error @below {{takes or gives parts of unequal size of 'tensor<5x!quant.uniform<i8:f32, 5.000000e-01>>', whose elements have no padding}}
func.func @stored(%x: tensor<5x!quant.uniform<i8:f32, 0.5>> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>})
    -> tensor<5x!quant.uniform<i8:f32, 0.5>> {
  return %x : tensor<5x!quant.uniform<i8:f32, 0.5>>
}
