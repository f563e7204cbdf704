// RUN: heddle-opt %s --split-input-file --verify-diagnostics

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: there is no mesh @none}}
func.func @mesh(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@none, [{}, {}]>}) { return }

// -----

sdy.mesh @one = <[], device_ids=[1]>
// expected-error @below {{argument 0: a value on one device has no axes and dimensions to lie over}}
func.func @single(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@one, [{}, {}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: '!stablehlo.token' is no tensor}}
func.func @token(%a: !stablehlo.token {sdy.sharding = #sdy.sharding<@grid, [], replicated={"r"}>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: 'tensor<*xf32>' has no rank: it cannot be sharded}}
func.func @unranked(%a: tensor<*xf32> {sdy.sharding = #sdy.sharding<@grid, [{}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: the sharding is for rank 1, but 'tensor<8x6xf32>' has rank 2}}
func.func @rank(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: dimension 0 is empty and closed: its priority means nothing}}
func.func @priority(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}p1, {}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: the mesh has no axis "x"}}
func.func @unknown(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: axis "r":(0)2 has a pre-size below 1}}
func.func @pre(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r":(0)2}, {}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: axis "r":(2)1 has a size below 2}}
func.func @size(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r":(2)1}, {}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: axis "r":(1)8 is all of its axis; write "r"}}
func.func @whole(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r":(1)8}, {}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: axis "r":(2)3 does not divide axis "r" of size 8}}
func.func @divide(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r":(2)3}, {}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: axes "r":(1)2 and "r":(2)4 are one: write "r"}}
func.func @one(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r":(1)2, "r":(2)4}, {}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: axis "c" is used twice}}
func.func @twice(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"c"}, {"c"}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: axes "r":(1)4 and "r":(2)2 overlap}}
func.func @overlap(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r":(1)4}, {"r":(2)2}]>}) { return }

// -----

sdy.mesh @long = <["r"=12]>
// expected-error @below {{argument 0: axes "r":(1)2 and "r":(3)2 cannot be parts of one axis}}
func.func @parts(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@long, [{"r":(1)2}, {"r":(3)2}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: replicated axes must stand in the order of the mesh: "r" before "c"}}
func.func @replicated(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], replicated={"c", "r"}>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{argument 0: unreduced axes must stand in the order of the mesh}}
func.func @unreduced(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], unreduced={"c", "r"}>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{result 0: the mesh has no axis "x"}}
func.func @result(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}) { return %a : tensor<8xf32> }

// -----

// expected-error @below {{argument 0: sdy.sharding must be a #sdy.sharding}}
func.func @kind(%a: tensor<8xf32> {sdy.sharding = 1}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @value(%a: tensor<8xf32>) {
  // expected-error @below {{sdy.sharding must be a #sdy.sharding_per_value}}
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding<@grid, [{}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @count(%a: tensor<8xf32>) {
  // expected-error @below {{has 1 result, but 0 shardings for them}}
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{expected a priority such as p1, not px}}
func.func @text(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r"}px]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{priority p00 begins with a zero}}
func.func @text(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r"}p00]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{is too large}}
func.func @text(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r"}p99999999999999999999]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{expected the name of an axis in quotes}}
func.func @text(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{r}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{has size 0: at least 2 is wanted}}
func.func @text(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r":(1)0}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{expected the name of a mesh, such as @mesh}}
func.func @text(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<grid, [{}]>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{expected replicated= or unreduced=}}
func.func @text(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}], other>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{expected unreduced=}}
func.func @text(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}], replicated={"r"}, other>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{expected the end of the sharding}}
func.func @text(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}], unreduced={"r"}, replicated={"c"}>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{expected at least one axis}}
func.func @text(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}], replicated={}>}) { return }

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
// expected-error @below {{expected sum, max or min, not most}}
func.func @text(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}], unreduced=most{"r"}>}) { return }

// -----

// expected-error @below {{axis "a" has size 0; at least 1 is wanted}}
sdy.mesh @m = <["a"=0]>

// -----

// expected-error @below {{two axes have the name "a"}}
sdy.mesh @m = <["a"=2, "a"=3]>

// -----

// expected-error @below {{the mesh has more devices than can be counted}}
sdy.mesh @m = <["a"=4294967296, "b"=4294967296]>

// -----

// expected-error @below {{device -1 is negative}}
sdy.mesh @m = <["a"=2], device_ids=[0, -1]>

