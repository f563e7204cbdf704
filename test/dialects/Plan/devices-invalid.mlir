// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{names the device "tpu:0", which is none}}
plan.program @main arena 0 devices ["cpu", "tpu:0"] {
}

// -----

// expected-error @below {{does not begin its devices with the one cpu}}
plan.program @main arena 0 devices ["sim:0", "cpu"] {
}

// -----

// expected-error @below {{names the device "sim:0" twice}}
plan.program @main arena 0 devices ["cpu", "sim:0", "sim:0"] {
}

// -----

// expected-error @below {{has a queue on device 2, which it does not name}}
plan.program @main arena 0 devices ["cpu", "sim:0"] queues [0, 2] {
}

// -----

// expected-error @below {{cannot have the memory #plan.memory<1, host, 64>}}
plan.program @main arena 0 devices ["cpu", "sim:0"] arenas [#plan.memory<1, host, 64>] {
}

// -----

// expected-error @below {{has the memory of #plan.memory<1, device, 128> twice}}
plan.program @main arena 0 devices ["cpu", "sim:0"] arenas [#plan.memory<1, device, 64>, #plan.memory<1, device, 128>] {
}

// -----

plan.program @main arena 0 devices ["cpu", "sim:0"] {
  // expected-error @below {{is on device 2, which the program does not name}}
  %a = plan.buffer arena 0 size 16 "" on 2 device
}

// -----

plan.program @main arena 0 devices ["cpu", "sim:0"] {
  // expected-error @below {{is in host memory, which device 1 does not have}}
  %a = plan.buffer input 0 size 16 "x" on 1 host
}

// -----

plan.program @main arena 0 devices ["cpu", "sim:0"] {
  // expected-error @below {{is a weight on device 1, where init has to copy it first}}
  %w = plan.buffer weight 0 size 16 "w" on 1 device
}

// -----

plan.program @main arena 64 devices ["cpu", "sim:0"] {
  // expected-error @below {{is in an arena that is not there}}
  %a = plan.buffer arena 0 size 16 "" on 1 device
}

// -----

plan.program @main arena 0 devices ["cpu", "sim:0"] arenas [#plan.memory<1, device, 64>] {
  // expected-error @below {{ends at 80 of an arena of 64 bytes}}
  %a = plan.buffer arena 64 size 16 "" on 1 device
}

// -----

// expected-error @below {{has 'load' for its init, which fills no persistent memory}}
plan.program @main arena 0 devices ["cpu", "sim:0"] init @load {
}

// -----

plan.program @load arena 0 devices ["cpu", "sim:0"] persistent [#plan.memory<1, device, 64>] {
}
// expected-error @below {{runs on other devices than 'load'}}
plan.program @main arena 0 devices ["cpu", "sim:1"] init @load {
}

// -----

plan.program @load arena 0 devices ["cpu", "sim:0"] persistent [#plan.memory<1, device, 64>] {
}
plan.program @main arena 0 devices ["cpu", "sim:0"] init @load {
  // expected-error @below {{ends at 80 of persistent memory of 64 bytes}}
  %w = plan.buffer persistent 64 size 16 "w" on 1 device
}

// -----

plan.program @main arena 0 devices ["cpu", "sim:0"] {
  // expected-error @below {{is in persistent memory that is not there}}
  %w = plan.buffer persistent 0 size 16 "w" on 1 device
}

// -----

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
plan.program @main arena 0 devices ["cpu", "sim:0"] {
  // expected-note @below {{the buffer}}
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // expected-error @below {{runs on sim:0, which cannot reach a buffer in host memory of cpu}}
  plan.launch @k reads(%x) writes(%y) nodes [] queue 1
}

// -----

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
plan.program @main arena 0 devices ["cpu", "sim:0"] arenas [#plan.memory<1, device, 64>] {
  %x = plan.buffer input 0 size 16 "x"
  // expected-note @below {{the buffer}}
  %a = plan.buffer arena 0 size 16 "" on 1 device
  plan.copy %x to %a nodes [] queue 1 signals [0]
  // expected-error @below {{runs on cpu, which cannot reach a buffer in device memory of sim:0}}
  plan.launch @k reads(%a) writes(%a) nodes [] after [0]
}

// -----

plan.program @main arena 0 devices ["cpu", "sim:0", "sim:1"] arenas [#plan.memory<1, device, 64>, #plan.memory<2, device, 64>] {
  // expected-note @below {{the buffer}}
  %a = plan.buffer arena 0 size 16 "" on 1 device
  %b = plan.buffer arena 0 size 16 "" on 2 device
  // expected-error @below {{runs on sim:1, which cannot reach a buffer in device memory of sim:0}}
  plan.copy %a to %b nodes [] queue 2
}

// -----

plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // expected-error @below {{is in queue 1, and there are 1}}
  plan.copy %x to %y nodes [] queue 1
}

// -----

plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // expected-error @below {{waits for event 0, which no command before it signals}}
  plan.copy %x to %y nodes [] after [0]
  plan.copy %x to %y nodes [] signals [0]
}

// -----

plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  plan.copy %x to %y nodes [] signals [0]
  // expected-error @below {{signals event 0 again}}
  plan.copy %x to %y nodes [] signals [0]
}

// -----

// Use before arrival.
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
plan.program @main arena 64 devices ["cpu", "sim:0"] arenas [#plan.memory<1, device, 64>] {
  %x = plan.buffer input 0 size 16 "x"
  %a = plan.buffer arena 0 size 16 "" on 1 device
  %t = plan.buffer arena 0 size 16 ""
  %y = plan.buffer output 0 size 16 "y"
  plan.copy %x to %a nodes [] queue 1 signals [0]
  plan.copy %a to %t nodes [] queue 1
  // expected-error @below {{touches bytes [0, 16) of a memory while a command that it does not wait for may}}
  plan.launch @k reads(%t) writes(%y) nodes [] after [0]
}

// -----

// Early reuse of a place: the device may still read it.
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
plan.program @main arena 64 devices ["cpu", "sim:0"] arenas [#plan.memory<1, device, 64>] {
  %x = plan.buffer input 0 size 16 "x"
  %t = plan.buffer arena 0 size 16 ""
  %u = plan.buffer arena 0 size 8 ""
  %a = plan.buffer arena 0 size 16 "" on 1 device
  plan.launch @k reads(%x) writes(%t) nodes [] signals [0]
  plan.copy %t to %a nodes [] queue 1 after [0]
  // expected-error @below {{touches bytes [0, 8) of a memory while}}
  plan.launch @k reads(%x) writes(%u) nodes []
}

// -----

// What a loop's blocks touch, the loop touches.
func.func private @less(tensor<4xf32>) -> tensor<i1> attributes {kernel.entry}
plan.program @main arena 128 devices ["cpu", "sim:0"] arenas [#plan.memory<1, device, 64>] {
  %x = plan.buffer input 0 size 16 "x"
  %t = plan.buffer arena 0 size 16 ""
  %p = plan.buffer arena 64 size 1 ""
  %a = plan.buffer arena 0 size 16 "" on 1 device
  plan.copy %x to %a nodes [] queue 1
  // expected-error @below {{touches bytes [0, 16) of a memory while a command that it does not wait for may}}
  plan.loop condition {
    plan.copy %a to %t nodes [] queue 1 signals [0]
    plan.launch @less reads(%t) writes(%p) nodes [] after [0]
  } while %p do {
  } nodes []
}
