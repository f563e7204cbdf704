// Sums of products of integers over one dimension of a weight, a part of it at
// a time: what a zero point of the other operand wants of a quantized product.

#include "BoxEvaluator.h"

#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/ElementKind.h"
#include "heddle/Support/TensorTypes.h"

using namespace mlir;
using namespace heddle;

static std::vector<int64_t> loadIntegers(Type type, ArrayRef<char> bytes) {
  ElementKind kind = *elementKind(type);
  std::vector<int64_t> values(bytes.size() / storedBytes(kind));
  loadElements(kind, bytes.data(), values.size(), values.data());
  return values;
}

namespace {
/// A vector times the points of a box of the result, of which each wants a
/// whole line of the tensor.
class Summation {
public:
  Summation(stablehlo::DotGeneralOp op, int64_t dim, const Box &result,
            char *out)
      : op(op), dim(dim), out(out), sums(result.elements(), 0), box(result) {
    box.offsets.insert(box.offsets.begin() + dim, 0);
    box.sizes.insert(box.sizes.begin() + dim, 0);
  }

  std::optional<BoxRequest> next() {
    int64_t depth = typeOf(op.getRhs()).getDimSize(dim);
    switch (read) {
    case Read::Nothing:
      read = Read::Factors;
      bytes.resize(depth * elementBytes(elementOf(op.getLhs())));
      return BoxRequest{op.getLhs(), Box::whole({depth}), bytes.data()};
    case Read::Factors:
      read = Read::Parts;
      factors = loadIntegers(elementOf(op.getLhs()), bytes);
      break;
    case Read::Parts:
      addPart();
      box.offsets[dim] += box.sizes[dim];
      break;
    }
    if (box.offsets[dim] == depth) {
      storeElements(*elementKind(elementOf(op.getResult())), sums.data(),
                    sums.size(), out);
      return std::nullopt;
    }
    constexpr int64_t mostElements = 1 << 18;
    int64_t lines = static_cast<int64_t>(sums.size());
    box.sizes[dim] = std::min(
        depth - box.offsets[dim],
        std::max<int64_t>(1, mostElements / std::max<int64_t>(1, lines)));
    bytes.resize(box.elements() * elementBytes(elementOf(op.getRhs())));
    return BoxRequest{op.getRhs(), box, bytes.data()};
  }

private:
  static Type elementOf(Value value) { return typeOf(value).getElementType(); }

  void addPart() {
    std::vector<int64_t> values = loadIntegers(elementOf(op.getRhs()), bytes);
    int64_t inner = 1, outer = 1, count = box.sizes[dim];
    for (auto [i, size] : llvm::enumerate(box.sizes))
      if (static_cast<int64_t>(i) != dim)
        (static_cast<int64_t>(i) < dim ? outer : inner) *= size;
    const int64_t *value = values.data();
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t k = 0; k < count; ++k)
        for (int64_t i = 0; i < inner; ++i)
          sums[o * inner + i] += factors[box.offsets[dim] + k] * *value++;
  }

  /// What was read so far.
  enum class Read : uint8_t { Nothing, Factors, Parts };

  stablehlo::DotGeneralOp op;
  int64_t dim;
  char *out;
  Read read = Read::Nothing;
  std::vector<int64_t> sums, factors;
  Box box;
  std::vector<char> bytes;
};
} // namespace

FailureOr<BoxEvaluator::Step> BoxEvaluator::dot(stablehlo::DotGeneralOp op,
                                                const Box &box, char *out) {
  ArrayRef<int64_t> dims =
      op.getDotDimensionNumbers().getRhsContractingDimensions();
  auto isInteger = [](Value value) {
    return isa<IntegerType>(typeOf(value).getElementType());
  };
  if (typeOf(op.getLhs()).getRank() != 1 || dims.size() != 1 ||
      !isInteger(op.getLhs()) || !isInteger(op.getRhs()) ||
      !isInteger(op.getResult()))
    return emitError(op.getLoc(), ErrorCode::NoKernel)
           << "'" << op->getName() << "' of constants is no vector of integers "
           << "times a tensor of them";
  return Step(
      [summation = Summation(op, dims[0], box, out)]() mutable
      -> FailureOr<std::optional<BoxRequest>> { return summation.next(); });
}
