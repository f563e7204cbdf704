// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @yields_other(%x: tensor<4xf32>) {
  %0 = kernel.dispatch(%a = %x : tensor<4xf32>) -> tensor<5xf32> {
    // expected-error @below {{gives ('tensor<4xf32>'), wanted ('tensor<5xf32>')}}
    kernel.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @takes_other(%x: tensor<4xf32>) {
  // expected-error @below {{has a body that takes ('tensor<5xf32>') and operands ('tensor<4xf32>')}}
  %0 = "kernel.dispatch"(%x) ({
  ^bb0(%a: tensor<5xf32>):
    kernel.yield %a : tensor<5xf32>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func private @f(tensor<4xf32>) -> tensor<4xf32>
func.func @no_kernel(%x: tensor<4xf32>) {
  // expected-error @below {{launches 'f', which is no kernel function}}
  %0 = kernel.launch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func @wrong_type(%x: tensor<5xf32>) {
  // expected-error @below {{does not fit the kernel's type}}
  %0 = kernel.launch @k(%x) : (tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-error @below {{is a kernel of 'tensor<?xf32>'; it wants tensors of static shape}}
func.func private @dynamic(tensor<?xf32>) attributes {kernel.entry}

// -----

// expected-error @below {{ties argument 0 of type 'tensor<4xf32>' to result 0 of type 'tensor<5xf32>'}}
func.func private @tied(tensor<4xf32> {kernel.tied = 0}) -> tensor<5xf32> attributes {kernel.entry}

// -----

// expected-error @below {{kernel.in_place = 1 on argument 0, but there are 1 results}}
func.func private @in_place(tensor<4xf32> {kernel.in_place = 1}) -> tensor<5xf32> attributes {kernel.entry}

// -----

// expected-error @below {{has an unknown attribute kernel.other}}
func.func private @other() attributes {kernel.other}

// -----

// expected-error @below {{has an unknown packing '* k n -> * n/16 k'}}
kernel.weight @w : tensor<4x4xf32> packing "* k n -> * n/16 k" {
  %0 = arith.constant dense<1.0> : tensor<4x4xf32>
  kernel.yield %0 : tensor<4x4xf32>
}

// -----

// expected-error @below {{packing '* i (g=3 o) -> g o/32 * i o%32' does not fit 'tensor<1x1x4x4xf32>'}}
kernel.weight @w : tensor<1x1x4x4xf32> packing "* i (g=3 o) -> g o/32 * i o%32" {
  %0 = arith.constant dense<1.0> : tensor<1x1x4x4xf32>
  kernel.yield %0 : tensor<1x1x4x4xf32>
}

// -----

kernel.weight @w : tensor<4x4xf32> packing "* k n -> * n/32 k n%32" {
  %0 = arith.constant dense<1.0> : tensor<4x4xf32>
  kernel.yield %0 : tensor<4x4xf32>
}
func.func @unpacked() {
  // expected-error @below {{is of type 'tensor<4x4xf32>', but the weight is stored as 'tensor<1x4x32xf32>'}}
  %w = kernel.weight_ref @w : tensor<4x4xf32>
  return
}

// -----

func.func @no_weight() {
  // expected-error @below {{names 'w', which is no kernel.weight}}
  %w = kernel.weight_ref @w : tensor<4x4xf32>
  return
}

// -----

// expected-error @below {{kernel.brief wants no value, on a function}}
func.func @brief() attributes {kernel.brief = 1 : i64} {
  return
}

// -----

// expected-error @below {{kernel.resident_blocks wants an integer, on a function}}
func.func @blocks() attributes {kernel.resident_blocks} {
  return
}

// -----

// expected-error @below {{kernel.tiles wants an integer, on a function}}
func.func @tiles() attributes {kernel.tiles} {
  return
}

// -----

func.func private @scaled(%x: tensor<4xf32>, %scale: f32) -> tensor<4xf32> attributes {kernel.entry} {
  return %x : tensor<4xf32>
}
func.func @other_number(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{does not fit the kernel's type}}
  %0 = kernel.launch @scaled(%x) scalars [1 : i32] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{is a kernel of 'f32'; it wants tensors of static shape}}
func.func private @number_first(%scale: f32, %x: tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry} {
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // expected-error @below {{has a size before a tensor}}
  %0 = kernel.dispatch(%b = %n : index, %a = %x : tensor<4xf32>) -> tensor<4xf32> {
    kernel.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{wants blocks where it has scales}}
kernel.weight @w : tensor<4x4xi4> scale @s {
  %0 = arith.constant dense<1> : tensor<4x4xi4>
  kernel.yield %0 : tensor<4x4xi4>
}
kernel.weight @s : tensor<4x4xf32> {
  %0 = arith.constant dense<1.0> : tensor<4x4xf32>
  kernel.yield %0 : tensor<4x4xf32>
}

// -----

// expected-error @below {{has blocks of [2], which are none of 'tensor<4x4xi4>'}}
kernel.weight @w : tensor<4x4xi4> block [2] scale @s {
  %0 = arith.constant dense<1> : tensor<4x4xi4>
  kernel.yield %0 : tensor<4x4xi4>
}

// -----

// expected-error @below {{names 's', which is no kernel.weight}}
kernel.weight @w : tensor<4x4xi4> block [2, 1] scale @s {
  %0 = arith.constant dense<1> : tensor<4x4xi4>
  kernel.yield %0 : tensor<4x4xi4>
}

// -----

// expected-error @below {{is scaled by 's' of type 'tensor<4x4xf32>', wanted an element for each of [2, 4] blocks}}
kernel.weight @w : tensor<4x4xi4> block [2, 1] scale @s {
  %0 = arith.constant dense<1> : tensor<4x4xi4>
  kernel.yield %0 : tensor<4x4xi4>
}
kernel.weight @s : tensor<4x4xf32> {
  %0 = arith.constant dense<1.0> : tensor<4x4xf32>
  kernel.yield %0 : tensor<4x4xf32>
}

// -----

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // expected-error @below {{does not fit the kernel's type}}
  %0 = kernel.launch @k(%x) sizes(%n) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{is scaled by 'w', which is scaled itself}}
kernel.weight @w : tensor<4x4xi4> block [1, 1] scale @w {
  %0 = arith.constant dense<1> : tensor<4x4xi4>
  kernel.yield %0 : tensor<4x4xi4>
}

// -----

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func @no_weight(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{kernel.at_load wants no value, on a launch that makes one tensor of kernel.weight_refs}}
  %0 = kernel.launch @k(%x) {kernel.at_load} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
