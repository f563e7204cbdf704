// From launches on tensors to commands on buffers.

#ifndef HEDDLE_PASSES_PLAN_PASSES_TD
#define HEDDLE_PASSES_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignPlacement : Pass<"heddle-assign-placement", "::mlir::ModuleOp"> {
  let summary = "says of every launch on which device it runs";
  let description = [{
    By the first rule that matches the name of one of its nodes, else in the order
    of the program. Launches in the condition of a loop, functions that the
    loading program provides, kernels that say so (`kernel.host`), and what
    computes a size or is told one that the program computes stay on the cpu. What
    is laid out at load (`kernel.at_load`) is laid out where its one reader runs.
    Without devices nothing changes.

    ```mlir
    %0 = kernel.launch @k0(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("fc1")
    ```
    ==> with `devices=cpu,sim rules=fc1*=sim`
    ```mlir
    %0 = kernel.launch @k0(%x) {kernel.place = "sim:0"} : (tensor<4xf32>) -> tensor<4xf32> loc("fc1")
    ```
  }];
  let options = [
    ListOption<"devices", "devices", "std::string", "Names of devices, as cpu, sim and sim:1">,
    ListOption<"rules", "rules", "std::string", "NODES=DEVICE, the first that matches decides; NODES is a pattern with * and ?">,
    Option<"by", "by", "std::string", "\"\"",
           "How the rest is spread: parts, first, alternate or random:SEED; by default parts, with rules first">,
    Option<"isPiece", "is-piece", "bool", "false", "Rules may match nothing">
  ];
  let dependentDialects = ["::heddle::kernel::KernelDialect"];
}

def InsertTransfers : Pass<"heddle-insert-transfers", "::mlir::ModuleOp"> {
  let summary = "brings values to the devices that read them";
  let description = [{
    Each value once to each device, and by way of the process's memory from one
    device to another.

    ```mlir
    %0 = kernel.launch @k0(%x) {kernel.place = "sim:0"} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
    ```
    ==>
    ```mlir
    %x0 = kernel.transfer %x to "sim:0" : tensor<4xf32>
    %0 = kernel.launch @k0(%x0) {kernel.place = "sim:0"} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = kernel.transfer %0 to "cpu" : tensor<4xf32>
    return %1 : tensor<4xf32>
    ```

    Entries are marked with `heddle.place` where a state lies on a device, and, with `tensors`, what callers give and take.
  }];
  let options = [Option<"tensors", "tensors", "bool", "false", "Inputs and outputs lie on the devices that alone use them">];
  let dependentDialects = ["::heddle::kernel::KernelDialect"];
}

def BuildPlan : Pass<"heddle-build-plan", "::mlir::ModuleOp"> {
  let summary = "gives every tensor of the program a buffer, and every buffer a place";
  let description = [{
    Results are written where the caller wants them if nothing else lives
    there; a reshape is the same buffer; a kernel writes over an input that dies
    with it where it may. What remains shares one arena on each device: buffers
    that are alive at the same time do not overlap.

    A queue runs its commands in order. Launches of a device that do not need each
    other's results are spread over its queues, if it can have several. Where one
    queue waits for another, the command that is waited for signals an event;
    waits that follow from others are left out. A place is used again only by commands that come after its last
    use whatever the devices' speed. Weights that a device reads are copied there
    by the program `init`, when the artifact is loaded; it also runs the launches
    that lay out weights (`kernel.at_load`). Launches whose kernels name a size that
    the program computes come behind a `plan.count` of it.

    ```mlir
    func.func @main(%x: tensor<64xf32> {heddle.name = "x"}) -> (tensor<64xf32> {heddle.name = "y"}) {
      %0 = kernel.launch @k0(%x) : (tensor<64xf32>) -> tensor<64xf32>
      return %0 : tensor<64xf32>
    }
    ```
    ==>
    ```mlir
    plan.program @main arena 0 {
      %0 = plan.buffer input 0 size 256 "x"
      %1 = plan.buffer output 0 size 256 "y"
      plan.launch @k0 reads(%0) writes(%1) nodes []
    }
    ```
  }];
  let dependentDialects = ["::heddle::plan::PlanDialect"];
}

#endif // HEDDLE_PASSES_PLAN_PASSES_TD
