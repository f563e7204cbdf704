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

// -----

// expected-error @below {{128 columns are not divided into panels of 48}}
func.func private @panels() -> !ws.tile<64 x 128 x bf16, 3, 0, panels 48>

// -----

func.func @rank(%x: memref<?xbf16>) {
  // expected-error @below {{'ws.tensor_map' op has 2 to 5 extents, one stride fewer, and a box of as many, not 2, 2 and 2}}
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512, 8] box [64, 128] : memref<?xbf16>
  return
}

// -----

func.func @stride(%x: memref<?xbf16>) {
  // expected-error @below {{'ws.tensor_map' op has a stride of 1004 bytes, which is no multiple of 16}}
  %map = ws.tensor_map %x offset 0 extents [502, 4096] strides [502] box [64, 128] : memref<?xbf16>
  return
}

// -----

func.func @before(%x: memref<?xbf16>) {
  // expected-error @below {{'ws.tensor_map' op begins before its source, by 8 elements}}
  %map = ws.tensor_map %x offset -8 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  return
}

// -----

func.func @offset(%x: memref<?xbf16>) {
  // expected-error @below {{'ws.tensor_map' op begins 6 bytes behind its source, which is no multiple of 16}}
  %map = ws.tensor_map %x offset 3 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  return
}

// -----

func.func @box(%x: memref<?xbf16>) {
  // expected-error @below {{'ws.tensor_map' op copies 512 elements of 4096: boxes have 1 to 256}}
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 512] : memref<?xbf16>
  return
}

// -----

!tall = !ws.tile<128 x 64 x bf16, 3, 0>
!pipe = !ws.channel<4 x !tall>
!sums = !ws.accumulator<64 x 64, 2 x 2>

func.func @coordinates(%x: memref<?xbf16>, %steps: index) {
  %channel = ws.channel : !pipe
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %token = ws.put.enter %channel : !pipe -> !tall
    // expected-error @below {{'ws.copy_box' op has 1 coordinates in a tensor of 2 dimensions}}
    ws.copy_box %map at %step to %a : !tall
    ws.put.exit %token by box
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %token = ws.get.enter %channel : !pipe -> !tall
    ws.get.exit %token
    ws.yield %carried : !sums
  }
  return
}

// -----

!tall = !ws.tile<128 x 64 x bf16, 3, 0>
!pipe = !ws.channel<4 x !tall>
!sums = !ws.accumulator<64 x 64, 2 x 2>

func.func @another_size(%x: memref<?xbf16>, %steps: index) {
  %channel = ws.channel : !pipe
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 64] : memref<?xbf16>
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %token = ws.put.enter %channel : !pipe -> !tall
    // expected-error @below {{'ws.copy_box' op fills panels of 128 by 64 by boxes of another size}}
    ws.copy_box %map at %step, %step to %a : !tall
    ws.put.exit %token by box
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %token = ws.get.enter %channel : !pipe -> !tall
    ws.get.exit %token
    ws.yield %carried : !sums
  }
  return
}

// -----

!tall = !ws.tile<128 x 64 x bf16, 3, 0>
!pipe = !ws.channel<4 x !tall>
!sums = !ws.accumulator<64 x 64, 2 x 2>

func.func @another_element(%x: memref<?xf16>, %steps: index) {
  %channel = ws.channel : !pipe
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<?xf16>
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %token = ws.put.enter %channel : !pipe -> !tall
    // expected-error @below {{'ws.copy_box' op copies 'f16' to a tile of 'bf16'}}
    ws.copy_box %map at %step, %step to %a : !tall
    ws.put.exit %token by box
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %token = ws.get.enter %channel : !pipe -> !tall
    ws.get.exit %token
    ws.yield %carried : !sums
  }
  return
}

// -----

!tall = !ws.tile<128 x 64 x bf16, 2, 1>
!pipe = !ws.channel<4 x !tall>
!sums = !ws.accumulator<64 x 64, 2 x 2>

