// Runs an operation on pieces of a factor and joins what comes out.

#include "test/unit/Sharding/Pieces.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/Sharding/LocalOperation.h"
#include "dialects/StableHlo/QuantizedTypes.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Reference/Interpreter.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace heddle::sharding {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

HostTensor makeUp(RankedTensorType type, unsigned seed) {
  // Quantized numbers are held as what they are stored as.
  type = type.clone(stablehlo::storedType(type.getElementType()));
  auto tensor = HostTensor::allocate(type);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    int64_t value = (i * 7 + int64_t(seed) * 3) % 5;
    if (isa<ComplexType>(type.getElementType()))
      tensor.set(i, std::complex<double>(value, double(seed)));
    else if (isa<FloatType>(type.getElementType()))
      tensor.set(i, double(value) + 1.0);
    else if (type.getElementType().isInteger(1))
      tensor.set(i, uint64_t(value & 1));
    else
      tensor.set(i, value % 3);
  }
  return tensor;
}

Execution execute(func::FuncOp function) {
  llvm::DenseMap<Value, HostTensor> values;
  for (BlockArgument argument : function.getArguments())
    values[argument] = makeUp(cast<RankedTensorType>(argument.getType()),
                              argument.getArgNumber());
  Execution last;
  for (Operation &op : function.getBody().front().without_terminator()) {
    last = Execution();
    last.op = &op;
    for (Value operand : op.getOperands())
      last.operands.push_back(values[operand]);
    auto results = interpretOp(&op, last.operands);
    if (failed(results))
      return Execution();
    last.results.assign(results->begin(), results->end());
    for (auto [result, tensor] : llvm::zip_equal(op.getResults(), *results))
      values[result] = tensor;
  }
  return last;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

namespace {
/// Which elements of a tensor are of one piece, in order.
struct Piece {
  SmallVector<int64_t> shape;
  SmallVector<int64_t> elements;
};
} // namespace

/// Places along a dimension that belong to a piece; nothing where the factors
/// do not make up the dimension.
static std::optional<SmallVector<int64_t>>
placesAlong(int64_t size, ArrayRef<int64_t> factors, const FactorRule &rule,
            int64_t factor, int64_t parts, int64_t part) {
  SmallVector<int64_t> places;
  int64_t product = 1, minor = 1;
  bool isBehind = false;
  for (int64_t other : factors) {
    product *= rule.factors[other].size;
    if (isBehind)
      minor *= rule.factors[other].size;
    isBehind |= other == factor;
  }
  if (isBehind && product != size)
    return std::nullopt;
  int64_t each = rule.factors[factor].size / parts;
  for (int64_t place = 0; place < size; ++place) {
    int64_t digit = place / minor % rule.factors[factor].size;
    if (!isBehind || digit / each == part)
      places.push_back(place);
  }
  return places;
}

static std::optional<Piece> pieceOf(ArrayRef<int64_t> shape,
                                    const TensorFactors &tensor,
                                    const FactorRule &rule, int64_t factor,
                                    int64_t parts, int64_t part) {
  Piece piece;
  piece.elements = {0};
  for (auto [dim, size] : llvm::enumerate(shape)) {
    auto places = placesAlong(size, tensor[dim], rule, factor, parts, part);
    if (!places)
      return std::nullopt;
    SmallVector<int64_t> elements;
    for (int64_t before : piece.elements)
      for (int64_t place : *places)
        elements.push_back(before * size + place);
    piece.elements = std::move(elements);
    piece.shape.push_back(places->size());
  }
  return piece;
}

static HostTensor take(const HostTensor &whole, const Piece &piece) {
  auto type = RankedTensorType::get(piece.shape, whole.type().getElementType());
  auto tensor = HostTensor::allocate(type);
  unsigned bytes = whole.elementBytes();
  for (auto [to, from] : llvm::enumerate(piece.elements))
    std::memcpy(tensor.mutableBytes().data() + to * bytes, whole.element(from),
                bytes);
  return tensor;
}

static bool isEqual(const HostTensor &a, const HostTensor &b) {
  return a.type() == b.type() && a.bytes() == b.bytes();
}

//===----------------------------------------------------------------------===//
// Operations on pieces
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<HostTensor>>
runPiece(Operation *op, ArrayRef<HostTensor> operands,
         ArrayRef<Piece> results) {
  Block block;
  IRMapping mapping;
  for (auto [operand, tensor] : llvm::zip_equal(op->getOperands(), operands)) {
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    mapping.map(operand, block.addArgument(
                             RankedTensorType::get(tensor.shape(), element),
                             op->getLoc()));
  }
  // An operand that is there twice has two pieces, which are equal.
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&block);
  Operation *local = builder.clone(*op, mapping);
  for (auto [index, argument] : llvm::enumerate(block.getArguments()))
    local->setOperand(index, argument);
  for (auto [result, piece] : llvm::zip_equal(local->getResults(), results)) {
    Type element = cast<RankedTensorType>(result.getType()).getElementType();
    result.setType(RankedTensorType::get(piece.shape, element));
  }
  followLocalShapes(local);
  return interpretOp(local, operands);
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// The operation by which terms are joined.
static std::string joinOf(Operation *op) {
  for (Region &region : llvm::reverse(op->getRegions()))
    if (!region.empty())
      if (Operation *end = region.front().getTerminator();
          end->getNumOperands() == 1)
        if (Operation *last = end->getOperand(0).getDefiningOp())
          return last->getName().getStringRef().str();
  return "stablehlo.add";
}

static void join(HostTensor &sum, const HostTensor &term, StringRef by) {
  for (int64_t i = 0; i < sum.size(); ++i) {
    if (isa<FloatType>(sum.type().getElementType())) {
      double a = sum.floatAt(i), b = term.floatAt(i);
      sum.set(i, by == "stablehlo.maximum"   ? std::max(a, b)
                 : by == "stablehlo.minimum" ? std::min(a, b)
                                             : a + b);
    } else {
      int64_t a = sum.intAt(i), b = term.intAt(i);
      sum.set(i, by == "stablehlo.or" ? (a | b) : a + b);
    }
  }
}

Outcome runOnPieces(const Execution &whole, const FactorRule &rule,
                    int64_t factor, int64_t parts, std::string &why) {
  FactorKind kind = rule.factors[factor].kind;
  // What a scan carries from piece to piece is one of its results.
  bool carries = kind == FactorKind::Prefix && isa<chlo::ScanOp>(whole.op);
  why = carries ? "" : needsMoreThanPieces(whole.op, rule, factor);
  if (!why.empty())
    return Outcome::NotTried;
  SmallVector<HostTensor> joined(whole.results.size()), carried;
  for (int64_t part = 0; part < parts; ++part) {
    SmallVector<HostTensor> operands;
    for (auto [tensor, factors] :
         llvm::zip_equal(whole.operands, rule.operands)) {
      auto piece = pieceOf(tensor.shape(), factors, rule, factor, parts, part);
      if (!piece) {
        why = "the factors do not make up a dimension";
        return Outcome::NotTried;
      }
      operands.push_back(take(tensor, *piece));
    }
    // What terms are added to is there once.
    if (kind == FactorKind::Reduction && part > 0 &&
        isa<stablehlo::ScatterOp>(whole.op))
      operands.front() = HostTensor::allocate(operands.front().type());
    if (kind == FactorKind::Prefix && part > 0)
      llvm::copy(carried, operands.end() - carried.size());
    SmallVector<Piece> pieces;
    for (auto [tensor, factors] :
         llvm::zip_equal(whole.results, rule.results)) {
      auto piece = pieceOf(tensor.shape(), factors, rule, factor, parts, part);
      if (!piece) {
        why = "the factors do not make up a dimension";
        return Outcome::NotTried;
      }
      pieces.push_back(*piece);
    }
    auto results = runPiece(whole.op, operands, pieces);
    if (failed(results)) {
      why = "a piece cannot be computed";
      return Outcome::Differs;
    }
    carried.clear();
    for (auto [index, result] : llvm::enumerate(*results)) {
      if (hasFactor(rule.results[index], factor)) {
        if (!isEqual(result, take(whole.results[index], pieces[index]))) {
          why = "piece " + std::to_string(part) + " of result " +
                std::to_string(index) + " is no piece of the whole";
          return Outcome::Differs;
        }
        continue;
      }
      if (kind == FactorKind::Prefix)
        carried.push_back(result);
      if (part == 0 || kind != FactorKind::Reduction) {
        bool must = kind == FactorKind::PassThrough && part > 0;
        if (must && !isEqual(joined[index], result)) {
          why = "result " + std::to_string(index) + " depends on the piece";
          return Outcome::Differs;
        }
        joined[index] = result;
      } else {
        join(joined[index], result, joinOf(whole.op));
      }
    }
  }
  for (auto [index, result] : llvm::enumerate(joined))
    if (result && !isEqual(result, whole.results[index])) {
      why = "result " + std::to_string(index) + ", joined, is not the whole";
      return Outcome::Differs;
    }
  return Outcome::Equal;
}

} // namespace heddle::sharding
