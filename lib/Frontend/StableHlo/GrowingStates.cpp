// An exporter's cache goes in with `past` places and comes out with those and
// the new ones behind: out = concatenate(in, new). As a state it has room for
// the most from the beginning, so that a call only writes what is new:
//
//   changed = dynamic_update_slice(state, new) at `past`
//   out = the first `past + new` places of changed
//
// and the kernels that read `out` read the state where it lies.

#include "heddle/Frontend/GrowingStates.h"

#include "dialects/Size/Expression.h"
#include "dialects/StableHlo/ResultExtents.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/EntrySizes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;
using heddle::size::Expression;

bool heddle::isOpen(const StateUse &use) {
  func::FuncOp entry = use.entry;
  return (use.argument &&
          size::hasExtents(entry.getArgumentTypes()[*use.argument])) ||
         (use.result && size::hasExtents(entry.getResultTypes()[*use.result]));
}

namespace {
class StateGrower {
public:
  explicit StateGrower(std::vector<StateUse> &uses) : uses(uses) {}

  std::optional<StateError> run();

private:
  using Failure = std::optional<StateError>;

  /// The dimension and the symbol of the length, and the capacity.
  Failure findLength();
  Failure checkSymbol(func::FuncOp entry);
  /// That the type differs from what is known of the state in its length only.
  Failure addType(const char *what, Type type);
  Failure rewrite(StateUse &use);
  /// Writes `pieces` one behind the other, from `start` on.
  Value writtenInto(OpBuilder &builder, Location loc, Value state,
                    ValueRange pieces, Expression start);
  /// The places of `state` that `type` has.
  Value cut(OpBuilder &builder, Location loc, Value state,
            RankedTensorType type);
  static Failure fail(ErrorCode code, const Twine &message) {
    return StateError{code, message.str()};
  }

  std::vector<StateUse> &uses;
  RankedTensorType capacity;
  unsigned dimension = 0;
  std::string symbol;
};
} // namespace

/// The entry's type is that of its block.
static void updateType(func::FuncOp entry) {
  entry.setType(
      FunctionType::get(entry.getContext(), entry.front().getArgumentTypes(),
                        entry.front().getTerminator()->getOperandTypes()));
}

/// "1x12xpastx64".
static std::string shapeText(RankedTensorType type) {
  return llvm::join(llvm::map_range(size::extentsOf(type),
                                    [](Expression e) { return e.text(); }),
                    "x");
}

StateGrower::Failure StateGrower::checkSymbol(func::FuncOp entry) {
  auto module = entry->getParentOfType<ModuleOp>();
  auto symbols = module->getAttrOfType<ArrayAttr>(kSymbolsAttrName);
  for (auto known : symbols.getAsRange<DictionaryAttr>()) {
    if (known.getAs<StringAttr>("name") != symbol)
      continue;
    bool isComputed = known.contains(kIsComputedName);
    if (isComputed || known.getAs<IntegerAttr>("minimum").getInt() != 0 ||
        known.contains("multiple"))
      return fail(ErrorCode::OnnxShapeOption,
                  "its length '" + symbol +
                      "' does not count from 0 on: an empty state has the "
                      "length 0, so that the range is --dim " +
                      symbol + "=0..N");
  }
  return std::nullopt;
}

StateGrower::Failure StateGrower::findLength() {
  for (StateUse &use : uses) {
    if (!use.argument)
      continue;
    auto type =
        cast<RankedTensorType>(use.entry.getArgumentTypes()[*use.argument]);
    std::string name = use.entry.getName().str();
    SmallVector<unsigned> open;
    SmallVector<Expression> extents = size::extentsOf(type);
    for (unsigned i = 0; i < extents.size(); ++i)
      if (!extents[i].isConstant())
        open.push_back(i);
    if (open.size() != 1 || !extents[open.front()].asSymbol())
      return fail(ErrorCode::OnnxShapeOption,
                  "what '" + name + "' reads has the shape " + shapeText(type) +
                      ": of a state that grows, one dimension is a size that "
                      "calls choose, and the others are fixed (--dim)");
    StringRef length = *extents[open.front()].asSymbol();
    if (!symbol.empty() && (length != symbol || open.front() != dimension))
      return fail(ErrorCode::OnnxShapeOption,
                  "two entries count its length by '" + symbol + "' and by '" +
                      length + "'");
    symbol = length.str();
    dimension = open.front();
    if (Failure failure = checkSymbol(use.entry))
      return failure;
  }
  return std::nullopt;
}

StateGrower::Failure StateGrower::addType(const char *what, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (!capacity)
    capacity =
        RankedTensorType::get(tensor.getShape(), tensor.getElementType());
  SmallVector<int64_t> shape(capacity.getShape());
  bool isLike = tensor.getElementType() == capacity.getElementType() &&
                tensor.getRank() == capacity.getRank();
  for (unsigned i = 0; isLike && i < shape.size(); ++i)
    isLike = i == dimension || (size::extentOf(tensor, i).isConstant() &&
                                shape[i] == tensor.getDimSize(i));
  if (!isLike)
    return fail(ErrorCode::ShapeMismatch,
                what + (" has the shape " + shapeText(tensor)) +
                    ", what is kept in the same state " + shapeText(capacity) +
                    ": only dimension " + Twine(dimension) + " may differ");
  shape[dimension] = std::max(shape[dimension], tensor.getDimSize(dimension));
  capacity = RankedTensorType::get(shape, capacity.getElementType());
  return std::nullopt;
}

