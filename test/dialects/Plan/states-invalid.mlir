// RUN: heddle-opt %s --split-input-file --verify-diagnostics

plan.state "cache" size 64
// expected-error @below {{has the name of another state}}
plan.state "cache" size 16

// -----

// expected-error @below {{is in device memory, which device 0 does not have}}
plan.state "cache" size 64 on 0 device

// -----

// expected-error @below {{has a negative size}}
plan.state "cache" size -1

// -----

plan.state "cache" size 64
plan.program @main arena 0 {
  // expected-error @below {{is of state 1, and there are 1}}
  %c = plan.buffer state 1 size 64 "cache"
}

// -----

// expected-note @below {{the state}}
plan.state "cache" size 64
plan.program @main arena 0 {
  // expected-error @below {{has 32 bytes, its state 64}}
  %c = plan.buffer state 0 size 32 "cache"
}

// -----

// expected-note @below {{the state}}
plan.state "cache" size 64
plan.program @main arena 0 devices ["cpu", "sim:0"] {
  // expected-error @below {{is in another memory than its state}}
  %c = plan.buffer state 0 size 64 "cache" on 1 device
}

// -----

// expected-note @below {{the state}}
plan.state "cache" size 64
plan.program @main arena 0 {
  %c = plan.buffer state 0 size 64 "cache" changed
  // expected-error @below {{is of a state that another buffer is of}}
  %d = plan.buffer state 0 size 64 "cache"
}

// -----

plan.state "cache" size 64
plan.program @main arena 0 {
  %x = plan.buffer input 0 size 64 "x"
  // expected-note @below {{the buffer}}
  %c = plan.buffer state 0 size 64 "cache"
  // expected-error @below {{writes to an input, a weight or a state that the program does not change}}
  plan.copy %x to %c nodes []
}

// -----

plan.program @main arena 0 {
  // expected-error @below {{is changed, and no state}}
  %x = plan.buffer input 0 size 64 "x" changed
}

// -----

plan.state "cache" size 64
plan.program @main arena 0 devices ["cpu", "sim:0"] arenas [#plan.memory<1, device, 64>] {
  %x = plan.buffer input 0 size 64 "x"
  %a = plan.buffer arena 0 size 64 "" on 1 device
  %c = plan.buffer state 0 size 64 "cache" changed
  plan.copy %c to %a nodes [] queue 1
  // expected-error @below {{touches bytes [0, 64) of a memory while a command that it does not wait for may}}
  plan.copy %x to %c nodes []
}