func.func @swizzle(%x: memref<?xbf16>, %steps: index) {
  %channel = ws.channel : !pipe
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %token = ws.put.enter %channel : !pipe -> !tall
    // expected-error @below {{'ws.copy_box' op needs rows of 128 bytes with a swizzle of 3 bits}}
    ws.copy_box %map at %step, %step to %a : !tall
    ws.put.exit %token by box
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %token = ws.get.enter %channel : !pipe -> !tall
    ws.get.exit %token
    ws.yield %carried : !sums
  }
  return
}

// -----

!tall = !ws.tile<128 x 64 x bf16, 3, 0>
!pipe = !ws.channel<4 x !tall>
!sums = !ws.accumulator<64 x 64, 2 x 2>

func.func @no_map(%map: !ws.map, %steps: index) {
  %channel = ws.channel : !pipe

  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %token = ws.put.enter %channel : !pipe -> !tall
    // expected-error @below {{'ws.copy_box' op needs the map of a ws.tensor_map}}
    ws.copy_box %map at %step, %step to %a : !tall
    ws.put.exit %token by box
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %token = ws.get.enter %channel : !pipe -> !tall
    ws.get.exit %token
    ws.yield %carried : !sums
  }
  return
}

// -----

!tall = !ws.tile<128 x 64 x bf16, 3, 0>
!pipe = !ws.channel<4 x !tall>
!sums = !ws.accumulator<64 x 64, 2 x 2>

func.func @completion(%x: memref<?xbf16>, %steps: index) {
  %channel = ws.channel : !pipe
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %token = ws.put.enter %channel : !pipe -> !tall
    ws.copy_box %map at %step, %step to %a : !tall
    // expected-error @below {{'ws.put.exit' op does not wait for what 'ws.copy_box' copies}}
    ws.put.exit %token by cp_async
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %token = ws.get.enter %channel : !pipe -> !tall
    ws.get.exit %token
    ws.yield %carried : !sums
  }
  return
}

// -----

!tall = !ws.tile<128 x 64 x bf16, 3, 0>
!pipe = !ws.channel<4 x !tall>
!sums = !ws.accumulator<64 x 64, 2 x 2>

func.func @bytes(%x: memref<?xbf16>, %steps: index) {
  %channel = ws.channel : !pipe
  %map = ws.tensor_map %x offset 0 extents [512, 4096] strides [512] box [64, 128] : memref<?xbf16>
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %token = ws.put.enter %channel : !pipe -> !tall
    ws.copy_box %map at %step, %step to %a : !tall
    ws.copy_box %map at %step, %step to %a : !tall
    // expected-error @below {{'ws.put.exit' op counts bytes: each tile is copied once, not 2 times}}
    ws.put.exit %token by box
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %token = ws.get.enter %channel : !pipe -> !tall
    ws.get.exit %token
    ws.yield %carried : !sums
  }
  return
}

// -----

!tall = !ws.tile<128 x 128 x bf16, 3, 0, panels 64>
!pipe = !ws.channel<4 x !tall>
!sums = !ws.accumulator<64 x 64, 2 x 2>

func.func @panels_by_chunks(%x: memref<?xbf16>, %steps: index) {
  %channel = ws.channel : !pipe

  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %token = ws.put.enter %channel : !pipe -> !tall
    // expected-error @below {{'ws.copy' op fills whole rows, not those of panels}}
    ws.copy %x to %a by 8 : memref<?xbf16> to !tall {
    ^bb0(%row: index, %column: index):
      %true = arith.constant true
      ws.yield %row, %true : index, i1
    }
    ws.put.exit %token by cp_async
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %token = ws.get.enter %channel : !pipe -> !tall
    ws.get.exit %token
    ws.yield %carried : !sums
  }
  return
}

// -----

// expected-error @below {{40 rows are not divided among 4 warps in pieces of 16}}
func.func private @type(!ws.rows<40, 4>)

// -----

