// Random bits: ThreeFry 2x32 and Philox 4x32 (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", 2011). Every element computes its own counter's
// block, so that the bits are part of the kernel that uses them. How states and
// outputs are laid out is said, and compared with, in lib/Reference/Random.cpp.

#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/NarrowTypes.h"
#include "passes/Lower/Scalar/ScalarBits.h"
#include "passes/Lower/Scalar/ScalarConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include <array>

using namespace mlir;
using namespace heddle;

namespace {
/// Arithmetic on 32- and 64-bit words.
struct WordBuilder {
  OpBuilder &b;
  Location loc;

  Value word(uint64_t value) { return constant(b.getI32Type(), value); }
  Value wide(uint64_t value) { return constant(b.getI64Type(), value); }
  Value constant(Type type, uint64_t value) {
    APInt number(type.getIntOrFloatBitWidth(), value, false,
                 /*implicitTrunc=*/true);
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, number));
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value exclusiveOr(Value x, Value y) {
    return arith::XOrIOp::create(b, loc, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value is(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value low(Value value) {
    return arith::TruncIOp::create(b, loc, b.getI32Type(), value);
  }
  Value high(Value value) {
    return low(arith::ShRUIOp::create(b, loc, value, wide(32)));
  }
  Value widen(Value value) {
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
  }
  /// low + high * 2^32
  Value join(Value low, Value high) {
    Value upper = arith::ShLIOp::create(b, loc, widen(high), wide(32));
    return arith::OrIOp::create(b, loc, widen(low), upper);
  }
  Value rotateLeft(Value value, unsigned by) {
    return arith::OrIOp::create(
        b, loc, arith::ShLIOp::create(b, loc, value, word(by)),
        arith::ShRUIOp::create(b, loc, value, word(32 - by)));
  }
};

using Pair = std::array<Value, 2>;
using Four = std::array<Value, 4>;

/// A generator's state as 64-bit numbers: the key, then the counter.
struct State {
  Value key, low, high;
};
} // namespace

/// Twenty rounds, a key injection after every four.
static Pair threeFry(WordBuilder &w, Pair key, Pair counter) {
  static constexpr unsigned rotations[2][4] = {{13, 15, 26, 6},
                                               {17, 29, 16, 24}};
  Value parity =
      w.exclusiveOr(w.exclusiveOr(key[0], key[1]), w.word(0x1BD11BDA));
  Value keys[3] = {key[0], key[1], parity};
  Value x = w.add(counter[0], keys[0]), y = w.add(counter[1], keys[1]);
  for (unsigned block = 0; block < 5; ++block) {
    for (unsigned rotation : rotations[block % 2]) {
      x = w.add(x, y);
      y = w.exclusiveOr(w.rotateLeft(y, rotation), x);
    }
    x = w.add(x, keys[(block + 1) % 3]);
    y = w.add(y, w.add(keys[(block + 2) % 3], w.word(block + 1)));
  }
  return {x, y};
}

/// Ten rounds.
static Four philox(WordBuilder &w, Pair key, Four counter) {
  for (unsigned round = 0; round < 10; ++round) {
    Value first = w.mul(w.widen(counter[0]), w.wide(0xD2511F53));
    Value second = w.mul(w.widen(counter[2]), w.wide(0xCD9E8D57));
    Value x = w.exclusiveOr(w.exclusiveOr(w.high(second), counter[1]), key[0]);
    Value z = w.exclusiveOr(w.exclusiveOr(w.high(first), counter[3]), key[1]);
    counter = {x, w.low(second), z, w.low(first)};
    key = {w.add(key[0], w.word(0x9E3779B9)),
           w.add(key[1], w.word(0xBB67AE85))};
  }
  return counter;
}

/// The block of `state` that lies `offset` counters on.
static Four philoxBlock(WordBuilder &w, const State &state, Value offset) {
  Value low = w.add(state.low, offset);
  Value carry = w.is(arith::CmpIPredicate::ult, low, state.low);
  Value high = w.add(state.high, w.select(carry, w.wide(1), w.wide(0)));
  return philox(w, {w.low(state.key), w.high(state.key)},
                {w.low(low), w.high(low), w.low(high), w.high(high)});
}
static Pair threeFryBlock(WordBuilder &w, const State &state, Value offset) {
  Value counter = w.add(state.low, offset);
  return threeFry(w, {w.low(state.key), w.high(state.key)},
                  {w.low(counter), w.high(counter)});
}

/// The row-major number of the point of a generic, as i64.
static Value linearIndex(WordBuilder &w, ArrayRef<int64_t> shape) {
  Value position = arith::ConstantIndexOp::create(w.b, w.loc, 0);
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    Value scaled =
        w.mul(position, arith::ConstantIndexOp::create(w.b, w.loc, extent));
    position = w.add(scaled, linalg::IndexOp::create(w.b, w.loc, dim));
  }
  return arith::IndexCastOp::create(w.b, w.loc, w.b.getI64Type(), position);
}

/// The state in `tensor`: two or three numbers of 64 bits, or twice as many of
/// 32. The upper half of Philox's counter is the key where there are two.
static State readState(WordBuilder &w, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto element = [&](int64_t i) -> Value {
    Value at = arith::ConstantIndexOp::create(w.b, w.loc, i);
    return tensor::ExtractOp::create(w.b, w.loc, tensor, at);
  };
  bool halves = type.getElementTypeBitWidth() == 32;
  auto number = [&](int64_t i) {
    return halves ? w.join(element(2 * i), element(2 * i + 1)) : element(i);
  };
  State state;
  state.key = number(0);
  state.low = number(1);
  bool hasHigh = type.getNumElements() == (halves ? 6 : 3);
  state.high = hasHigh ? number(2) : state.key;
  return state;
}

namespace {
/// Which block and which of its two words an element of 32 bits or less takes
/// from ThreeFry, as XLA lays them out: along the first dimension of even
/// extent, else along the largest, first and second words take turns.
struct WordLayout {
  int64_t outer = 1, extent = 1, inner = 1;

