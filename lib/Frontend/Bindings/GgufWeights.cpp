// How ggml's formats hold numbers, as operations on the bytes of their blocks.
//
// Elements of a block are x = d * q, or x = d * q + m. In small formats d and m
// are halves that the block begins with. In those of 256 elements d and m are
// products of a half, which the whole block shares, and small integers of 16 or
// 32 elements each. All such products are exact in f32.

#include "lib/Frontend/Bindings/GgufWeights.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The blocks of a tensor, [blocks, bytes].
class Blocks {
public:
  Blocks(WeightProgram &program, const GgufTensor &tensor)
      : program(program), tensor(tensor) {
    count = static_cast<int64_t>(tensor.bytes / tensor.format->blockBytes);
  }

  /// [blocks, size] bytes of each, of a type of 8 bits.
  Value bytes(int64_t begin, int64_t size, Type element = {}) {
    int64_t all = tensor.format->blockBytes;
    Value whole =
        program.view({count, all}, element ? element : program.unsignedType(8),
                     tensor.offset);
    return program.slice(whole, begin, size);
  }
  /// [blocks, 1]: the half at an even byte of each, in f32.
  Value half(int64_t byte) {
    int64_t all = tensor.format->blockBytes / 2;
    Type f16 = Float16Type::get(program.f32().getContext());
    Value whole = program.view({count, all}, f16, tensor.offset);
    return program.convert(program.slice(whole, byte / 2, 1), program.f32());
  }
  /// The parts of bytes that lie in `runs` runs: of each run the lowest bits of
  /// all bytes, then the next ones. [blocks, elements], of ui2 or ui4.
  Value parts(int64_t begin, int64_t size, unsigned bits, int64_t runs) {
    Value bytes =
        program.reshape(this->bytes(begin, size), {count, runs, size / runs});
    Value moved = program.transpose(program.split(bytes, bits), {0, 1, 3, 2});
    return program.reshape(moved, {count, size * 8 / bits});
  }
  /// The bits of bytes, of all bytes the lowest, then the next; 0 or `weight`.
  Value bits(int64_t begin, int64_t size, int64_t weight) {
    Value moved =
        program.transpose(program.bits(bytes(begin, size), weight), {0, 2, 1});
    return program.reshape(moved, {count, size * 8});
  }
  Value asBytes(Value value) {
    return program.convert(value, program.unsignedType(8));
  }

  WeightProgram &program;
  const GgufTensor &tensor;
  int64_t count;
};

/// What elements are made of, each [blocks, ..]: (numbers - zero) * scales +
/// minima, one of the latter for so many numbers that follow each other.
struct Parts {
  Value numbers, scales, minima;
  int64_t zero = 0;
};
} // namespace

//===--- Blocks of 32 elements -------------------------------------------===//

static Parts partsOfQ40(Blocks &blocks) {
  return {blocks.parts(2, 16, 4, 1), blocks.half(0), {}, 8};
}

static Parts partsOfQ41(Blocks &blocks) {
  return {blocks.parts(4, 16, 4, 1), blocks.half(0), blocks.half(2)};
}

/// Four bits of each element behind the fifth ones of all, which are counted
/// along the elements.
static Value fiveBits(Blocks &blocks, int64_t begin) {
  WeightProgram &program = blocks.program;
  Value high = program.reshape(program.bits(blocks.bytes(begin, 4), 16),
                               {blocks.count, 32});
  return program.add(blocks.asBytes(blocks.parts(begin + 4, 16, 4, 1)), high);
}

static Parts partsOfQ50(Blocks &blocks) {
  return {fiveBits(blocks, 2), blocks.half(0), {}, 16};
}

static Parts partsOfQ51(Blocks &blocks) {
  return {fiveBits(blocks, 4), blocks.half(0), blocks.half(2)};
}

static Parts partsOfQ80(Blocks &blocks) {
  return {
      blocks.bytes(2, 32, blocks.program.signedType(8)), blocks.half(0), {}};
}

/// Floats of four bits in units of a power of two.
static Parts partsOfMxfp4(Blocks &blocks) {
  WeightProgram &program = blocks.program;
  Type power = Float8E8M0FNUType::get(program.f32().getContext());
  Value scales = program.convert(blocks.bytes(0, 1, power), program.f32());
  return {program.eightTimesFloats(blocks.parts(1, 16, 4, 1)),
          program.timesReal(scales, 0.125),
          {}};
}

//===--- Blocks of 256 elements ------------------------------------------===//

/// [blocks, n]: the half at `byte` times each of [blocks, n] small integers.
static Value scaled(Blocks &blocks, int64_t byte, Value integers) {
  WeightProgram &program = blocks.program;
  auto type = cast<RankedTensorType>(integers.getType());
  return program.multiply(program.repeat(blocks.half(byte), type.getDimSize(1)),
                          program.convert(integers, program.f32()));
}

/// Scales and minima of four bits, one byte for 16 elements.
static Parts partsOfQ2K(Blocks &blocks) {
  WeightProgram &program = blocks.program;
  Value pairs = program.split(blocks.bytes(0, 16), 4);
  auto of = [&](int64_t which) {
    return program.reshape(program.slice(pairs, which, 1), {blocks.count, 16});
  };
  return {blocks.parts(16, 64, 2, 2), scaled(blocks, 80, of(0)),
          program.negate(scaled(blocks, 82, of(1)))};
}