// expected-error @below {{an operand has elements of f16 or bf16, not}}
func.func private @type(!ws.operand<64 x 32 x f32, 4>)

// -----

// expected-error @below {{an operand of 64 by 24 is not divided among 4 warps in pieces of 16 by 16}}
func.func private @type(!ws.operand<64 x 24 x f16, 4>)

// -----

func.func @nothing(%steps: index) {
  // expected-error @below {{'ws.roles' op carries nothing from step to step}}
  "ws.roles"(%steps) ({
  ^bb0(%step: index):
    ws.yield
  }, {
  ^bb0(%step: index):
    ws.yield
  }) : (index) -> ()
  return
}

// -----

func.func @load_three(%x: memref<?xf16>) {
  // expected-error @below {{'ws.load' op loads 1 or 2 elements at once, not 4}}
  %0 = ws.load %x by 4 : memref<?xf16> -> !ws.operand<64 x 32 x f16, 4> {
  ^bb0(%row: index, %column: index):
    %true = arith.constant true
    ws.yield %column, %true : index, i1
  }
  return
}

// -----

func.func @load_other(%x: memref<?xbf16>) {
  // expected-error @below {{'ws.load' op loads 'bf16' as 'f16'}}
  %0 = ws.load %x by 2 : memref<?xbf16> -> !ws.operand<64 x 32 x f16, 4> {
  ^bb0(%row: index, %column: index):
    %true = arith.constant true
    ws.yield %column, %true : index, i1
  }
  return
}

// -----

func.func @map_other(%x: !ws.accumulator<64 x 32, 4 x 1>, %y: !ws.rows<32, 2>) {
  // expected-error @below {{'ws.map' op has '!ws.rows<32, 2>' at no place of '!ws.accumulator<64 x 32, 4 x 1>'}}
  %0 = ws.map %x, %y : (!ws.accumulator<64 x 32, 4 x 1>, !ws.rows<32, 2>) -> !ws.accumulator<64 x 32, 4 x 1> {
  ^bb0(%a: f32, %b: f32, %row: index, %column: index):
    ws.yield %a : f32
  }
  return
}

// -----

func.func @map_elsewhere(%y: !ws.rows<64, 4>, %where: i1) {
  // expected-error @below {{'ws.map' op has no operand that its result is elsewhere}}
  %0 = ws.map %y where %where : (!ws.rows<64, 4>) -> !ws.accumulator<64 x 32, 4 x 1> {
  ^bb0(%a: f32, %row: index, %column: index):
    ws.yield %a : f32
  }
  return
}

// -----

func.func @map_places(%y: !ws.rows<64, 4>) {
  // expected-error @below {{'ws.map' op its region takes 'f32', 'index', not 'f32', 'index', 'index'}}
  %0 = ws.map %y : (!ws.rows<64, 4>) -> !ws.rows<64, 4> {
  ^bb0(%a: f32, %row: index, %column: index):
    ws.yield %a : f32
  }
  return
}

// -----

func.func @reduce_across(%x: !ws.accumulator<64 x 64, 2 x 2>) {
  // expected-error @below {{'ws.reduce' op gives '!ws.rows<64, 2>' of rows of '!ws.accumulator<64 x 64, 2 x 2>'}}
  %0 = ws.reduce %x : !ws.accumulator<64 x 64, 2 x 2> -> !ws.rows<64, 2> {
  ^bb0(%a: f32, %b: f32):
    ws.yield %a : f32
  }
  return
}

// -----

func.func @narrow_other(%x: !ws.accumulator<64 x 64, 4 x 1>) {
  // expected-error @below {{'ws.narrow' op gives '!ws.operand<64 x 32 x f16, 4>' of '!ws.accumulator<64 x 64, 4 x 1>'}}
  %0 = ws.narrow %x : !ws.accumulator<64 x 64, 4 x 1> -> !ws.operand<64 x 32 x f16, 4>
  return
}

// -----

!keys = !ws.tile<64 x 32 x f16, 2, 1>
!pairs = !ws.channel<2 x !keys>
!sums = !ws.accumulator<64 x 64, 4 x 1>

