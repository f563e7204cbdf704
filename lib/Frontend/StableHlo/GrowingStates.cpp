// An exporter's cache goes in with `past` places and comes out with those and
// the new ones behind: out = concatenate(in, new). As a state it has room for
// the most from the beginning, so that a call only writes what is new:
//
//   changed = dynamic_update_slice(state, new) at `past`
//   out = the first `past + new` places of changed
//
// and the kernels that read `out` read the state where it lies. Of other sizes
// that calls choose, as a batch, it has room for the most, too, and a call has
// the first of them.

#include "heddle/Frontend/GrowingStates.h"

#include "dialects/Size/Expression.h"
#include "dialects/StableHlo/ResultExtents.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/EntrySizes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallBitVector.h"
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

  /// The dimension and the symbol of the length, if there is one.
  Failure findLength();
  Failure findDimension();
  Failure checkSymbol(func::FuncOp entry);
  /// Of all uses, so that their order decides nothing.
  void findOpen();
  /// Adds to the capacity. The type differs from what is known of the state in
  /// sizes that calls choose only.
  Failure addType(const char *what, Type type);
  bool addSize(RankedTensorType type, unsigned i, int64_t &size);
  /// What counts of the state where an entry has `type` there; null if there is
  /// no length.
  size::ExtentsAttr lengthOf(Type type) const;
  Value appended(stablehlo::ConcatenateOp joined, Value state, Expression past);
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
  /// The dimensions but that of the length whose size some call chooses.
  llvm::SmallBitVector areOpen;
  std::optional<unsigned> dimension;
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

/// Those that calls choose.
static SmallVector<unsigned> openDimensions(RankedTensorType type) {
  SmallVector<unsigned> open;
  for (auto [i, extent] : llvm::enumerate(size::extentsOf(type)))
    if (!extent.isConstant())
      open.push_back(i);
  return open;
}

StateGrower::Failure StateGrower::findDimension() {
  bool isKept = false;
  for (StateUse &use : uses) {
    if (!use.argument || !use.result)
      continue;
    auto read =
        cast<RankedTensorType>(use.entry.getArgumentTypes()[*use.argument]);
    auto left = cast<RankedTensorType>(use.entry.getResultTypes()[*use.result]);
    if (read.getRank() != left.getRank())
      continue; // Which types must be alike is asked later.
    SmallVector<unsigned> grown;
    for (unsigned i : openDimensions(read))
      if (size::extentOf(read, i) != size::extentOf(left, i))
        grown.push_back(i);
    isKept |= grown.empty();
    if (grown.empty())
      continue;
    if (grown.size() > 1 || (dimension && *dimension != grown.front()))
      return fail(ErrorCode::OnnxShapeOption,
                  "it has the shape " + shapeText(read) + ", and '" +
                      use.entry.getName() + "' leaves " + shapeText(left) +
                      ": a state grows along one dimension");
    dimension = grown.front();
  }
  // What entries only read or only leave grows where they differ: the one that
  // calls choose.
  for (StateUse &use : uses) {
    if (dimension || isKept || !use.argument)
      continue;
    auto type =
        cast<RankedTensorType>(use.entry.getArgumentTypes()[*use.argument]);
    SmallVector<unsigned> open = openDimensions(type);
    if (open.size() > 1)
      return fail(ErrorCode::OnnxShapeOption,
                  "what '" + use.entry.getName() + "' reads has the shape " +
                      shapeText(type) +
                      ", and no entry appends to it: which of the sizes that "
                      "calls choose is its length is not known");
    if (!open.empty())
      dimension = open.front();
  }
  return std::nullopt;
}

StateGrower::Failure StateGrower::findLength() {
  if (Failure failure = findDimension())
    return failure;
  for (StateUse &use : uses) {
    if (!use.argument || !dimension)
      continue;
    auto type =
        cast<RankedTensorType>(use.entry.getArgumentTypes()[*use.argument]);
    std::string name = use.entry.getName().str();
    std::optional<StringRef> length;
    if (*dimension < type.getRank())
      length = size::extentOf(type, *dimension).asSymbol();
    if (!length)
      return fail(ErrorCode::OnnxShapeOption,
                  "what '" + name + "' reads has the shape " + shapeText(type) +
                      ": of a state that grows, dimension " +
                      Twine(*dimension) +
                      " is a size that calls choose (--dim)");
    if (!symbol.empty() && *length != symbol)
      return fail(ErrorCode::OnnxShapeOption,
                  "two entries count its length by '" + symbol + "' and by '" +
                      *length + "'");
    symbol = length->str();
    if (Failure failure = checkSymbol(use.entry))
      return failure;
  }
  return std::nullopt;
}

