// RUN: heddle-opt %s --split-input-file --verify-diagnostics

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @constraint(%a: tensor<8xf32>) {
  // expected-error @below {{the sharding is for rank 2}}
  %0 = sdy.sharding_constraint %a <@grid, [{}, {}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @kept(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], unreduced=max{"r"}>}) {
  // expected-error @below {{makes axis "r", unreduced for max, unreduced for sum}}
  %0 = sdy.sharding_constraint %a <@grid, [{}, {}], unreduced={"r"}> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @made(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // expected-error @below {{only terms of a sum can be made}}
  %0 = sdy.reshard %a <@grid, [{}, {}], unreduced=min{"r"}> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @barrier(%a: tensor<8xf32>) {
  // expected-error @below {{allows both directions: it bars nothing}}
  %0 = sdy.propagation_barrier %a allowed_direction=BOTH : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @constant() {
  // expected-error @below {{invalid kind of attribute specified}}
  %0 = sdy.constant 1.0 : f32
  return
}

// -----

func.func @in_function() {
  // expected-error @below {{expects parent op 'builtin.module'}}
  sdy.mesh @m = <["a"=2]>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @edge_rank(%a: tensor<8xf32>) {
  // expected-error @below {{the sharding is for rank 0}}
  %0 = sdy.data_flow_edge %a sharding=<@grid, []> : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @edge_shape(%a: tensor<?xf32>) {
  // expected-error @below {{a known shape is wanted}}
  %0 = sdy.data_flow_edge %a : tensor<?xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @edge_user(%a: tensor<8xf32>) {
  // expected-error @below {{is not the only user of its operand}}
  %0 = sdy.data_flow_edge %a : tensor<8xf32>
  %1 = stablehlo.abs %a : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @edge_own(%a: tensor<8xf32>) {
  // expected-note @below {{it is this one}}
  %0 = sdy.reshard %a <@grid, [{}]> : tensor<8xf32>
  // expected-error @below {{stands behind an operation of its own dialect}}
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @function_edge(%a: tensor<8xf32>) {
  // expected-error @below {{stands behind neither an argument of a function nor a result of a call}}
  %0 = stablehlo.abs %a : tensor<8xf32> %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @body(%a: tensor<8xf32>) {
  // expected-error @below {{has a body that does not end in sdy.return}}
  %0 = sdy.manual_computation(%a) in_shardings=[] out_shardings=[] manual_axes={} (%b: tensor<8xf32>) { stablehlo.return %b : tensor<8xf32> } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @axis(%a: tensor<8xf32>) {
  // expected-error @below {{is manual along axis "x", which its mesh does not have}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@grid, [{"d"}]>] out_shardings=[<@grid, [{"d"}]>] manual_axes={"x"} (%b: tensor<8xf32>) { sdy.return %b : tensor<8xf32> } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @number(%a: tensor<8xf32>) {
  // expected-error @below {{has 1 operand, but 0 shardings for them}}
  %0 = sdy.manual_computation(%a) in_shardings=[] out_shardings=[<@grid, [{"d"}]>] manual_axes={"d"} (%b: tensor<4xf32>) { sdy.return %b : tensor<4xf32> } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @order(%a: tensor<8xf32>) {
  // expected-error @below {{dimension 0 has manual axis "d" after axis "r", which is free}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@grid, [{"r", "d"}]>] out_shardings=[<@grid, [{"d"}]>] manual_axes={"d"} (%b: tensor<4xf32>) { sdy.return %b : tensor<4xf32> } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @part(%a: tensor<8xf32>) {
  // expected-error @below {{operand 0 is 'tensor<8xf32>' in the body; a device's part of 'tensor<8xf32>' is 'tensor<4xf32>'}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@grid, [{"d"}]>] out_shardings=[<@grid, [{"d"}]>] manual_axes={"d"} (%b: tensor<8xf32>) { sdy.return %b : tensor<8xf32> } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @given(%a: tensor<8xf32>) {
  // expected-error @below {{has 1 results, but its body has 0}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@grid, [{"d"}]>] out_shardings=[<@grid, [{"d"}]>] manual_axes={"d"} (%b: tensor<4xf32>) { sdy.return } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @inner(%a: tensor<8xf32>) {
  // expected-note @below {{it is manual here}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@grid, [{"d"}]>] out_shardings=[<@grid, [{"d"}]>] manual_axes={"d"} (%b: tensor<4xf32>) {
    // expected-error @below {{uses axis "d", along which the enclosing computation is manual}}
    %1 = sdy.sharding_constraint %b <@grid, [{"d"}]> : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @named_end(%a: tensor<8xf32>) {
  // expected-error @below {{has a body that does not end in sdy.return}}
  %0 = sdy.named_computation<"f">(%a) (%b: tensor<8xf32>) { stablehlo.return %b : tensor<8xf32> } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @named_passes(%a: tensor<8xf32>) {
  // expected-error @below {{to a body that takes 'tensor<4xf32>'}}
  %0 = sdy.named_computation<"f">(%a) (%b: tensor<4xf32>) { sdy.return %b : tensor<4xf32> } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @named_gives(%a: tensor<8xf32>) {
  // expected-error @below {{gives 'tensor<8xf32>', but its body gives }}
  %0 = sdy.named_computation<"f">(%a) (%b: tensor<8xf32>) { sdy.return } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @named_in(%a: tensor<8xf32>) {
  // expected-error @below {{has 1 operand, but 0 shardings for them}}
  %0 = sdy.named_computation<"f">(%a) in_shardings=[] (%b: tensor<8xf32>) { sdy.return %b : tensor<8xf32> } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @named_out(%a: tensor<8xf32>) {
  // expected-error @below {{has 1 result, but 0 shardings for them}}
  %0 = sdy.named_computation<"f">(%a) out_shardings=[] (%b: tensor<8xf32>) { sdy.return %b : tensor<8xf32> } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @unknown(%a: tensor<8x6xf32>) {
  // expected-error @below {{has an operand of which no sharding is known}}
  %0 = sdy.all_gather [{}, {}] %a out_sharding=<@grid, [{}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @other = <["r"=2]>
sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-note @below {{the operand lies on #sdy.mesh<["r"=8, "c"=3, "d"=2]>}}
func.func @meshes(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // expected-error @below {{goes from one mesh to another, #sdy.mesh<["r"=2]>}}
  %0 = sdy.all_slice [{}, {}] %a out_sharding=<@other, [{}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @lists(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // expected-error @below {{has axes for 1 dimensions, but a result of rank 2}}
  %0 = sdy.all_slice [{}] %a out_sharding=<@grid, [{}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @gathered(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r"}, {}]>}) {
  // expected-error @below {{takes axis "d" from dimension 0 of its operand, which lies over {"r"}}}
  %0 = sdy.all_gather [{"d"}, {}] %a out_sharding=<@grid, [{"r"}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @left(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r", "d"}, {}]>}) {
  // expected-error @below {{leaves dimension 0 over {"r"}, but its result lies over {}}}
  %0 = sdy.all_gather [{"d"}, {}] %a out_sharding=<@grid, [{}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @sliced(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // expected-error @below {{leaves dimension 0 over {"d"}, but its result lies over {}}}
  %0 = sdy.all_slice [{"d"}, {}] %a out_sharding=<@grid, [{}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @nothing(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // expected-error @below {{moves no axes}}
  %0 = sdy.all_to_all [] %a out_sharding=<@grid, [{}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @range(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"d"}, {}]>}) {
  // expected-error @below {{moves axes from or to dimension 2 of a tensor of rank 2}}
  %0 = sdy.all_to_all [{"d"}: 0->2] %a out_sharding=<@grid, [{}, {"d"}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @again(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"d"}, {}]>}) {
  // expected-error @below {{moves axes from or to dimension 0 twice}}
  %0 = sdy.all_to_all [{"d"}: 0->0] %a out_sharding=<@grid, [{}, {"d"}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @sources(%a: tensor<2x2x2x2xf32> {sdy.sharding = #sdy.sharding<@grid, [{"d"}, {}, {"c"}, {}]>}) {
  // expected-error @below {{moves axes from dimension 0 after those from dimension 2}}
  %0 = sdy.all_to_all [{"c"}: 2->3, {"d"}: 0->1] %a out_sharding=<@grid, [{}, {"d"}, {}, {"c"}]> : tensor<2x2x2x2xf32>
  return
}

// -----

sdy.mesh @same = <["r"=8, "c"=3, "d"=2]>
sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-note @below {{the operand lies on}}
func.func @same_devices(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // expected-error @below {{whose devices are the same; name the same mesh}}
  %0 = sdy.collective_permute %a out_sharding=<@same, [{}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @permuted(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"d"}, {}]>}) {
  // expected-error @below {{cuts dimension 0 into 3 parts, but its operand into 2}}
  %0 = sdy.collective_permute %a out_sharding=<@grid, [{"c"}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @reduced_cut(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"d"}, {}]>}) {
  // expected-error @below {{joins over axis "d", along which its operand is cut or replicated}}
  %0 = sdy.all_reduce {"d"} %a out_sharding=<@grid, [{"d"}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @reduced_kept(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], unreduced={"d"}>}) {
  // expected-error @below {{joins over axis "d", along which its result is unreduced}}
  %0 = sdy.all_reduce {"d"} %a out_sharding=<@grid, [{}, {}], unreduced={"d"}> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @reduced_order(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // expected-error @below {{reduced axes must stand in the order of the mesh}}
  %0 = sdy.all_reduce {"d", "r"} %a out_sharding=<@grid, [{}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @reduced_kind(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], unreduced=max{"d"}>}) {
  // expected-error @below {{joins by sum what is unreduced for max}}
  %0 = sdy.all_reduce {"d"} %a out_sharding=<@grid, [{}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @reduced_new(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // expected-error @below {{has a result unreduced over "d", which its operand is not}}
  %0 = sdy.all_reduce {} %a out_sharding=<@grid, [{}, {}], unreduced={"d"}> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @scattered(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // expected-error @below {{leaves dimension 0 over {"d"}, but its result lies over {}}}
  %0 = sdy.reduce_scatter [{"d"}, {}] %a out_sharding=<@grid, [{}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @terms(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"d"}, {}]>}) {
  // expected-error @below {{leaves axes {"d"} unreduced, but its result has {}}}
  %0 = sdy.sharded_to_unreduced [{"d"}, {}] %a out_sharding=<@grid, [{}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @terms_kind(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // expected-error @below {{gives terms of a sum, not of 'max'}}
  %0 = sdy.replicated_to_unreduced {"d"} %a out_sharding=<@grid, [{}, {}], unreduced=max{"d"}> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @terms_none(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // expected-error @below {{names no axes}}
  %0 = sdy.replicated_to_unreduced {} %a out_sharding=<@grid, [{}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @terms_cut(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"d"}, {}]>}) {
  // expected-error @below {{makes terms along axis "d", along which its operand is cut}}
  %0 = sdy.replicated_to_unreduced {"d"} %a out_sharding=<@grid, [{"d"}, {}]> : tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @terms_again(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], unreduced={"d"}>}) {
  // expected-error @below {{makes terms along axis "d", along which its operand is unreduced}}
  %0 = sdy.replicated_to_unreduced {"d"} %a out_sharding=<@grid, [{}, {}], unreduced={"d"}> : tensor<8x6xf32>
  return
}