func.func @registers_turned(%q: !ws.operand<64 x 32 x f16, 4>, %steps: index, %zero: !sums) {
  %channel = ws.channel : !pairs
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %token = ws.put.enter %channel : !pairs -> !keys
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %token = ws.get.enter %channel : !pairs -> !keys
    // expected-error @below {{'ws.mma' op multiplies registers as they are}}
    %started = ws.mma %q transposed, %a transposed, %carried : !ws.operand<64 x 32 x f16, 4>, !keys, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %token
    ws.yield %done : !sums
  }
  return
}

// -----

!keys = !ws.tile<64 x 32 x f16, 2, 1>
!pairs = !ws.channel<2 x !keys>
!sums = !ws.accumulator<64 x 64, 4 x 1>

func.func @registers_of_others(%q: !ws.operand<64 x 32 x f16, 2>, %steps: index, %zero: !sums) {
  %channel = ws.channel : !pairs
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %token = ws.put.enter %channel : !pairs -> !keys
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %token = ws.get.enter %channel : !pairs -> !keys
    // expected-error @below {{'ws.mma' op multiplies registers of 2 warps into sums of others}}
    %started = ws.mma %q, %a transposed, %carried : !ws.operand<64 x 32 x f16, 2>, !keys, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %token
    ws.yield %done : !sums
  }
  return
}

// -----

!lhs = !ws.tile<64 x 32 x f16, 2, 1>
!rhs = !ws.tile<32 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>

func.func @depths(%x: memref<?xf16>, %steps: index) {
  %left = ws.channel : !ws.channel<4 x !lhs>
  %right = ws.channel : !ws.channel<3 x !rhs>
  %zero = ws.zero : !sums
  // expected-error @below {{'ws.roles' op goes through channels of 4 and of 3 slots: each step takes one of each, so they have as many}}
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %left_full = ws.put.enter %left : !ws.channel<4 x !lhs> -> !lhs
    ws.put.exit %left_full by store
    %b, %right_full = ws.put.enter %right : !ws.channel<3 x !rhs> -> !rhs
    ws.put.exit %right_full by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %left_read = ws.get.enter %left : !ws.channel<4 x !lhs> -> !lhs
    %b, %right_read = ws.get.enter %right : !ws.channel<3 x !rhs> -> !rhs
    %started = ws.mma %a, %b, %carried : !lhs, !rhs, !sums
    %done = ws.mma.wait %started : !sums
    ws.get.exit %left_read
    ws.get.exit %right_read
    ws.yield %done : !sums
  }
  return
}

// -----

!tile = !ws.tile<64 x 64 x f16, 3, 0>

func.func @unread(%tile: !tile, %row: index, %all: i1) {
  // expected-error @below {{'ws.clear' op clears a tile that no ws.get.enter gives}}
  ws.clear %tile from %row where %all : !tile
  return
}

// -----

!tile = !ws.tile<64 x 64 x f16, 3, 0>
!sums = !ws.accumulator<64 x 64, 2 x 2>
!pipe = !ws.channel<4 x !tile>

func.func @cleared_late(%steps: index, %all: i1) {
  %channel = ws.channel : !pipe
  %zero = ws.zero : !sums
  %sum = ws.roles %steps init %zero : !sums produce {
  ^bb0(%step: index):
    %a, %token = ws.put.enter %channel : !pipe -> !tile
    ws.put.exit %token by store
    ws.yield
  } consume {
  ^bb0(%step: index, %carried: !sums):
    %a, %token = ws.get.enter %channel : !pipe -> !tile
    %started = ws.mma %a, %a, %carried : !tile, !tile, !sums
    %done = ws.mma.wait %started : !sums
    // expected-error @below {{'ws.clear' op clears a tile that a product before it reads}}
    ws.clear %a from %step where %all : !tile
    ws.get.exit %token
    ws.yield %done : !sums
  }
  return
}
