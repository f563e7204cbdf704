// Reads and prints the words of a packing, and says what a packed weight is
// stored as.

#include "dialects/Kernel/Packing.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle::kernel;

/// More would be a mistake: a panel is read as vectors.
static constexpr int64_t mostColumns = 4096, mostDepth = 64;

/// Reads `letter` and the number after it, from 1 to `most`.
static bool consume(StringRef &text, StringRef letter, int64_t most,
                    int64_t &number) {
  return text.consume_front(letter) && !text.consumeInteger(10, number) &&
         number >= 1 && number <= most;
}

FailureOr<Packing> Packing::parse(StringRef text) {
  Packing packing;
  StringRef rest = text;
  if (consume(rest, "n", mostColumns, packing.panel)) {
    if (!consume(rest, "k", mostDepth, packing.depth))
      return failure();
  } else {
    packing.kind = Kind::Convolution;
    if (rest.starts_with("g") && !consume(rest, "g", INT64_MAX, packing.groups))
      return failure();
    if (!consume(rest, "o", mostColumns, packing.panel))
      return failure();
  }
  // Each layout is written in one way.
  if (packing.str() != text)
    return failure();
  return packing;
}

std::string Packing::str() const {
  if (kind == Kind::Contraction)
    return "n" + std::to_string(panel) + "k" + std::to_string(depth);
  std::string channels = "o" + std::to_string(panel);
  return groups == 1 ? channels : "g" + std::to_string(groups) + channels;
}

RankedTensorType Packing::storedType(RankedTensorType value) const {
  ArrayRef<int64_t> shape = value.getShape();
  if (shape.size() < 2 || !value.hasStaticShape())
    return {};
  SmallVector<int64_t> stored;
  if (kind == Kind::Contraction) {
    stored.append(shape.begin(), shape.end() - 2);
    stored.push_back(llvm::divideCeil(shape.back(), panel));
    stored.push_back(llvm::divideCeil(shape[shape.size() - 2], depth));
  } else {
    if (shape.back() % groups != 0)
      return {};
    stored.push_back(groups);
    stored.push_back(llvm::divideCeil(shape.back() / groups, panel));
    stored.append(shape.begin(), shape.end() - 1);
  }
  stored.push_back(panel);
  if (depth > 1)
    stored.push_back(depth);
  return value.clone(stored);
}
