// sort and top_k. Sorting is a stable merge sort, which also ends where a
// comparator contradicts itself.

#include "Evaluator.h"
#include "Payload.h"

#include "dialects/Chlo/Chlo.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

/// Sorts positions so that `before(a, b)` holds between neighbours; equal ones
/// keep their order. False if a comparison failed.
static bool
mergeSort(std::vector<int64_t> &positions,
          llvm::function_ref<std::optional<bool>(int64_t, int64_t)> before) {
  size_t size = positions.size();
  std::vector<int64_t> merged(size);
  for (size_t width = 1; width < size; width *= 2) {
    for (size_t begin = 0; begin < size; begin += 2 * width) {
      size_t middle = std::min(begin + width, size),
             end = std::min(begin + 2 * width, size);
      size_t left = begin, right = middle;
      for (size_t out = begin; out < end; ++out) {
        bool takeRight = left == middle;
        if (!takeRight && right < end) {
          std::optional<bool> less = before(positions[right], positions[left]);
          if (!less)
            return false;
          takeRight = *less;
        }
        merged[out] = positions[takeRight ? right++ : left++];
      }
    }
    positions.swap(merged);
  }
  return true;
}

static LogicalResult sort(Invocation &call, stablehlo::SortOp op) {
  return applySort(call, op.getDimension(), op.getComparator().front());
}

FailureOr<SmallVector<HostTensor>>
reference::sortTensors(Invocation &call, int64_t dimension, Block &body) {
  unsigned arity = call.operands.size();
  const HostTensor &first = call.tensor(0);
  if (dimension < 0)
    dimension += first.rank();
  if (dimension < 0 || dimension >= first.rank())
    return LogicalResult(call.error()
                         << "sorts along a dimension that its operand lacks");
  SmallVector<ElementKind> kinds;
  for (BlockArgument argument : body.getArguments())
    kinds.push_back(
        call.evaluator.evaluatedKind(getElementTypeOrSelf(argument.getType())));
  FailureOr<Payload> payload = Payload::compile(call.evaluator, body, kinds);
  if (failed(payload) || payload->numResults() != 1)
    return LogicalResult(call.error(ErrorCode::NotInterpretable)
                         << "has a region that is no function of scalars");

  SmallVector<HostTensor> results;
  for (unsigned i = 0; i < arity; ++i) {
    FailureOr<HostTensor> result = call.evaluator.allocate(
        call.op, first.shape(), call.tensor(i).type().getElementType());
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  SmallVector<char *> bytes;
  for (HostTensor &result : results)
    bytes.push_back(result.mutableBytes().data());

  int64_t extent = first.dim(dimension);
  Extents outer(first.shape()), strides = rowMajorStrides(first.shape());
  int64_t step = strides[dimension];
  outer[dimension] = first.size() == 0 ? 0 : 1;
  IndexWalk lines(outer, strides);
  std::vector<int64_t> positions(extent);
  for (int64_t line = 0; line < numElements(outer); ++line, lines.next()) {
    std::iota(positions.begin(), positions.end(), 0);
    int64_t base = lines.offset();
    bool sorted =
        mergeSort(positions, [&](int64_t a, int64_t b) -> std::optional<bool> {
          for (unsigned i = 0; i < arity; ++i) {
            const HostTensor &tensor = call.tensor(i);
            payload->argument(2 * i).load(tensor.kind(),
                                          tensor.element(base + a * step), 1);
            payload->argument(2 * i + 1).load(
                tensor.kind(), tensor.element(base + b * step), 1);
          }
          if (failed(payload->run(1)))
            return std::nullopt;
          return *payload->result(0).as<uint64_t>() != 0;
        });
    if (!sorted)
      return failure();
    for (unsigned i = 0; i < arity; ++i) {
      unsigned width = call.tensor(i).elementBytes();
      for (int64_t to = 0; to < extent; ++to)
        std::copy_n(call.tensor(i).element(base + positions[to] * step), width,
                    bytes[i] + (base + to * step) * width);
    }
  }
  return results;
}

LogicalResult reference::applySort(Invocation &call, int64_t dimension,
                                   Block &comparator) {
  auto results = sortTensors(call, dimension, comparator);
  if (failed(results))
    return failure();
  for (HostTensor &result : *results)
    if (failed(call.give(std::move(result))))
      return failure();
  return success();
}

/// The k largest elements of the last dimension and their positions; of equal
/// ones the first wins. NaN counts as the largest value, as in the total order.
LogicalResult reference::applyTopK(Invocation &call, int64_t k) {
  const HostTensor &operand = call.tensor(0);
  if (operand.rank() == 0 || k < 0 || k > operand.shape().back())
    return call.error() << "has no k that fits its operand";
  int64_t extent = operand.shape().back();
  Extents shape(operand.shape());
  shape.back() = k;
  FailureOr<HostTensor> values =
      call.evaluator.allocate(call.op, shape, operand.type().getElementType());
  FailureOr<HostTensor> indices = call.allocate(shape, 1);
  if (failed(values) || failed(indices))
    return failure();
  char *out = values->mutableBytes().data();
  unsigned width = operand.elementBytes();
  auto greater = [&](int64_t a, int64_t b) {
    switch (elementClass(operand.kind())) {
    case ElementClass::Signed:
      return operand.intAt(a) > operand.intAt(b);
    case ElementClass::Float: {
      double x = operand.floatAt(a), y = operand.floatAt(b);
      if (std::isnan(x) || std::isnan(y))
        return std::isnan(x) && !std::isnan(y);
      return x > y || (x == y && !std::signbit(x) && std::signbit(y));
    }
    default:
      return operand.uintAt(a) > operand.uintAt(b);
    }
  };
  for (int64_t row = 0; extent > 0 && row < operand.size() / extent; ++row) {
    std::vector<int64_t> positions(extent);
    std::iota(positions.begin(), positions.end(), row * extent);
    mergeSort(positions, [&](int64_t a, int64_t b) {
      return std::optional<bool>(greater(a, b));
    });
    for (int64_t i = 0; i < k; ++i) {
      std::copy_n(operand.element(positions[i]), width,
                  out + (row * k + i) * width);
      indices->set(row * k + i, positions[i] - row * extent);
    }
  }
  if (failed(call.give(std::move(*values))))
    return failure();
  return call.give(std::move(*indices));
}

static LogicalResult topK(Invocation &call, chlo::TopKOp op) {
  return applyTopK(call, op.getK());
}

void reference::addSorting(Registry &registry) {
  registry.add<stablehlo::SortOp, sort>();
  registry.add<chlo::TopKOp, topK>();
}
