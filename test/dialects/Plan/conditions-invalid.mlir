// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{has a guard, and no program behind it is for the sizes that it leaves}}
plan.program @main guard affine_set<()[s0] : (8 - s0 >= 0)> arena 0 {
}

// -----

// expected-error @below {{has a condition on something else than symbols}}
plan.program @few guard affine_set<(d0) : (8 - d0 >= 0)> arena 0 {
}
plan.program @main arena 0 {
}

// -----

// expected-error @below {{fills persistent memory, and under a condition}}
plan.program @load guard affine_set<()[s0] : (8 - s0 >= 0)> arena 0 devices ["cpu", "sim:0"] persistent [#plan.memory<1, device, 64>] {
}

// -----

#any = affine_set<()[s0] : (s0 >= 0)>
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func private @other(tensor<8xf32>) -> tensor<4xf32> attributes {kernel.entry}
plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // expected-error @below {{has the alternative @other, which is no function of the kernel's type}}
  plan.launch @k reads(%x) writes(%y) alternatives [#plan.alternative<@other, #any>] nodes []
}

// -----

#dimension = affine_set<(d0) : (d0 >= 0)>
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // expected-error @below {{has a condition on something else than symbols}}
  plan.launch @k reads(%x) writes(%y) alternatives [#plan.alternative<@k, #dimension>] nodes []
}

// -----

plan.program @main arena 0 {
  // expected-error @below {{has not one of a selector and conditions}}
  plan.branch cases {
  } nodes []
}

// -----

plan.program @main arena 0 {
  // expected-error @below {{has 2 conditions for 2 cases}}
  plan.branch where [affine_set<()[s0] : (s0 >= 0)>, affine_set<()[s0] : (s0 >= 0)>] cases {
  }, {
  } nodes []
}

// -----

plan.program @main arena 0 {
  // expected-error @below {{has a condition on something else than symbols}}
  plan.branch where [affine_set<(d0) : (d0 >= 0)>] cases {
  }, {
  } nodes []
}
