// RUN: heddle-opt %s --heddle-sharding-read-older --split-input-file --verify-diagnostics

// expected-error @below {{has mhlo.sharding, and no mesh whose axes it could be said in}}
module {
  func.func @f(%a: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
    return
  }
}

// -----

sdy.mesh @one = <["x"=2]>
// expected-error @below {{is one mesh of several: which of them mhlo.sharding means is not known}}
sdy.mesh @two = <["y"=2]>
func.func @f(%a: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=4]>
// expected-error @below {{has mhlo.sharding "{devices=[2]<=[2]}", which is not read: it is for 2 devices, the mesh has 4}}
func.func @f(%a: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=4]>
// expected-error @below {{which is not read: it cuts 2 dimensions of 1}}
func.func @f(%a: tensor<8xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=4]>
// expected-error @below {{which is not read: it is one device of several; such values are not partitioned yet}}
func.func @f(%a: tensor<8xf32> {mhlo.sharding = "{maximal device=1}"}) {
  return
}

// -----

// Axes of 3 and 2 cannot say what goes in halves of six.
sdy.mesh @mesh = <["x"=3, "y"=2]>
// expected-error @below {{which is not read: its tiles do not go along axes of the mesh: name others by --mesh, or others first}}
func.func @f(%a: tensor<8xf32> {mhlo.sharding = "{devices=[2,3]<=[6] last_tile_dim_replicate}"}) {
  return
}

// -----

// The order of the devices of one dimension depends on the other.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error @below {{which is not read: its tiles do not go along axes of the mesh}}
func.func @f(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]0,1,3,2}"}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error @below {{which is not read: parts that are manual along some axes only are not read}}
func.func @f(%a: tensor<8xf32> {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dims={manual}}"}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error @below {{which is not read: "last" is not known}}
func.func @f(%a: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2] last}"}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error @below {{which is not read: it has fewer tiles than subgroups}}
func.func @f(%a: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2] last_tile_dims={replicated, replicated}}"}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error @below {{which is not read: its devices are not those of its tiles}}
func.func @f(%a: tensor<8xf32> {mhlo.sharding = "{devices=[2]0,0}"}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error @below {{which is not read: its devices are not those of its tiles}}
func.func @f(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4294967296,4294967296]<=[2]}"}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error @below {{which is not read: its devices are not those of its tiles}}
func.func @f(%a: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]T(0,0)}"}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error @below {{which is not read: it is none of {replicated}, {manual} and {devices=[...]...}}}
func.func @f(%a: tensor<8xf32> {mhlo.sharding = "everywhere"}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%a: tensor<8xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{stands for itself; what jax writes for shard_map is read, a call of parts between such operations}}
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%a: tensor<8xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<4xf32>
  // expected-error @below {{computes on parts, between which and the rest of the program stands more than SPMDFullToShardShape and SPMDShardToFullShape; what jax writes for shard_map is read}}
  %2 = func.call @body(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @body(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{has a backend_config that is not read: "everything"}}
  %0 = stablehlo.custom_call @Sharding(%a) {backend_config = "everything", mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%a: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @below {{gives another type than it takes}}
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicated}"} : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%a: tensor<8x2xf32>) -> tensor<8xf32> {
  // expected-error @below {{has mhlo.sharding "{devices=[2]<=[2]}", which is not read: it has 2 results}}
  %0:2 = stablehlo.custom_call @pair(%a) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8x2xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<8xf32>
}
