#include "dialects/Kernel/Packing.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle::kernel;

FailureOr<Packing> Packing::parse(StringRef text) {
  Packing packing;
  if (text == "n32k1")
    return packing;
  packing.kind = Kind::Convolution;
  if (text.consume_front("g") &&
      (text.consumeInteger(10, packing.groups) || packing.groups < 2))
    return failure();
  if (text != "o32")
    return failure();
  return packing;
}

std::string Packing::str() const {
  if (kind == Kind::Contraction)
    return "n32k1";
  return groups == 1 ? "o32" : "g" + std::to_string(groups) + "o32";
}

RankedTensorType Packing::storedType(RankedTensorType value) const {
  ArrayRef<int64_t> shape = value.getShape();
  if (shape.size() < 2 || !value.hasStaticShape())
    return {};
  SmallVector<int64_t> stored;
  if (kind == Kind::Contraction) {
    stored.append(shape.begin(), shape.end() - 2);
    stored.push_back(llvm::divideCeil(shape.back(), panel));
    stored.push_back(shape[shape.size() - 2]);
  } else {
    if (shape.back() % groups != 0)
      return {};
    stored.push_back(groups);
    stored.push_back(llvm::divideCeil(shape.back() / groups, panel));
    stored.append(shape.begin(), shape.end() - 1);
  }
  stored.push_back(panel);
  return value.clone(stored);
}
