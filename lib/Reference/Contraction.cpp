// dot_general and what is written in terms of it.
//
// Sums run over the contracted indices in row-major order, in f32 for f32
// results (each step rounded, as other interpreters have it), in double for
// other floats, rounded once at the end. A precision that a program names
// changes nothing, it asks for no more than that; of an algorithm, sums in f64
// do.

#include "Matmul.h"

#include "dialects/StableHlo/StableHlo.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

namespace {
/// The dimensions of one operand in three groups.
struct Side {
  Extents batch, free, contracted;
};
} // namespace

static Side makeSide(int64_t rank, ArrayRef<int64_t> batch,
                     ArrayRef<int64_t> contracted) {
  Side side{Extents(batch), {}, Extents(contracted)};
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracted, d))
      side.free.push_back(d);
  return side;
}

static Extents select(ArrayRef<int64_t> values, ArrayRef<int64_t> dimensions) {
  Extents result;
  for (int64_t d : dimensions)
    result.push_back(values[d]);
  return result;
}

template <typename T>
static void contract(Invocation &call, const Side &left, const Side &right,
                     HostTensor &result) {
  const HostTensor &lhs = call.tensor(0), &rhs = call.tensor(1);
  Extents lhsStrides = rowMajorStrides(lhs.shape()),
          rhsStrides = rowMajorStrides(rhs.shape());
  Extents batchShape = select(lhs.shape(), left.batch);
  int64_t m = numElements(select(lhs.shape(), left.free));
  int64_t n = numElements(select(rhs.shape(), right.free));
  int64_t k = numElements(select(lhs.shape(), left.contracted));
  int64_t batches = numElements(batchShape);
  if (batches * m * n == 0)
    return;

  // One batch as [m, k] times [k, n]; columns in panels, so that the copy of a
  // huge right-hand side stays small.
  auto joined = [](ArrayRef<int64_t> first, ArrayRef<int64_t> second) {
    Extents all(first);
    llvm::append_range(all, second);
    return all;
  };
  Extents leftOrder = joined(left.free, left.contracted);
  Extents leftShape = select(lhs.shape(), leftOrder),
          leftStrides = select(lhsStrides, leftOrder);
  Extents freeShape = select(rhs.shape(), right.free),
          freeStrides = select(rhsStrides, right.free);
  Extents depthShape = select(rhs.shape(), right.contracted),
          depthStrides = select(rhsStrides, right.contracted);
  int64_t panel =
      std::clamp<int64_t>((int64_t(1) << 22) / std::max<int64_t>(k, 1), 64,
                          std::max<int64_t>(n, 64));
  std::vector<T> a(m * k), b(k * std::min(panel, n)), c;
  // A row of the panel along n: offsets of its columns in the right-hand side.
  std::vector<int64_t> columns(n);
  IndexWalk column(freeShape, freeStrides);
  for (int64_t j = 0; j < n; ++j, column.next())
    columns[j] = column.offset();
  std::vector<char> row(std::min(panel, n) * rhs.elementBytes());

  IndexWalk leftBatch(batchShape, select(lhsStrides, left.batch));
  IndexWalk rightBatch(batchShape, select(rhsStrides, right.batch));
  char *out = result.mutableBytes().data();
  unsigned width = result.elementBytes();
  for (int64_t batch = 0; batch < batches;
       ++batch, leftBatch.next(), rightBatch.next()) {
    loadBox(lhs, leftShape, leftBatch.offset(), leftStrides, a.data());
    for (int64_t begin = 0; begin < n; begin += panel) {
      int64_t wide = std::min(panel, n - begin);
      IndexWalk depth(depthShape, depthStrides, rightBatch.offset());
      for (int64_t l = 0; l < k; ++l, depth.next()) {
        gatherElements(rhs.elementBytes(), rhs.element(depth.offset()),
                       columns.data() + begin, wide, row.data());
        loadSummands(rhs.kind(), row.data(), wide, b.data() + l * wide);
      }
      c.assign(m * wide, T(0));
      multiplyMatrices(call.evaluator.options.threads, m, wide, k, a.data(),
                       b.data(), c.data());
      for (int64_t i = 0; i < m; ++i)
        storeSums(result.kind(), c.data() + i * wide, wide,
                  out + ((batch * m + i) * n + begin) * width);
    }
  }
}

/// The products are summed in what goes with `sums`, or with the result.
static LogicalResult dotGeneral(Invocation &call, const Side &left,
                                const Side &right,
                                std::optional<ElementKind> sums = {}) {
  const HostTensor &lhs = call.tensor(0), &rhs = call.tensor(1);
  if (select(lhs.shape(), left.batch) != select(rhs.shape(), right.batch) ||
      select(lhs.shape(), left.contracted) !=
          select(rhs.shape(), right.contracted))
    return call.error() << "has operands whose dimensions do not agree: "
                        << lhs.type() << " and " << rhs.type();
  Extents shape = select(lhs.shape(), left.batch);
  llvm::append_range(shape, select(lhs.shape(), left.free));
  llvm::append_range(shape, select(rhs.shape(), right.free));
  FailureOr<HostTensor> result = call.allocate(shape);
  if (failed(result))
    return failure();
  ElementKind kind = sums.value_or(result->kind());
  LogicalResult done = withSumType(kind, [&](auto sum) {
    // i1 x i1 -> i1, or integers of any widths: loads extend by each type.
    contract<decltype(sum)>(call, left, right, *result);
    return success();
  });
  if (failed(done))
    return failure();
  return call.give(std::move(*result));
}

