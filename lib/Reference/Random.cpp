// Counter-based random bits: ThreeFry 2x32 and Philox 4x32, as in Salmon et
// al., "Parallel random numbers: as easy as 1, 2, 3" (2011); how states and
// outputs are laid out follows XLA.

#include "Evaluator.h"

#include "dialects/StableHlo/StableHlo.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

static uint32_t rotateLeft(uint32_t value, unsigned by) {
  return (value << by) | (value >> (32 - by));
}

/// Twenty rounds, a key injection after every four.
static std::array<uint32_t, 2> threeFry(std::array<uint32_t, 2> key,
                                        std::array<uint32_t, 2> counter) {
  static constexpr unsigned kRotations[2][4] = {{13, 15, 26, 6},
                                                {17, 29, 16, 24}};
  uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA};
  uint32_t x = counter[0] + keys[0], y = counter[1] + keys[1];
  for (unsigned block = 0; block < 5; ++block) {
    for (unsigned rotation : kRotations[block % 2]) {
      x += y;
      y = rotateLeft(y, rotation) ^ x;
    }
    x += keys[(block + 1) % 3];
    y += keys[(block + 2) % 3] + block + 1;
  }
  return {x, y};
}

/// Ten rounds.
static std::array<uint32_t, 4> philox(std::array<uint32_t, 2> key,
                                      std::array<uint32_t, 4> counter) {
  for (unsigned round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(second >> 32) ^ counter[1] ^ key[0], uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ key[1], uint32_t(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

namespace {
/// Random 32-bit words in the order in which the generator gives them.
struct Words {
  std::vector<uint32_t> words;
  std::vector<uint64_t> state;
};
} // namespace

/// State: key, counter. `calls` counters are taken; the first words of all
/// results come before the second words.
static Words threeFryWords(ArrayRef<uint64_t> state, int64_t calls) {
  Words out;
  std::array<uint32_t, 2> key = {uint32_t(state[0]), uint32_t(state[0] >> 32)};
  std::vector<uint32_t> second;
  for (int64_t i = 0; i < calls; ++i) {
    uint64_t counter = state[1] + i;
    auto pair = threeFry(key, {uint32_t(counter), uint32_t(counter >> 32)});
    out.words.push_back(pair[0]);
    second.push_back(pair[1]);
  }
  out.words.insert(out.words.end(), second.begin(), second.end());
  out.state = {state[0], state[1] + uint64_t(calls)};
  return out;
}

/// The numbers of the words, among all first and then all second ones, that the
/// elements of a shape take in row-major order, as XLA has it: the two words of
/// a call are neighbours along the first dimension of even extent; without one,
/// along the largest, as if that had one more element.
static std::vector<int64_t> threeFryOrder(ArrayRef<int64_t> shape,
                                          int64_t &calls) {
  size_t split = 0;
  while (split < shape.size() && shape[split] % 2)
    ++split;
  if (split == shape.size() && !shape.empty())
    split = std::max_element(shape.begin(), shape.end()) - shape.begin();
  int64_t outer = 1, extent = shape.empty() ? 1 : shape[split], inner = 1;
  for (size_t dim = 0; dim < split; ++dim)
    outer *= shape[dim];
  for (size_t dim = split + 1; dim < shape.size(); ++dim)
    inner *= shape[dim];
  int64_t half = (extent + 1) / 2;
  calls = outer * half * inner;
  std::vector<int64_t> order;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t d = 0; d < extent; ++d)
      for (int64_t i = 0; i < inner; ++i)
        order.push_back((d % 2) * calls + (o * half + d / 2) * inner + i);
  return order;
}

/// State: key, then a counter of 128 bits, whose upper half is the key again
/// where only 64 were given.
static Words philoxWords(ArrayRef<uint64_t> state, int64_t words) {
  Words out;
  int64_t calls = (words + 3) / 4;
  std::array<uint32_t, 2> key = {uint32_t(state[0]), uint32_t(state[0] >> 32)};
  uint64_t low = state[1], high = state.size() > 2 ? state[2] : state[0];
  for (int64_t i = 0; i < calls; ++i) {
    auto four = philox(key, {uint32_t(low), uint32_t(low >> 32), uint32_t(high),
                             uint32_t(high >> 32)});
    out.words.insert(out.words.end(), four.begin(), four.end());
    if (++low == 0)
      ++high;
  }
  out.state = {state[0], low};
  if (state.size() > 2)
    out.state.push_back(high);
  return out;
}

static LogicalResult rngBitGenerator(Invocation &call,
                                     stablehlo::RngBitGeneratorOp op) {
  const HostTensor &initial = call.tensor(0);
  SmallVector<uint64_t> state;
  if (initial.elementBytes() == 8) {
    for (int64_t i = 0; i < initial.size(); ++i)
      state.push_back(initial.uintAt(i));
  } else if (initial.elementBytes() == 4 && initial.size() % 2 == 0) {
    for (int64_t i = 0; i < initial.size(); i += 2)
      state.push_back(initial.uintAt(i) | initial.uintAt(i + 1) << 32);
  }
  bool threefry = op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY;
  if (state.size() != 2 && (threefry || state.size() != 3))
    return call.error() << "has a state of the wrong size";
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  FailureOr<HostTensor> output = call.allocate(type.getShape(), 1);
  if (failed(output))
    return failure();
  unsigned bits = bitWidth(output->kind());
  if (elementClass(output->kind()) == ElementClass::Complex ||
      elementClass(output->kind()) == ElementClass::Boolean)
    return call.error(ErrorCode::NotInterpretable)
           << "has elements of type " << type.getElementType();

  int64_t count = output->size();
  int64_t words = bits == 64 ? 2 * count : count;
  // The default algorithm is any: here Philox.
  int64_t calls = count;
  std::vector<int64_t> order;
  if (threefry && bits != 64)
    order = threeFryOrder(output->shape(), calls);
  Words random =
      threefry ? threeFryWords(state, calls) : philoxWords(state, words);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t value;
    if (bits == 64 && threefry)
      // Pairs of one call are one 64-bit number.
      value = random.words[i] |
              uint64_t(random.words[random.words.size() / 2 + i]) << 32;
    else if (bits == 64)
      value = random.words[2 * i] | uint64_t(random.words[2 * i + 1]) << 32;
    else
      value = random.words[threefry ? order[i] : i];
    value &= bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
    // A NaN keeps its bits, which it would lose as a number.
    if (elementClass(output->kind()) == ElementClass::Float)
      std::copy_n(reinterpret_cast<const char *>(&value),
                  output->elementBytes(),
                  output->mutableBytes().data() + i * output->elementBytes());
    else
      output->set(i, value);
  }
  FailureOr<HostTensor> next = call.allocate(initial.shape(), 0);
  if (failed(next))
    return failure();
  for (int64_t i = 0; i < next->size(); ++i)
    next->set(i, initial.elementBytes() == 8
                     ? random.state[i]
                     : random.state[i / 2] >> (i % 2 ? 32 : 0));
  if (failed(call.give(std::move(*next))))
    return failure();
  return call.give(std::move(*output));
}

/// rng: which numbers is open; Philox with the operation's operands as bounds.
/// Every execution gives the same numbers.
static LogicalResult rng(Invocation &call, stablehlo::RngOp op) {
  Extents shape;
  for (int64_t i = 0; i < call.tensor(2).size(); ++i)
    shape.push_back(call.tensor(2).intAt(i));
  FailureOr<HostTensor> result = call.allocate(shape);
  if (failed(result))
    return failure();
  bool normal = op.getRngDistribution() == stablehlo::RngDistribution::NORMAL;
  ElementClass kind = elementClass(result->kind());
  if (kind == ElementClass::Complex || (normal && kind != ElementClass::Float))
    return call.error(ErrorCode::NotInterpretable)
           << "has elements of type " << result->type().getElementType();
  Words random = philoxWords({0x68656464, 0x6c65}, 4 * result->size());
  auto unit = [&](int64_t i) {
    uint64_t bits =
        uint64_t(random.words[2 * i]) << 32 | random.words[2 * i + 1];
    return std::ldexp(double(bits >> 11), -53);
  };
  const HostTensor &a = call.tensor(0), &b = call.tensor(1);
  for (int64_t i = 0; i < result->size(); ++i) {
    if (kind == ElementClass::Float) {
      double low = a.floatAt(0), high = b.floatAt(0), value;
      if (normal) {
        // Box and Muller.
        double radius = std::sqrt(-2 * std::log(1 - unit(2 * i)));
        value = low + high * radius * std::cos(2 * M_PI * unit(2 * i + 1));
      } else {
        value = low + (high - low) * unit(2 * i);
        // Rounding to the type must not reach the bound that is excluded.
        if (roundToKind(result->kind(), value) >= high)
          value = low;
      }
      result->set(i, value);
    } else {
      uint64_t range = b.uintAt(0) - a.uintAt(0);
      uint64_t bits =
          uint64_t(random.words[4 * i]) << 32 | random.words[4 * i + 1];
      result->set(i, a.uintAt(0) + (range ? bits % range : 0));
    }
  }
  return call.give(std::move(*result));
}

void reference::addRandom(Registry &registry) {
  registry.add<stablehlo::RngBitGeneratorOp, rngBitGenerator>();
  registry.add<stablehlo::RngOp, rng>();
}
