// RUN: heddle-opt %s --heddle-assign-placement="devices=cpu,sim,sim:1" | FileCheck %s --check-prefix=PARTS
// RUN: heddle-opt %s --heddle-assign-placement="devices=cpu,sim,sim:1 by=alternate" | FileCheck %s --check-prefix=ALTERNATE
// RUN: heddle-opt %s --heddle-assign-placement="devices=cpu,sim:1 rules=layer*/b=sim:1,*=cpu" | FileCheck %s --check-prefix=RULES
// RUN: heddle-opt %s --heddle-assign-placement="devices=sim" | FileCheck %s --check-prefix=ALL
// RUN: heddle-opt %s --heddle-assign-placement="devices=cpu,sim by=random:7" > %t.1
// RUN: heddle-opt %s --heddle-assign-placement="devices=cpu,sim by=random:7" | diff - %t.1
// RUN: heddle-opt %s --heddle-assign-placement | FileCheck %s --check-prefix=NONE
// RUN: not heddle-opt %s --heddle-assign-placement="devices=cpu,sim rules=layre*=sim" 2>&1 | FileCheck %s --check-prefix=MISSED
// RUN: heddle-opt %s --heddle-assign-placement="devices=cpu,sim rules=layre*=sim is-piece" | FileCheck %s --check-prefix=NONE
// RUN: not heddle-opt %s --heddle-assign-placement="devices=cpu,sim rules=host*=sim" 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not heddle-opt %s --heddle-assign-placement="devices=cpu,tpu" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not heddle-opt %s --heddle-assign-placement="devices=cpu,hip" 2>&1 | FileCheck %s --check-prefix=NOCODE
// RUN: not heddle-opt %s --heddle-assign-placement="devices=sim:0,sim" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not heddle-opt %s --heddle-assign-placement="devices=cpu rules=a=sim" 2>&1 | FileCheck %s --check-prefix=UNNAMED
// RUN: not heddle-opt %s --heddle-assign-placement="devices=cpu by=chance" 2>&1 | FileCheck %s --check-prefix=SPREAD

// MISSED: the rule "layre*=sim" matches the name of no node that has a kernel
// HOST: the rule "host*=sim" matches the name of no node that has a kernel
// UNKNOWN: there is no device "tpu"; devices are cpu, and sim or sim:0, sim:1, ..., cuda or cuda:0, cuda:1, ...
// NOCODE: heddle makes no code for the device "hip"
// TWICE: the device "sim:0" is named twice
// UNNAMED: the rule "a=sim" wants a device that --place does not name
// SPREAD: "chance" is no way to spread a model
// NONE-NOT: kernel.place

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func private @less(tensor<4xf32>) -> tensor<i1> attributes {kernel.entry}
func.func private @host(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.custom_call = {api_version = 0 : i32, attributes = {}, backend_config = "", operands = [tensor<4xf32>], results = [tensor<4xf32>], side_effect = false, target = "f"}, kernel.entry}

// What only the process can run stays: a function of the program, a loop's condition.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // PARTS: kernel.launch @k(%{{[^)]*}}) :
  // ALTERNATE: kernel.launch @k(%{{[^)]*}}) :
  // RULES: kernel.launch @k(%{{[^)]*}}) :
  // ALL: kernel.launch @k(%{{[^)]*}}) {kernel.place = "sim:0"}
  %0 = kernel.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("layer0/a")
  // PARTS: kernel.launch @k(%{{[^)]*}}) :
  // ALTERNATE: kernel.launch @k(%{{[^)]*}}) {kernel.place = "sim:0"}
  // RULES: kernel.launch @k(%{{[^)]*}}) {kernel.place = "sim:1"}
  // ALL: kernel.launch @k(%{{[^)]*}}) {kernel.place = "sim:0"}
  %1 = kernel.launch @k(%0) : (tensor<4xf32>) -> tensor<4xf32> loc(fused["layer0/c", "layer0/b"])
  // PARTS: kernel.launch @host(%{{[^)]*}}) :
  // ALTERNATE: kernel.launch @host(%{{[^)]*}}) :
  // RULES: kernel.launch @host(%{{[^)]*}}) :
  // ALL: kernel.launch @host(%{{[^)]*}}) :
  %2 = kernel.launch @host(%1) : (tensor<4xf32>) -> tensor<4xf32> loc("host")
  // PARTS: kernel.launch @k(%{{[^)]*}}) {kernel.place = "sim:0"}
  // ALTERNATE: kernel.launch @k(%{{[^)]*}}) {kernel.place = "sim:1"}
  // RULES: kernel.launch @k(%{{[^)]*}}) {kernel.place = "sim:1"}
  // ALL: kernel.launch @k(%{{[^)]*}}) {kernel.place = "sim:0"}
  %3 = kernel.launch @k(%2) : (tensor<4xf32>) -> tensor<4xf32> loc("layer1/b")
  // PARTS: kernel.launch @less(%{{[^)]*}}) :
  // ALTERNATE: kernel.launch @less(%{{[^)]*}}) :
  // RULES: kernel.launch @less(%{{[^)]*}}) :
  // ALL: kernel.launch @less(%{{[^)]*}}) :
  // PARTS: kernel.launch @k(%{{[^)]*}}) {kernel.place = "sim:1"}
  // ALTERNATE: kernel.launch @k(%{{[^)]*}}) :
  // RULES: kernel.launch @k(%{{[^)]*}}) :
  // ALL: kernel.launch @k(%{{[^)]*}}) {kernel.place = "sim:0"}
  %4 = stablehlo.while(%i = %3) : tensor<4xf32>
   cond {
    %p = kernel.launch @less(%i) : (tensor<4xf32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = kernel.launch @k(%i) : (tensor<4xf32>) -> tensor<4xf32> loc("body")
    stablehlo.return %n : tensor<4xf32>
  }
  return %4 : tensor<4xf32>
}