// -----

// expected-error @below {{a mesh without axes has 2 devices; one is wanted}}
sdy.mesh @m = <[], device_ids=[0, 1]>

// -----

// expected-error @below {{the axes span 2 devices, but 3 are numbered}}
sdy.mesh @m = <["a"=2], device_ids=[0, 1, 2]>

// -----

// expected-error @below {{the numbers of devices must be 0 to 1, each once}}
sdy.mesh @m = <["a"=2], device_ids=[1, 2]>

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{sdy.sharding_rule must be a #sdy.op_sharding_rule}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = 1 : i64} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<?xf32>) {
  // expected-error @below {{operand 0 is 'tensor<?xf32>'; a known shape is wanted}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4}>} : tensor<?xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{operand 0 has rank 1, but the rule maps 2 dimensions}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i])->([i]) {i=4}>} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{has 1 operands, but the rule maps 2}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=4}>} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{expected a factor, such as i}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i,])->([i]) {i=4}>} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{'a' names no factors}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([a])->([i]) {i=4}>} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{expected one factor}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {ij=4}>} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{expected the size of factor i, not of j}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {j=4}>} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{operand 0 dimension 0 has factor j, which has no size}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([j])->([i]) {i=4}>} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{has factor j of size 1 beside others}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([i]) {i=4, j=1}>} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{operand 0 has factor i twice}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([ii])->([i]) {i=2}>} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{the rule has factor j of size 2, which no dimension uses}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4, j=2}>} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{the rule has factor j under permutation, but no size of it}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4} permutation={j}>} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{must be in order and each once: i stands after j}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=4, j=4} permutation={j, i}>} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{factor i under two of reduction, need_replication, permutation}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4} need_replication={i} permutation={i}>} : tensor<4xf32>
  return
}

// -----

func.func @rule(%a: tensor<4xf32>) {
  // expected-error @below {{the rule reduces factor i, which results have}}
  %0 = stablehlo.abs %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4} reduction={i}>} : tensor<4xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @edges(%a: tensor<8xf32>) {
  // expected-error @below {{sdy.propagation_edges must be a #sdy.propagation_edges}}
  %0 = stablehlo.abs %a {sdy.propagation_edges = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"r"}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @edges(%a: tensor<8xf32>) {
  // expected-error @below {{step -1 is negative}}
  %0 = stablehlo.abs %a {sdy.propagation_edges = #sdy.propagation_edges<[{step--1 = [{"r" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"r"}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @edges(%a: tensor<8xf32>) {
  // expected-error @below {{step 1 is there twice}}
  %0 = stablehlo.abs %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"r" = operand-0 -> [result-0]}]}, {step-1 = [{"r" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"r"}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @edges(%a: tensor<8xf32>) {
  // expected-error @below {{goes from a value to itself}}
  %0 = stablehlo.abs %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"r" = operand-0 -> [operand-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"r"}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @edges(%a: tensor<8xf32>) {
  // expected-error @below {{goes twice to one value}}
  %0 = stablehlo.abs %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"r" = operand-0 -> [result-0, result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"r"}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @edges(%a: tensor<8xf32>) {
  // expected-error @below {{expected a value, such as operand-0 or result-1}}
  %0 = stablehlo.abs %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"r" = input-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"r"}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @edges(%a: tensor<8xf32>) {
  // expected-error @below {{has edges at operand 1, but 1 operand}}
  %0 = stablehlo.abs %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"r" = operand-1 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"r"}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @edges(%a: tensor<8xf32>) {
  // expected-error @below {{has edges of axis "x", which no mesh of its values has}}
  %0 = stablehlo.abs %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"r"}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @edges(%a: tensor<8xf32>) {
  // expected-error @below {{neither operands nor results have a sharding}}
  %0 = stablehlo.abs %a {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"r" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @lists(%a: tensor<8xf32>) {
  // expected-error @below {{must be an array of #sdy.propagation_edges}}
  %0 = stablehlo.abs %a {sdy.result_propagation_edges = [1]} : tensor<8xf32>
  return
}

// -----

sdy.mesh @grid = <["r"=8, "c"=3, "d"=2]>
func.func @other(%a: tensor<8xf32>) {
  // expected-error @below {{expected a sharding of a tensor}}
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[#sdy.mesh_axis<"r"=4>]>} : tensor<8xf32>
  return
}
