// Contractions, convolutions and numeric routines of complex tensors.

#include "passes/Lower/Complex/ComplexSplitter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

static bool isComplex(Value value) { return isComplexTensor(value.getType()); }

//===----------------------------------------------------------------------===//
// Products of tensors
//===----------------------------------------------------------------------===//

/// Contractions of few terms are as short written out, and then each part has
/// the rounding errors of its own terms: kernels for products of real matrices
/// would leave the difference of two sums.
static bool isShort(DotGeneralOp op) {
  constexpr int64_t kTerms = 32, kProducts = 1 << 16;
  auto left = cast<RankedTensorType>(op.getLhs().getType());
  int64_t terms = 1;
  for (int64_t dim : op.getDotDimensionNumbers().getLhsContractingDimensions())
    terms *= left.getDimSize(dim);
  int64_t results = cast<RankedTensorType>(op.getType()).getNumElements();
  return terms > 0 && terms <= kTerms && results <= kProducts / terms;
}

/// The dimensions of one side in the space of (batch, left, right, contracted)
/// dimensions.
static SmallVector<int64_t> spaceOf(RankedTensorType type,
                                    ArrayRef<int64_t> batching,
                                    ArrayRef<int64_t> contracting,
                                    int64_t firstFree,
                                    int64_t firstContracted) {
  SmallVector<int64_t> places(type.getRank(), -1);
  for (auto [place, dim] : llvm::enumerate(batching))
    places[dim] = place;
  for (auto [i, dim] : llvm::enumerate(contracting))
    places[dim] = firstContracted + i;
  for (int64_t &place : places)
    if (place < 0)
      place = firstFree++;
  return places;
}

void ComplexSplitter::splitShortDot(Operation *op) {
  auto dot = cast<DotGeneralOp>(op);
  Location loc = op->getLoc();
  auto numbers = dot.getDotDimensionNumbers();
  auto left = cast<RankedTensorType>(dot.getLhs().getType());
  auto right = cast<RankedTensorType>(dot.getRhs().getType());
  auto result = cast<RankedTensorType>(complexPartType(dot.getType()));
  ArrayRef<int64_t> contracting = numbers.getLhsContractingDimensions();
  int64_t batch = numbers.getLhsBatchingDimensions().size();
  int64_t rank = result.getRank(), terms = contracting.size();
  SmallVector<int64_t> shape(result.getShape());
  for (int64_t dim : contracting)
    shape.push_back(left.getDimSize(dim));
  SmallVector<int64_t> leftDims = spaceOf(
      left, numbers.getLhsBatchingDimensions(), contracting, batch, rank);
  SmallVector<int64_t> rightDims =
      spaceOf(right, numbers.getRhsBatchingDimensions(),
              numbers.getRhsContractingDimensions(),
              batch + left.getRank() - batch - terms, rank);
  RankedTensorType space =
      RankedTensorType::get(shape, result.getElementType());
  RealBuilder b(builder, loc, space);
  auto spread = [&](Value value, ArrayRef<int64_t> dims) -> ComplexParts {
    auto one = [&](Value part) -> Value {
      return b.convert(BroadcastInDimOp::create(
          builder, loc,
          space.clone(cast<RankedTensorType>(part.getType()).getElementType()),
          part, dims));
    };
    if (!isComplex(value))
      return {one(value), Value()};
    ComplexParts both = parts(value);
    return {one(both.re), one(both.im)};
  };
  ComplexParts x = spread(dot.getLhs(), leftDims);
  ComplexParts y = spread(dot.getRhs(), rightDims);
  Value re = b.mul(x.re, y.re), im;
  if (x.im && y.im) {
    re = b.sub(re, b.mul(x.im, y.im));
    im = b.add(b.mul(x.re, y.im), b.mul(x.im, y.re));
  } else {
    im = x.im ? b.mul(x.im, y.re) : b.mul(x.re, y.im);
  }
  SmallVector<int64_t> reduced =
      llvm::to_vector(llvm::seq<int64_t>(rank, rank + terms));
  RankedTensorType scalar = space.clone(ArrayRef<int64_t>{});
  RealBuilder s(builder, loc, scalar);
  auto sum = [&](Value products) -> Value {
    if (terms == 0)
      return products;
    OperationState state(loc, ReduceOp::getOperationName());
    state.addOperands({products, s.c(0)});
    state.addTypes(result);
    state.addAttribute("dimensions", builder.getDenseI64ArrayAttr(reduced));
    Block &block = state.addRegion()->emplaceBlock();
    Value first = block.addArgument(scalar, loc);
    Value second = block.addArgument(scalar, loc);
    OpBuilder inner(builder.getContext());
    inner.setInsertionPointToEnd(&block);
    Value total = AddOp::create(inner, loc, scalar, first, second);
    stablehlo::ReturnOp::create(inner, loc, total);
    return builder.create(state)->getResult(0);
  };
  Value sumRe = sum(re);
  table[op->getResult(0)] = {sumRe, sum(im)};
}