Value StateGrower::cut(OpBuilder &builder, Location loc, Value state,
                       RankedTensorType type) {
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
  auto slice = stablehlo::SliceOp::create(builder, loc, type, state, starts,
                                          type.getShape(), strides);
  if (size::hasExtents(type))
    slice->setAttr(stablehlo::sizedAttributeName("limit_indices"),
                   type.getEncoding());
  return slice;
}

Value StateGrower::writtenInto(OpBuilder &builder, Location loc, Value state,
                               ValueRange pieces, Expression start) {
  auto type = RankedTensorType::get({}, builder.getI32Type());
  Value zero = stablehlo::ConstantOp::create(
      builder, loc, DenseIntElementsAttr::get(type, int32_t(0)));
  SmallVector<Value> places(capacity.getRank(), zero);
  for (Value piece : pieces) {
    if (!start.isConstant(0))
      places[dimension] = size::TensorOp::create(
          builder, loc, type, size::extentsAttr(builder.getContext(), {start}));
    state = stablehlo::DynamicUpdateSliceOp::create(builder, loc, capacity,
                                                    state, piece, places);
    start = start +
            size::extentOf(cast<RankedTensorType>(piece.getType()), dimension);
  }
  return state;
}

StateGrower::Failure StateGrower::rewrite(StateUse &use) {
  func::FuncOp entry = use.entry;
  MLIRContext *context = entry.getContext();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry.front());
  if (!use.argument) {
    use.argument = entry.getNumArguments();
    if (failed(
            entry.insertArgument(*use.argument, capacity, {}, entry.getLoc())))
      return fail(ErrorCode::InternalError, "the entry takes no argument");
  } else {
    use.read = size::extentsAttr(context,
                                 size::extentsOf(cast<RankedTensorType>(
                                     entry.getArgumentTypes()[*use.argument])));
  }
  BlockArgument state = entry.getArgument(*use.argument);
  auto read = cast<RankedTensorType>(state.getType());
  Expression past = use.read ? Expression::symbol(context, symbol)
                             : Expression::constant(context, 0);
  OpOperand *result = nullptr;
  if (use.result) {
    result = &entry.front().getTerminator()->getOpOperand(*use.result);
    use.left = size::extentsAttr(
        context,
        size::extentsOf(cast<RankedTensorType>(result->get().getType())));
  }
  Value changed, left = result ? result->get() : Value();
  if (use.read && result) {
    auto joined = left.getDefiningOp<stablehlo::ConcatenateOp>();
    if (!joined || joined.getDimension() != dimension ||
        joined.getInputs().front() != state)
      return fail(ErrorCode::OnnxShapeOption,
                  "what '" + entry.getName() +
                      "' leaves in it is not what it found with something "
                      "appended: a state whose length is a size that calls "
                      "choose grows so");
    builder.setInsertionPoint(joined);
    changed = writtenInto(builder, joined.getLoc(), state,
                          joined.getInputs().drop_front(), past);
    joined.replaceAllUsesWith(cut(builder, joined.getLoc(), changed,
                                  cast<RankedTensorType>(joined.getType())));
    joined.erase();
  } else if (result) {
    builder.setInsertionPoint(entry.front().getTerminator());
    changed = writtenInto(builder, left.getLoc(), state, left, past);
  }
  if (changed)
    entry.front().getTerminator()->setOperand(*use.result, changed);
  // Whoever reads what the state held before the call.
  SmallVector<OpOperand *> readers;
  for (OpOperand &reader : state.getUses())
    if (!changed || !isa<stablehlo::DynamicUpdateSliceOp>(reader.getOwner()) ||
        reader.getOperandNumber() != 0)
      readers.push_back(&reader);
  state.setType(capacity);
  if (!readers.empty() && use.read) {
    builder.setInsertionPointToStart(&entry.front());
    Value old = cut(builder, state.getLoc(), state, read);
    for (OpOperand *reader : readers)
      reader->set(old);
  }
  updateType(entry);
  return std::nullopt;
}

StateGrower::Failure StateGrower::run() {
  if (Failure failure = findLength())
    return failure;
  for (StateUse &use : uses) {
    if (use.argument)
      if (Failure failure =
              addType("the input", use.entry.getArgumentTypes()[*use.argument]))
        return failure;
    if (use.result)
      if (Failure failure =
              addType("the output", use.entry.getResultTypes()[*use.result]))
        return failure;
  }
  for (StateUse &use : uses)
    if (Failure failure = rewrite(use))
      return failure;
  return std::nullopt;
}

std::optional<StateError> heddle::growInPlace(std::vector<StateUse> &uses) {
  return StateGrower(uses).run();
}
