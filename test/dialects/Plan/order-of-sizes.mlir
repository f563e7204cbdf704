// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// In the arena of the process a call with the largest size has 24 bytes at %a, which end before %b; it is a call of n = 3 or 4 that has the most. So
// what is brought to %b need not wait for %a, and the arena of the largest size is 68 bytes.
module attributes {heddle.symbols = [{name = "n", minimum = 0 : i64, maximum = 6 : i64}]} {
  plan.program @main arena 68 devices ["cpu", "sim:0"] arenas [#plan.memory<1, device, 64>] {
    %x = plan.buffer input 0 size 168 "x" {bytes = #size.expression<-4 * n * n + 28 * n>}
    %a = plan.buffer arena 0 size 168 "" {bytes = #size.expression<-4 * n * n + 28 * n>}
    %b = plan.buffer arena 64 size 4 ""
    %d = plan.buffer arena 0 size 4 "" on 1 device
    plan.copy %x to %a nodes []
    plan.copy %d to %b nodes [] queue 1
  }
}

// -----

module attributes {heddle.symbols = [{name = "n", minimum = 0 : i64, maximum = 6 : i64}]} {
  plan.program @main arena 168 devices ["cpu", "sim:0"] arenas [#plan.memory<1, device, 64>] {
    %x = plan.buffer input 0 size 168 "x" {bytes = #size.expression<28 * n>}
    %a = plan.buffer arena 0 size 168 "" {bytes = #size.expression<28 * n>}
    %b = plan.buffer arena 64 size 4 ""
    %d = plan.buffer arena 0 size 4 "" on 1 device
    plan.copy %x to %a nodes []
    // expected-error @below {{touches bytes [64, 68) of a memory while a command that it does not wait for may}}
    plan.copy %d to %b nodes [] queue 1
  }
}

// -----

module attributes {heddle.symbols = [{name = "n", minimum = 0 : i64, maximum = 6 : i64}]} {
  plan.program @main arena 100 {
    // expected-error @below {{ends at 168 of an arena of 100 bytes}}
    %a = plan.buffer arena 0 size 168 "" {bytes = #size.expression<28 * n>}
  }
}
