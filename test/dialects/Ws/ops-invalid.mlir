// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{a tile has elements of f16 or bf16, not}}
func.func private @type(!ws.tile<64 x 32 x f32, 2, 1>)

// -----

// expected-error @below {{a tile of 60 rows and 32 columns is not made of matrices of 8 by 8}}
func.func private @type(!ws.tile<60 x 32 x f16, 2, 1>)

// -----

// expected-error @below {{a swizzle of 3 bits, shifted by 0, is not one-to-one on rows of 64 bytes}}
func.func private @type(!ws.tile<64 x 32 x f16, 3, 0>)

// -----

// expected-error @below {{is not one-to-one on rows of 48 bytes}}
func.func private @type(!ws.tile<64 x 24 x f16, 1, 0>)

// -----

// expected-error @below {{a channel has at least 2 slots, so that one can be filled while another is read, not 1}}
func.func private @type(!ws.channel<1 x !ws.tile<64 x 32 x f16, 2, 1>>)

// -----

// expected-error @below {{a slot of a channel holds tiles, not 'f16'}}
func.func private @type(!ws.channel<2 x f16>)

// -----

// expected-error @below {{an accumulator of 64 by 24 is not divided among 2 by 2 warps}}
func.func private @type(!ws.accumulator<64 x 24, 2 x 2>)

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @tiles(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    // expected-error @below {{'ws.put.enter' op gives other tiles than slots of}}
    %a, %b, %token = ws.put.enter %channel : !pipe -> !rhs, !lhs
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    %started = ws.mma %c, %d, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %read
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @outside() {
  %channel = ws.channel : !pipe
  // expected-error @below {{'ws.get.enter' op stands outside of a role}}
  %a, %b, %token = ws.get.enter %channel : !pipe -> !lhs, !rhs
  ws.get.exit %token
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @unfinished(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    // expected-error @below {{'ws.put.enter' op needs one exit with its token, and has 0}}
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    %started = ws.mma %c, %d, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %read
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @other_exit(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    // expected-error @below {{'ws.put.enter' op needs ws.put.exit in the same role}}
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    ws.get.exit %token
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    %started = ws.mma %c, %d, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %read
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @behind(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    ws.put.exit %token by store
    // expected-error @below {{'ws.copy' op uses a tile behind the exit of its slot}}
    ws.copy %x to %a by 8 : memref<?xf16> to !lhs {
    ^bb0(%row: index, %column: index):
      %true = arith.constant true
      ws.yield %row, %true : index, i1
    }
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    %started = ws.mma %c, %d, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %read
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @reads(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    // expected-error @below {{'ws.mma' op reads a tile that is being filled}}
    %no = ws.mma %a, %b, %zero : !lhs, !rhs, !sums
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    %started = ws.mma %c, %d, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %read
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @writes(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    // expected-error @below {{'ws.copy' op writes a tile that is being read}}
    ws.copy %x to %c by 8 : memref<?xf16> to !lhs {
    ^bb0(%row: index, %column: index):
      %true = arith.constant true
      ws.yield %row, %true : index, i1
    }
    %started = ws.mma %c, %d, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %read
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @single(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    ws.copy %x to %a by 1 : memref<?xf16> to !lhs {
    ^bb0(%row: index, %column: index):
      %true = arith.constant true
      ws.yield %row, %true : index, i1
    }
    // expected-error @below {{'ws.put.exit' op waits for cp.async, which copies no chunks of 1 element}}
    ws.put.exit %token by cp_async
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    %started = ws.mma %c, %d, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %read
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @chunk(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    // expected-error @below {{'ws.copy' op copies 1, 2, 4 or 8 elements at once, not 3}}
    ws.copy %x to %a by 3 : memref<?xf16> to !lhs {
    ^bb0(%row: index, %column: index):
      %true = arith.constant true
      ws.yield %row, %true : index, i1
    }
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    %started = ws.mma %c, %d, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %read
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @element(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    // expected-error @below {{'ws.copy' op copies 'f32' to a tile of 'f16'}}
    ws.copy %y to %a by 8 : memref<?xf32> to !lhs {
    ^bb0(%row: index, %column: index):
      %true = arith.constant true
      ws.yield %row, %true : index, i1
    }
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    %started = ws.mma %c, %d, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %read
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @place(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    // expected-error @below {{'ws.copy' op its region yields 'index', 'i1'}}
    ws.copy %x to %a by 8 : memref<?xf16> to !lhs {
    ^bb0(%row: index, %column: index):
      %true = arith.constant true
      ws.yield %row : index
    }
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    %started = ws.mma %c, %d, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %read
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @early(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    %started = ws.mma %c, %d, %carried : !lhs, !rhs, !sums
    // expected-error @below {{'ws.get.exit' op gives back a slot that a product may still read: put ws.mma.wait before it}}
    ws.get.exit %read
    %done = ws.mma.wait %started : !sums
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @k(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    // expected-error @below {{'ws.mma' op sums over 32 of lhs and 64 of rhs}}
    %started = ws.mma %c, %d transposed, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %read
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @product(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    // expected-error @below {{'ws.mma' op has a product of 32 by 32, which '!ws.accumulator<64 x 64, 2 x 2>' does not hold}}
    %started = ws.mma %c transposed, %c, %carried : !lhs, !lhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %read
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @never_read(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  // expected-error @below {{'ws.roles' op needs each channel to be put into by its producer and read by its consumer, once a step}}
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    ws.yield %carried : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @nothing(%x: memref<?xf16>, %y: memref<?xf32>, %steps: index) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  // expected-error @below {{'ws.roles' op its consumer yields '!ws.accumulator<64 x 64, 2 x 2>'}}
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %b, %token = ws.put.enter %channel : !pipe -> !lhs, !rhs
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %c, %d, %read = ws.get.enter %channel : !pipe -> !lhs, !rhs
    %started = ws.mma %c, %d, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %read
    ws.yield
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !lhs, !rhs>

func.func @epilogue() {
  %zero = ws.zero : !sums
  // expected-error @below {{'ws.epilogue' op its region takes 'f32', 'index', 'index', not 'index', 'index'}}
  ws.epilogue %zero : !sums {
  ^bb0(%row: index, %column: index):
    ws.yield
  }
  return
}
