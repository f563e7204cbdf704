// Passes that say how tensors lie over meshes of devices.

#ifndef HEDDLE_PASSES_SHARDING_PASSES
#define HEDDLE_PASSES_SHARDING_PASSES

include "mlir/Pass/PassBase.td"

def AnnotateRules : Pass<"heddle-annotate-rules", "mlir::ModuleOp"> {
  let summary = "Write the sharding rule of each operation beside it";
  let description = [{
    ```mlir
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    ==>
    %0 = stablehlo.transpose %a, dims = [1, 0] {sdy.sharding_rule = #sdy.op_sharding_rule<([j, i])->([i, j]) {i=6, j=4}>} : ...
    ```
    Rules that operations carry already stay. Kinds of factors that the attribute does not have are written as the nearest that it has:
    halos and prefixes as permutations, ragged factors as those that need replication.
  }];
  let dependentDialects = ["heddle::sdy::SdyDialect"];
}

def ReadOlderShardings : Pass<"heddle-sharding-read-older", "mlir::ModuleOp"> {
  let summary = "Say in the words of sdy what XLA's older ones say";
  let description = [{
    `mhlo.sharding` of arguments, results and operations, calls of `@Sharding`, and what jax wrote for shard_map become shardings over the
    axes of the module's one mesh, constraints, and computations by hand.

    ```mlir
    sdy.mesh @mesh = <["data"=2, "model"=4]>
    func.func @f(%a: tensor<8x6xf32> {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"})
    ==>
    func.func @f(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {} ]>})
    ```

    Tiles that go along no axes, parts along some axes only, and values on one device are errors. A module without such words stays.
  }];
  let dependentDialects = ["heddle::sdy::SdyDialect", "heddle::stablehlo::StableHloDialect"];
}

def PropagateShardings : Pass<"heddle-sharding-propagate", "mlir::ModuleOp"> {
  let summary = "Let shardings go along operations until none changes";
  let description = [{
    From what is known of an operation's tensors, its rule tells how the others lie: axes that are there go on in tensors whose dimensions
    are open, as far as all that is known agrees. Operations are visited in their order until nothing changes.

    ```mlir
    func.func @f(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {} ]>}) -> tensor<8x4xf32> {
      %0 = stablehlo.abs %a : tensor<8x4xf32>
    ==>
      %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?} ]>]>} : tensor<8x4xf32>
    ```

    What flows into loops and out of branches lies as their results. Calls let nothing through: they are inlined before. Members of
    a group lie alike. Priorities of users are refused.
  }];
  let options = [
    Option<"strategy", "strategy", "std::string", "\"basic-and-aggressive\"",
           "`basic`: what two factors want goes nowhere; `basic-and-aggressive`: then to the one that comes from the larger tensor.">,
    Option<"byOperation", "by-operation", "bool", "true",
           "Operations that compute element by element come before others, what passes through before what is reduced, and broadcasts last.">,
    Option<"conservative", "conservative", "bool", "false", "Split no axes and cut no windows.">,
    Option<"explain", "explain", "bool", "false", "Say at each operation which shardings it sets.">];
  let dependentDialects = ["heddle::sdy::SdyDialect"];
}