  explicit WordLayout(ArrayRef<int64_t> shape) {
    if (shape.empty())
      return;
    auto split =
        llvm::find_if(shape, [](int64_t size) { return size % 2 == 0; });
    if (split == shape.end())
      split = std::max_element(shape.begin(), shape.end());
    extent = *split;
    for (int64_t size : ArrayRef(shape.begin(), split))
      outer *= size;
    for (int64_t size : ArrayRef(split + 1, shape.end()))
      inner *= size;
  }
  int64_t half() const { return (extent + 1) / 2; }
  int64_t blocks() const { return outer * half() * inner; }
};
} // namespace

/// The word of ThreeFry that element `index`, in row-major order, takes.
static Value threeFryWord(WordBuilder &w, const State &state, Value index,
                          const WordLayout &layout) {
  auto divide = [&](Value value, int64_t by) -> Value {
    return by == 1 ? value
                   : arith::DivUIOp::create(w.b, w.loc, value, w.wide(by));
  };
  auto remainder = [&](Value value, int64_t by) -> Value {
    return by == 1 ? w.wide(0)
                   : arith::RemUIOp::create(w.b, w.loc, value, w.wide(by));
  };
  Value line = divide(index, layout.inner);
  Value position = layout.outer == 1 ? line : remainder(line, layout.extent);
  Value block = arith::ShRUIOp::create(w.b, w.loc, position, w.wide(1));
  if (layout.outer != 1)
    block =
        w.add(w.mul(divide(line, layout.extent), w.wide(layout.half())), block);
  block =
      w.add(w.mul(block, w.wide(layout.inner)), remainder(index, layout.inner));
  Pair pair = threeFryBlock(w, state, block);
  Value parity = arith::AndIOp::create(w.b, w.loc, position, w.wide(1));
  return w.select(w.is(arith::CmpIPredicate::ne, parity, w.wide(0)), pair[1],
                  pair[0]);
}

/// The 32 or 64 random bits of element `index`.
static Value bitsOf(WordBuilder &w, const State &state, Value index,
                    ArrayRef<int64_t> shape, bool wide, bool isThreeFry) {
  using Predicate = arith::CmpIPredicate;
  if (isThreeFry && wide) {
    Pair pair = threeFryBlock(w, state, index);
    return w.join(pair[0], pair[1]);
  }
  if (isThreeFry)
    return threeFryWord(w, state, index, WordLayout(shape));
  unsigned perBlock = wide ? 2 : 4;
  Value part = arith::AndIOp::create(w.b, w.loc, index, w.wide(perBlock - 1));
  Value offset =
      arith::ShRUIOp::create(w.b, w.loc, index, w.wide(wide ? 1 : 2));
  Four words = philoxBlock(w, state, offset);
  auto isPart = [&](uint64_t number) {
    return w.is(Predicate::eq, part, w.wide(number));
  };
  if (wide)
    return w.select(isPart(0), w.join(words[0], words[1]),
                    w.join(words[2], words[3]));
  return w.select(
      isPart(0), words[0],
      w.select(isPart(1), words[1], w.select(isPart(2), words[2], words[3])));
}

static void lowerOp(GraphLowering &lowering, stablehlo::RngBitGeneratorOp op) {
  Value initial = lowering.lowered(op.getInitialState());
  auto stateType = cast<RankedTensorType>(initial.getType());
  RankedTensorType type = lowering.resultType(op, 1);
  bool isThreeFry = op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY;
  unsigned stateWidth = stateType.getElementTypeBitWidth();
  int64_t numbers = stateType.getNumElements() * stateWidth / 64;
  if ((stateWidth != 32 && stateWidth != 64) ||
      (numbers != 2 && (isThreeFry || numbers != 3)))
    return lowering.unsupported(
        op, "a state that is not of two 64-bit numbers, or three of Philox");
  Type element = getElementTypeOrSelf(op.getOutput().getType());
  unsigned width = type.getElementTypeBitWidth();
  if (width == 1)
    return lowering.unsupported(op, "random bits of type i1");
  bool wide = width == 64;
  int64_t count = type.getNumElements();

  Value output =
      lowering.generic(op.getLoc(), type, {}, {},
                       [&](OpBuilder &b, Location loc, ValueRange) -> Value {
                         WordBuilder w{b, loc};
                         Value bits = bitsOf(w, readState(w, initial),
                                             linearIndex(w, type.getShape()),
                                             type.getShape(), wide, isThreeFry);
                         return emitFromBits(b, loc, bits, element);
                       });

  // As many counters as blocks were used.
  int64_t words = wide ? 2 * count : count;
  int64_t blocks = !isThreeFry ? (words + 3) / 4
                   : wide      ? count
                               : WordLayout(type.getShape()).blocks();
  Value next = lowering.generic(
      op.getLoc(), stateType, {}, {},
      [&](OpBuilder &b, Location loc, ValueRange) -> Value {
        WordBuilder w{b, loc};
        State state = readState(w, initial);
        Value low = w.add(state.low, w.wide(blocks));
        Value carry = w.is(arith::CmpIPredicate::ult, low, state.low);
        Value high = w.add(state.high, w.select(carry, w.wide(1), w.wide(0)));
        Value index = linearIndex(w, stateType.getShape());
        auto is = [&](uint64_t number) {
          return w.is(arith::CmpIPredicate::eq, index, w.wide(number));
        };
        if (stateWidth == 64)
          return w.select(is(0), state.key, w.select(is(1), low, high));
        Value value = w.high(high);
        value = w.select(is(4), w.low(high), value);
        value = w.select(is(3), w.high(low), value);
        value = w.select(is(2), w.low(low), value);
        value = w.select(is(1), w.high(state.key), value);
        return w.select(is(0), w.low(state.key), value);
      });
  lowering.replace(op, {next, output});
}

/// rng: which numbers is left open; here Philox from a fixed state, a block for
/// each element. Every execution gives the same numbers.
static void lowerOp(GraphLowering &lowering, stablehlo::RngOp op) {
  RankedTensorType type = lowering.resultType(op);
  Type element = type.getElementType();
  bool isNormal = op.getRngDistribution() == stablehlo::RngDistribution::NORMAL;
  bool isFloat = isa<FloatType>(element);
  Type source = cast<RankedTensorType>(op.getA().getType()).getElementType();
  if (element.isInteger(1) || isNarrowFloat(source) || (isNormal && !isFloat))
    return lowering.unsupported(op, "numbers of this type");
  SmallVector<Value> bounds = lowering.lowered({op.getA(), op.getB()});
  if (isNarrowInteger(source))
    for (Value &bound : bounds)
      bound = lowering.converted(op.getLoc(), bound, source, byteType(source));
  AffineMap scalar =
      AffineMap::get(type.getRank(), 0, lowering.builder.getContext());
  auto payload = [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
    WordBuilder w{b, loc};
    State state{w.wide(0x68656464), w.wide(0x6c65), w.wide(0x68656464)};
    Four words = philoxBlock(w, state, linearIndex(w, type.getShape()));
    Type f64 = b.getF64Type(), i64 = b.getI64Type();
    if (!isFloat) {
      auto widen = [&](Value value) -> Value {
        if (value.getType() == i64)
          return value;
        if (source.isUnsignedInteger())
          return arith::ExtUIOp::create(b, loc, i64, value);
        return arith::ExtSIOp::create(b, loc, i64, value);
      };
      Value low = widen(x[0]);
      Value range = arith::SubIOp::create(b, loc, widen(x[1]), low);
      Value empty = w.is(arith::CmpIPredicate::eq, range, w.wide(0));
      Value divisor = w.select(empty, w.wide(1), range);
      Value bits = w.join(words[1], words[0]);
      Value number = w.add(low, arith::RemUIOp::create(b, loc, bits, divisor));
      return convertScalar(b, loc, number, i64, source);
    }
    auto real = [&](double value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getFloatAttr(f64, value));
    };
    auto mul = [&](Value left, Value right) -> Value {
      return arith::MulFOp::create(b, loc, left, right);
    };
    auto add = [&](Value left, Value right) -> Value {
      return arith::AddFOp::create(b, loc, left, right);
    };
    auto sub = [&](Value left, Value right) -> Value {
      return arith::SubFOp::create(b, loc, left, right);
    };
    // 53 bits below 1.
    auto unit = [&](Value high, Value low) {
      Value bits =
          arith::ShRUIOp::create(b, loc, w.join(low, high), w.wide(11));
      return mul(arith::SIToFPOp::create(b, loc, f64, bits), real(0x1p-53));
    };
    auto widen = [&](Value value) -> Value {
      if (value.getType() == f64)
        return value;
      return arith::ExtFOp::create(b, loc, f64, value);
    };
    auto narrow = [&](Value value) -> Value {
      if (element == f64)
        return value;
      return arith::TruncFOp::create(b, loc, element, value);
    };
    Value low = widen(x[0]), high = widen(x[1]);
    Value first = unit(words[0], words[1]);
    if (!isNormal) {
      Value value = narrow(add(low, mul(sub(high, low), first)));
      // Rounding must not reach the bound that is excluded.
      Value reached = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE,
                                            widen(value), high);
      return w.select(reached, x[0], value);
    }
    // Box and Muller.
    Value log = math::LogOp::create(b, loc, sub(real(1), first));
    Value radius = math::SqrtOp::create(b, loc, mul(real(-2), log));
    Value angle = mul(real(6.283185307179586477), unit(words[2], words[3]));
    Value cosine = math::CosOp::create(b, loc, angle);
    return narrow(add(low, mul(mul(high, radius), cosine)));
  };
  lowering.replace(op, lowering.generic(op.getLoc(), type, bounds,
                                        {scalar, scalar}, payload));
}

bool heddle::lowerRandom(GraphLowering &lowering, Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<stablehlo::RngBitGeneratorOp, stablehlo::RngOp>([&](auto typed) {
        lowerOp(lowering, typed);
        return true;
      })
      .Default([](Operation *) { return false; });
}