static LogicalResult dotGeneral(Invocation &call, stablehlo::DotGeneralOp op) {
  auto numbers = op.getDotDimensionNumbers();
  stablehlo::DotAlgorithmAttr algorithm = op.getAlgorithmAttr();
  std::optional<ElementKind> sums;
  if (algorithm && algorithm.getAccumulationType().isF64()) {
    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    if (element.isF32())
      sums = ElementKind::F64;
    else if (isa<ComplexType>(element))
      sums = ElementKind::C128;
  }
  return dotGeneral(
      call,
      makeSide(call.tensor(0).rank(), numbers.getLhsBatchingDimensions(),
               numbers.getLhsContractingDimensions()),
      makeSide(call.tensor(1).rank(), numbers.getRhsBatchingDimensions(),
               numbers.getRhsContractingDimensions()),
      sums);
}

static LogicalResult dot(Invocation &call, stablehlo::DotOp) {
  int64_t rank = call.tensor(0).rank();
  return dotGeneral(call, makeSide(rank, {}, {rank - 1}),
                    makeSide(call.tensor(1).rank(), {}, {0}));
}

/// `ab,bc->ac` with letters for dimensions, of two operands or one: a
/// contraction into (batch, left, right) order, then a transpose.
static LogicalResult einsum(Invocation &call, StringRef config) {
  auto [inputs, output] = config.split("->");
  auto [first, second] = inputs.split(',');
  bool twoOperands = call.operands.size() == 2;
  if (config.contains("...") || output.contains(' ') ||
      int64_t(first.size()) != call.tensor(0).rank() ||
      (twoOperands && int64_t(second.size()) != call.tensor(1).rank()))
    return call.error(ErrorCode::NotInterpretable)
           << "has the form \"" << config << "\", which is not interpreted";
  // Letters of the result before the transpose, and the extents of all.
  std::string order;
  llvm::DenseMap<char, int64_t> extents;
  Extents leftBatch, leftContracted, rightBatch, rightContracted;
  for (auto [d, letter] : llvm::enumerate(first)) {
    extents[letter] = call.tensor(0).dim(d);
    if (first.count(letter) != 1 || (twoOperands && second.count(letter) > 1))
      return call.error(ErrorCode::NotInterpretable)
             << "takes a diagonal, which is not interpreted";
  }
  if (!twoOperands)
    return call.error(ErrorCode::NotInterpretable)
           << "of one operand is not interpreted";
  for (auto [d, letter] : llvm::enumerate(second))
    extents[letter] = call.tensor(1).dim(d);
  std::string leftFree, rightFree;
  for (auto [d, letter] : llvm::enumerate(first)) {
    size_t other = second.find(letter);
    if (other == StringRef::npos) {
      if (!output.contains(letter))
        return call.error(ErrorCode::NotInterpretable)
               << "sums over a dimension of one operand, which is not "
                  "interpreted";
      leftFree += letter;
    } else if (output.contains(letter)) {
      leftBatch.push_back(d);
      rightBatch.push_back(other);
      order += letter;
    } else {
      leftContracted.push_back(d);
      rightContracted.push_back(other);
    }
  }
  for (char letter : second)
    if (!first.contains(letter))
      rightFree += letter;
  order += leftFree + rightFree;
  Side left = makeSide(first.size(), leftBatch, leftContracted);
  Side right = makeSide(second.size(), rightBatch, rightContracted);

  Extents shape, strides, natural;
  for (char letter : order)
    natural.push_back(extents[letter]);
  Extents naturalStrides = rowMajorStrides(natural);
  for (char letter : output) {
    size_t at = order.find(letter);
    if (at == std::string::npos)
      return call.error() << "has a result dimension of no operand";
    shape.push_back(natural[at]);
    strides.push_back(naturalStrides[at]);
  }
  FailureOr<HostTensor> product = call.allocate(natural),
                        result = call.allocate(shape);
  if (failed(product) || failed(result))
    return failure();
  if (failed(withSumType(product->kind(), [&](auto sum) {
        contract<decltype(sum)>(call, left, right, *product);
        return success();
      })))
    return failure();
  copyBox(result->elementBytes(), shape, product->bytes().data(), 0, strides,
          result->mutableBytes().data(), 0, rowMajorStrides(shape));
  return call.give(std::move(*result));
}

static LogicalResult einsum(Invocation &call, stablehlo::EinsumOp op) {
  return einsum(call, op.getEinsumConfig());
}

void reference::addContractions(Registry &registry) {
  using namespace stablehlo;
  registry.add<DotGeneralOp, dotGeneral>();
  registry.add<DotOp, dot>();
  registry.add<EinsumOp, einsum>();
}
