// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{has a guard, and no program behind it is for the sizes that it leaves}}
plan.program @main guard <is_positive(9 - rows)> arena 0 {
}

// -----

// expected-error @below {{fills persistent memory, and under a condition}}
plan.program @load guard <is_positive(9 - rows)> arena 0 devices ["cpu", "sim:0"] persistent [#plan.memory<1, device, 64>] {
}

// -----

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func private @other(tensor<8xf32>) -> tensor<4xf32> attributes {kernel.entry}
plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // expected-error @below {{has the alternative @other, which is no function of the kernel's type}}
  plan.launch @k reads(%x) writes(%y) alternatives [#plan.alternative<@other, <is_positive(rows)>>] nodes []
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
  plan.branch where [#size.expression<is_positive(rows)>, #size.expression<is_zero(rows)>] cases {
  }, {
  } nodes []
}