void StateGrower::findOpen() {
  auto add = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    if (int64_t(areOpen.size()) < tensor.getRank())
      areOpen.resize(tensor.getRank());
    for (unsigned i : openDimensions(tensor))
      if (i != dimension)
        areOpen.set(i);
  };
  for (StateUse &use : uses) {
    if (use.argument)
      add(use.entry.getArgumentTypes()[*use.argument]);
    if (use.result)
      add(use.entry.getResultTypes()[*use.result]);
  }
}

bool StateGrower::addSize(RankedTensorType type, unsigned i, int64_t &size) {
  if (i != dimension && !areOpen[i] && size != type.getDimSize(i))
    return false;
  size = std::max(size, type.getDimSize(i));
  return true;
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
    isLike = addSize(tensor, i, shape[i]);
  if (!isLike)
    return fail(ErrorCode::ShapeMismatch,
                what + (" has the shape " + shapeText(tensor)) +
                    ", what is kept in the same state " + shapeText(capacity) +
                    ": only " +
                    (dimension ? "dimension " + std::to_string(*dimension)
                               : std::string("what calls choose")) +
                    " may differ");
  capacity = RankedTensorType::get(shape, capacity.getElementType());
  return std::nullopt;
}

size::ExtentsAttr StateGrower::lengthOf(Type type) const {
  if (!dimension)
    return nullptr;
  MLIRContext *context = type.getContext();
  // All rows of the memory have one length.
  SmallVector<Expression> extents;
  for (int64_t size : capacity.getShape())
    extents.push_back(Expression::constant(context, size));
  extents[*dimension] =
      size::extentOf(cast<RankedTensorType>(type), *dimension);
  return size::extentsAttr(context, extents);
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
      places[*dimension] = size::TensorOp::create(
          builder, loc, type, size::extentsAttr(builder.getContext(), {start}));
    state = stablehlo::DynamicUpdateSliceOp::create(builder, loc, capacity,
                                                    state, piece, places);
    if (dimension)
      start = start + size::extentOf(cast<RankedTensorType>(piece.getType()),
                                     *dimension);
  }
  return state;
}

Value StateGrower::appended(stablehlo::ConcatenateOp joined, Value state,
                            Expression past) {
  OpBuilder builder(joined);
  Value changed = writtenInto(builder, joined.getLoc(), state,
                              joined.getInputs().drop_front(), past);
  joined.replaceAllUsesWith(cut(builder, joined.getLoc(), changed,
                                cast<RankedTensorType>(joined.getType())));
  joined.erase();
  return changed;
}

StateGrower::Failure StateGrower::rewrite(StateUse &use) {
  func::FuncOp entry = use.entry;
  MLIRContext *context = entry.getContext();
  Operation *end = entry.front().getTerminator();
  bool isRead = use.argument.has_value();
  if (isRead) {
    Type found = entry.getArgumentTypes()[*use.argument];
    use.read = lengthOf(found);
    use.part = dyn_cast_or_null<size::ExtentsAttr>(
        cast<RankedTensorType>(found).getEncoding());
  } else {
    use.argument = entry.getNumArguments();
    if (failed(
            entry.insertArgument(*use.argument, capacity, {}, entry.getLoc())))
      return fail(ErrorCode::InternalError, "the entry takes no argument");
  }
  BlockArgument state = entry.getArgument(*use.argument);
  auto read = cast<RankedTensorType>(state.getType());
  Value changed;
  if (use.result) {
    Value left = end->getOperand(*use.result);
    use.left = lengthOf(left.getType());
    if (isRead && dimension) {
      auto joined = left.getDefiningOp<stablehlo::ConcatenateOp>();
      if (!joined || joined.getDimension() != *dimension ||
          joined.getInputs().front() != state)
        return fail(ErrorCode::OnnxShapeOption,
                    "what '" + entry.getName() +
                        "' leaves in it is not what it found with something "
                        "appended: a state whose length is a size that calls "
                        "choose grows so");
      changed = appended(joined, state, Expression::symbol(context, symbol));
    } else {
      OpBuilder builder(end);
      changed = writtenInto(builder, left.getLoc(), state, left,
                            Expression::constant(context, 0));
    }
    end->setOperand(*use.result, changed);
  }
  // Whoever reads what the state held before the call: all but the first that
  // writes to it.
  Operation *writer = changed ? changed.getDefiningOp() : nullptr;
  while (writer && writer->getOperand(0) != state)
    writer = writer->getOperand(0).getDefiningOp();
  SmallVector<OpOperand *> readers;
  for (OpOperand &reader : state.getUses())
    if (reader.getOwner() != writer || reader.getOperandNumber() != 0)
      readers.push_back(&reader);
  state.setType(capacity);
  if (!readers.empty() && isRead && read != capacity) {
    OpBuilder builder = OpBuilder::atBlockBegin(&entry.front());
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
  findOpen();
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