bool ComplexSplitter::splitProduct(Operation *op) {
  if (!isa<DotGeneralOp, ConvolutionOp>(op))
    return false;
  // An algorithm is asked of products, not of sums written out.
  if (auto dot = dyn_cast<DotGeneralOp>(op);
      dot && !dot.getAlgorithm() && isShort(dot)) {
    splitShortDot(op);
    return true;
  }
  Value result = op->getResult(0);
  Type type = complexPartType(result.getType());
  RealBuilder b(builder, op->getLoc(), cast<RankedTensorType>(type));
  auto product = [&](Value left, Value right) {
    Operation *copy = builder.clone(*op);
    copy->setOperands({left, right});
    copy->getResult(0).setType(type);
    return copy->getResult(0);
  };
  Value left = op->getOperand(0), right = op->getOperand(1);
  if (!isComplex(left)) {
    ComplexParts r = parts(right);
    table[result] = {product(left, r.re), product(left, r.im)};
  } else if (!isComplex(right)) {
    ComplexParts l = parts(left);
    table[result] = {product(l.re, right), product(l.im, right)};
  } else {
    ComplexParts l = parts(left), r = parts(right);
    Value re = b.sub(product(l.re, r.re), product(l.im, r.im));
    table[result] = {re, b.add(product(l.re, r.im), product(l.im, r.re))};
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Routines
//===----------------------------------------------------------------------===//

/// What a numeric routine computes: `heddle.<name>`, whose operands and results
/// are parts where they were complex. See docs/decisions/routines.md.
bool ComplexSplitter::splitRoutine(Operation *op) {
  std::string name;
  SmallVector<NamedAttribute> attributes;
  auto set = [&](StringRef key, Attribute value) {
    attributes.push_back(builder.getNamedAttr(key, value));
  };
  if (auto cholesky = dyn_cast<CholeskyOp>(op)) {
    name = "heddle.cholesky";
    set("lower", builder.getBoolAttr(cholesky.getLower()));
  } else if (auto solve = dyn_cast<TriangularSolveOp>(op)) {
    Transpose transpose = solve.getTransposeA();
    if (transpose == Transpose::TRANSPOSE_INVALID)
      transpose = Transpose::NO_TRANSPOSE;
    name = "heddle.triangular_solve";
    set("left_side", builder.getBoolAttr(solve.getLeftSide()));
    set("lower", builder.getBoolAttr(solve.getLower()));
    set("unit_diagonal", builder.getBoolAttr(solve.getUnitDiagonal()));
    set("transpose_a", builder.getStringAttr(stringifyTranspose(transpose)));
  } else if (auto fft = dyn_cast<FftOp>(op)) {
    name = "heddle.fft";
    set("fft_type", builder.getStringAttr(stringifyFftType(fft.getFftType())));
    set("fft_length", fft.getFftLengthAttr());
  } else if (auto composite = dyn_cast<CompositeOp>(op);
             composite && composite.getName().starts_with("heddle.")) {
    name = composite.getName().str();
    llvm::append_range(attributes, composite.getCompositeAttributes());
  } else {
    return false;
  }
  SmallVector<Value> operands = expanded(op->getOperands());
  SmallVector<Type> results;
  for (Type type : op->getResultTypes())
    results.append(isComplexTensor(type) ? 2 : 1, complexPartType(type));
  FunctionType signature =
      builder.getFunctionType(ValueRange(operands).getTypes(), results);
  std::string key;
  llvm::raw_string_ostream(key) << name << signature;
  func::FuncOp &function = decompositions[key];
  if (!function) {
    function = func::FuncOp::create(module.getLoc(), name, signature);
    function.setPrivate();
    symbols.insert(function);
  }
  auto composite = CompositeOp::create(
      builder, op->getLoc(), results, operands, name,
      builder.getDictionaryAttr(attributes), function.getSymName());
  defineResults(op, composite.getResults());
  return true;
}