def SplitConstants : Pass<"heddle-sharding-split-constants", "mlir::ModuleOp"> {
  let summary = "Give each use of a constant a copy of its own";
  let description = [{
    So that a constant may lie for each of its users as that wants, and shardings do not go through it from one to the other. The same
    of other forms of constants, such as repetitions. What the user has given a sharding stays one value.

    ```mlir
    %c = stablehlo.constant dense<0.0> : tensor<4xf32>
    %0 = stablehlo.add %a, %c : tensor<4xf32>
    %1 = stablehlo.add %b, %c : tensor<4xf32>
    ==>
    %c = stablehlo.constant dense<0.0> : tensor<4xf32>
    %d = stablehlo.constant dense<0.0> : tensor<4xf32>
    %0 = stablehlo.add %a, %c : tensor<4xf32>
    %1 = stablehlo.add %b, %d : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["heddle::sdy::SdyDialect", "heddle::stablehlo::StableHloDialect"];
}

def Partition : Pass<"heddle-sharding-partition", "mlir::ModuleOp"> {
  let summary = "Make the program of one device, which all devices of the mesh run";
  let description = [{
    Arguments, results and all between them become the parts of one device; where an operation needs more than its parts, collectives
    of StableHLO bring it. Values of which no sharding is said lie as their operation computes them.

    ```mlir
    sdy.mesh @grid = <["x"=2]>
    func.func @f(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {"x"} ]>},
                 %b: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {} ]>}) -> tensor<4x6xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    ==>
    func.func @f(%a: tensor<4x4xf32> ..., %b: tensor<4x6xf32> ...) -> tensor<4x6xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
      %1 = "stablehlo.all_reduce"(%0) (add) {replica_groups = #stablehlo.replica_group_mesh_axes<...>}
    ```

    Arguments and results that are parts keep their sharding and have the type of the whole tensor beside it, as `heddle.whole`.
  }];
  let dependentDialects = ["heddle::sdy::SdyDialect", "heddle::stablehlo::StableHloDialect"];
}

def PartConstants : Pass<"heddle-sharding-part-constants", "mlir::ModuleOp"> {
  let summary = "Let each rank have its parts of constants alone";
  let description = [{
    Where a device takes its part of a constant, that part is no slice that each call takes, but a value of its own on each rank, which
    is stored by itself and packed as any other constant.

    ```mlir
    %p = stablehlo.remainder %id, %two : tensor<i32>
    %i = stablehlo.multiply %p, %twelve : tensor<i32>
    %0 = stablehlo.dynamic_slice %w, %zero, %i, sizes = [16, 12] {heddle.cuts = array<i64: 1, 2, 1>} : (tensor<16x24xf32>, ...)
    ==>
    %0 = dist.part %w cuts [1, 2, 1] : tensor<16x24xf32> -> tensor<16x12xf32>
    ```

    A part of a weight that is dequantized by blocks, where it cuts no block, is dequantized from parts of its integers, scales and zero points;
    those that are gathered from the same parts are not gathered.
    Constants that weights do not hold, such as complex numbers, and repetitions of one number are sliced by calls.
  }];
  let dependentDialects = ["heddle::dist::DistDialect"];
}

def LeadCollectives : Pass<"heddle-sharding-lead-collectives", "mlir::ModuleOp"> {
  let summary = "Let collectives work along the first dimension";
  let description = [{
    What ranks give each other are pieces of memory that follow each other. A collective along another dimension becomes one along a new
    first dimension, between a reshape and a transpose.

    ```mlir
    %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1, ...} : (tensor<4x3xf32>) -> tensor<4x6xf32>
    ==>
    %0 = stablehlo.reshape %a : (tensor<4x3xf32>) -> tensor<1x4x3xf32>
    %1 = "stablehlo.all_gather"(%0) {all_gather_dim = 0, ...} : (tensor<1x4x3xf32>) -> tensor<2x4x3xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<2x4x3xf32>) -> tensor<4x2x3xf32>
    %3 = stablehlo.reshape %2 : (tensor<4x2x3xf32>) -> tensor<4x6xf32>
    ```
  }];
  let dependentDialects = ["heddle::stablehlo::StableHloDialect"];
}

def RecordParts : Pass<"heddle-sharding-record-parts", "mlir::ModuleOp"> {
  let summary = "Write how tensors are cut without their mesh, which is dropped";
  let description = [{
    After the partition, of each argument and result that is a part, the cuts of the whole tensor stay (a dimension, the number of parts,
    the divisor of a place on the mesh), and of the mesh the number of its devices. All of `sdy` goes.

    ```mlir
    sdy.mesh @grid = <["x"=2, "y"=2]>
    func.func @main(%a: tensor<4x4xf32> {heddle.whole = tensor<4x8xf32>, sdy.sharding = #sdy.sharding<@grid, [{}, {"x"} ]>})
    ==>
    module attributes {heddle.ranks = 4 : i32}
    func.func @main(%a: tensor<4x4xf32> {heddle.cuts = array<i64: 1, 2, 2>, heddle.whole = tensor<4x8xf32>})
    ```
  }];
  let dependentDialects = ["heddle::sdy::SdyDialect"];
}

#endif // HEDDLE_PASSES_SHARDING_PASSES