/// Two bits of each number, a third one beside them; scales of six bits around
/// 32, four and two of them at different places.
static Parts partsOfQ3K(Blocks &blocks) {
  WeightProgram &program = blocks.program;
  Value numbers = program.add(blocks.asBytes(blocks.parts(32, 64, 2, 2)),
                              blocks.bits(0, 32, 4));
  Value low = blocks.asBytes(blocks.parts(96, 8, 4, 1)),
        high = blocks.asBytes(blocks.parts(104, 4, 2, 1));
  Type small = program.signedType(8);
  Value six = program.convert(program.add(low, program.times(high, 16)), small);
  Value centred =
      program.subtract(six, program.splat({blocks.count, 16}, small, 32));
  return {program.convert(numbers, program.unsignedType(4)),
          scaled(blocks, 108, centred),
          {},
          4};
}

/// Eight scales and eight minima of six bits in the twelve bytes from 4 on: the
/// first four of each are the low bits of a byte each, and the high ones are
/// two bits of the last four's.
static std::pair<Value, Value> sixBits(Blocks &blocks) {
  WeightProgram &program = blocks.program;
  Value bytes = program.reshape(blocks.bytes(4, 8), {blocks.count, 2, 4});
  Value first = program.masked(bytes, 63);
  Value top = program.slice(program.split(bytes, 2), 3, 1);
  top = program.times(
      blocks.asBytes(program.reshape(top, {blocks.count, 2, 4})), 16);
  Value low = program.split(blocks.bytes(12, 4), 4);
  low = blocks.asBytes(program.transpose(low, {0, 2, 1}));
  Value all = program.concatenate({first, program.add(low, top)});
  all = program.reshape(all, {blocks.count, 16});
  return {program.slice(all, 0, 8), program.slice(all, 8, 8)};
}

static Parts partsOfQ4K(Blocks &blocks) {
  auto [scales, minima] = sixBits(blocks);
  return {blocks.parts(16, 128, 4, 4), scaled(blocks, 0, scales),
          blocks.program.negate(scaled(blocks, 2, minima))};
}

static Parts partsOfQ5K(Blocks &blocks) {
  auto [scales, minima] = sixBits(blocks);
  Value numbers = blocks.program.add(
      blocks.asBytes(blocks.parts(48, 128, 4, 4)), blocks.bits(16, 32, 16));
  return {numbers, scaled(blocks, 0, scales),
          blocks.program.negate(scaled(blocks, 2, minima))};
}

/// Four bits of each number, two at another place, in two halves of the block.
static Parts partsOfQ6K(Blocks &blocks) {
  WeightProgram &program = blocks.program;
  Value high = program.times(blocks.asBytes(blocks.parts(128, 64, 2, 2)), 16);
  Value numbers = program.add(blocks.asBytes(blocks.parts(0, 128, 4, 2)), high);
  Value scales = blocks.bytes(192, 16, program.signedType(8));
  return {numbers, scaled(blocks, 208, scales), {}, 32};
}

//===--- The table -------------------------------------------------------===//

using PartsOf = Parts (*)(Blocks &);

static PartsOf partsOf(const GgufFormat &format) {
  return llvm::StringSwitch<PartsOf>(format.name)
      .Case("Q4_0", partsOfQ40)
      .Case("Q4_1", partsOfQ41)
      .Case("Q5_0", partsOfQ50)
      .Case("Q5_1", partsOfQ51)
      .Case("Q8_0", partsOfQ80)
      .Case("Q2_K", partsOfQ2K)
      .Case("Q3_K", partsOfQ3K)
      .Case("Q4_K", partsOfQ4K)
      .Case("Q5_K", partsOfQ5K)
      .Case("Q6_K", partsOfQ6K)
      .Case("MXFP4", partsOfMxfp4)
      .Default(nullptr);
}

bool heddle::readsGgufBlocks(const GgufFormat &format) {
  return partsOf(format) != nullptr;
}

Type heddle::ggufElement(MLIRContext *context, const GgufFormat &format) {
  Builder b(context);
  return llvm::StringSwitch<Type>(format.name)
      .Case("F16", b.getF16Type())
      .Case("BF16", b.getBF16Type())
      .Case("F32", b.getF32Type())
      .Case("F64", b.getF64Type())
      .Case("I8", b.getIntegerType(8))
      .Case("I16", b.getIntegerType(16))
      .Case("I32", b.getIntegerType(32))
      .Case("I64", b.getIntegerType(64))
      .Default(Type());
}

Value heddle::writeGgufWeight(WeightProgram &program, const GgufTensor &tensor,
                              FloatType result) {
  Blocks blocks(program, tensor);
  Parts parts = partsOf(*tensor.format)(blocks);
  int64_t depth = tensor.shape.back();
  int64_t rows = blocks.count * tensor.format->blockElements / depth;
  auto perBlock = cast<RankedTensorType>(parts.scales.getType()).getDimSize(1);
  int64_t block = tensor.format->blockElements / perBlock;
  Value numbers = program.reshape(parts.numbers, {rows, depth});
  Value scales = program.reshape(parts.scales, {rows, depth / block});
  Value real = program.dequantize(numbers, scales, {}, parts.zero, 1, block,
                                  parts.minima ? program.f32() : result);
  if (parts.minima) {
    Value minima = program.reshape(parts.minima, {rows, depth / block});
    real = program.convert(program.add(real, program.repeat(minima, block)),
                           result);
  }
  return program.reshape(real, tensor.shape);
}
