// A program of open sizes, walked once from its arguments on: what follows each
// operation has the types that its operands say. Known sizes go by the rules of
// dialects/Chlo/ResultShapes.h, those that calls choose by those of extents
// (lib/Frontend/StableHlo/SizedTypes.h).

#include "heddle/Frontend/RefineShapes.h"

#include "lib/Frontend/StableHlo/RefineShapes.h"
#include "lib/Frontend/StableHlo/SizedForms.h"
#include "lib/Frontend/StableHlo/SizedTypes.h"

#include "dialects/Chlo/ResultShapes.h"
#include "dialects/StableHlo/KnownForms.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace heddle::stablehlo;
using heddle::size::Expression;

namespace heddle {
namespace {

/// Operations that a program may grow to by inlining.
constexpr int64_t kOperationLimit = 1 << 20;

ElementsAttr constantOf(Value value) {
  ElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) ? constant : ElementsAttr();
}

bool isOpen(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

RankedTensorType tensorOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

class Refiner {
public:
  Refiner(ImportedSizes &sizes, bool anySized)
      : sizes(sizes), anySized(anySized) {}

  LogicalResult refine(Block &block);
  /// Puts numbers in place of what computes them from sizes.
  void replaceNumbers();

private:
  LogicalResult refine(Operation *op);
  LogicalResult refineSize(GetDimensionSizeOp op);
  LogicalResult refineSizedRegions(Operation *op);
  LogicalResult refineLoop(WhileOp loop);
  LogicalResult refineBranches(Operation *op);
  bool foldElements(Operation *op);
  Operation *knownForm(Operation *op);
  void replaceByElements(Operation *op, ArrayRef<Expression> elements);
  void erase(Operation *op) {
    sizes.contents.forget(op);
    op->erase();
  }
  LogicalResult refineRegions(Operation *op);
  LogicalResult refineTypes(Operation *op);
  static LogicalResult checkResult(Operation *op, RankedTensorType type,
                                   RankedTensorType declared);
  LogicalResult inlineCall(Operation *call, func::FuncOp callee);
  static func::FuncOp calleeOf(Operation *op);
  LogicalResult checkAssertion(CustomCallOp op);
  static LogicalResult checkSize(SetDimensionSizeOp op);
  static void setType(Value value, Type wanted);

  ImportedSizes &sizes;
  /// Whether an argument has a size that calls choose.
  const bool anySized;
  int64_t operations = 0;
  /// What computes with sizes. It stays until the end, since `sizes` looks at
  /// operations to see what they mean together.
  SmallVector<Operation *> numbers;
};

} // namespace

/// Takes from `wanted` the sizes that the value's type does not know.
void Refiner::setType(Value value, Type wanted) {
  auto type = tensorOf(value);
  auto from = dyn_cast<RankedTensorType>(wanted);
  if (!type || !from || type.hasStaticShape() ||
      type.getRank() != from.getRank())
    return;
  SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
  for (auto [size, known] : llvm::zip(shape, from.getShape()))
    if (ShapedType::isDynamic(size))
      size = known;
  // A bound has no meaning where the size is known.
  bool isStatic = !ShapedType::isDynamicShape(shape);
  value.setType(
      RankedTensorType::get(shape, type.getElementType(),
                            isStatic ? Attribute() : type.getEncoding()));
}

/// What stands for `op` when sizes are known: a call's function, and the
/// decomposition of a composite whose sizes only that says.
func::FuncOp Refiner::calleeOf(Operation *op) {
  FlatSymbolRefAttr name;
  if (auto call = dyn_cast<func::CallOp>(op))
    name = call.getCalleeAttr();
  auto composite = dyn_cast<CompositeOp>(op);
  if (composite && composite.getCompositeRegions().empty() &&
      (llvm::any_of(op->getOperandTypes(), size::hasExtents) ||
       !llvm::all_of(op->getResultTypes(), [](Type type) {
         auto tensor = dyn_cast<RankedTensorType>(type);
         return tensor && tensor.hasStaticShape();
       })))
    name = composite.getDecompositionAttr();
  auto callee =
      name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name)
           : func::FuncOp();
  return callee && callee.getBody().hasOneBlock() ? callee : func::FuncOp();
}

LogicalResult Refiner::inlineCall(Operation *call, func::FuncOp callee) {
  IRMapping mapping;
  Block &body = callee.getBody().front();
  mapping.map(body.getArguments(), call->getOperands());
  OpBuilder builder(call);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip(call->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  return success();
}

/// An assertion's first operand says whether the shapes fit; the others are
/// numbers for its message.
LogicalResult Refiner::checkAssertion(CustomCallOp op) {
  auto holds = op.getInputs().empty()
                   ? std::nullopt
                   : sizes.contents.scalarOf(op.getInputs().front());
  if (!holds)
    return success();
  auto message = op->getAttrOfType<StringAttr>("error_message");
  std::string text = message ? message.str() : "a shape assertion fails";
  for (auto [i, operand] : llvm::enumerate(op.getInputs().drop_front())) {
    auto number = sizes.contents.scalarOf(operand);
    std::string mark = "{" + std::to_string(i) + "}";
    for (size_t at; number && (at = text.find(mark)) != std::string::npos;)
      text.replace(at, mark.size(), number->text());
  }
  if (holds->isConstant(0))
    return emitError(op.getLoc(), ErrorCode::OnnxShapeOption) << text;
  if (!holds->isConstant() &&
      failed(sizes.wantTrue(*holds, op, text, ErrorCode::OnnxShapeOption)))
    return failure();
  erase(op);
  return success();
}

/// A dimension is cut, never made longer: what would be there then is not said.
LogicalResult Refiner::checkSize(SetDimensionSizeOp op) {
  auto size = integersOf(op.getSize());
  if (size::hasExtents(op.getOperand().getType()))
    return success();
  int64_t known = tensorOf(op.getOperand()).getDimSize(op.getDimension());
  if (!size || size->size() != 1 || ShapedType::isDynamic(known) ||
      (size->front() >= 0 && size->front() <= known))
    return success();
  return emitError(op.getLoc(), ErrorCode::StableHloDynamicShape)
         << "'" << op->getName() << "' gives dimension " << op.getDimension()
         << " of size " << known << " the size " << size->front()
         << "; a size from 0 to that is wanted";
}

/// What is carried around a loop keeps its sizes.
LogicalResult Refiner::refineLoop(WhileOp loop) {
  for (auto [i, operand] : llvm::enumerate(loop->getOperands())) {
    RankedTensorType from = tensorOf(operand),
                     declared = tensorOf(loop->getResult(i));
    if (!from || !declared)
      continue;
    RankedTensorType type = sizes.typeOf(loop, declared, size::extentsOf(from));
    if (!type)
      return failure();
    for (Value carried :
         {Value(loop.getCond().getArgument(i)),
          Value(loop.getBody().getArgument(i)), Value(loop->getResult(i))})
      carried.setType(type);
  }
  if (failed(refine(loop.getCond().front())) ||
      failed(refine(loop.getBody().front())))
    return failure();
  Operation *end = loop.getBody().front().getTerminator();
  for (auto [result, next] :
       llvm::zip_equal(loop->getResults(), end->getOperands())) {
    RankedTensorType from = tensorOf(result), to = tensorOf(next);
    for (int64_t i = 0; from && to && i < from.getRank(); ++i)
      if (!sizes.meet(size::extentOf(from, i), size::extentOf(to, i), loop))
        return failure();
  }
  return success();
}

/// All branches give results of one size.
LogicalResult Refiner::refineBranches(Operation *op) {
  SmallVector<TrueShape> shapes(op->getNumResults());
  for (Region &region : op->getRegions()) {
    if (failed(refine(region.front())))
      return failure();
    for (auto [shape, value] : llvm::zip_equal(
             shapes, region.front().getTerminator()->getOperands())) {
      RankedTensorType type = tensorOf(value);
      if (!type)
        continue;
      TrueShape own = size::extentsOf(type);
      if (shape.empty())
        shape = own;
      for (auto [extent, other] : llvm::zip_equal(shape, own))
        if (!(extent = sizes.meet(extent, other, op)))
          return failure();
    }
  }
  for (auto [result, shape] : llvm::zip_equal(op->getResults(), shapes)) {
    RankedTensorType declared = tensorOf(result);
    if (!declared)
      continue;
    RankedTensorType type = sizes.typeOf(op, declared, shape);
    if (!type)
      return failure();
    result.setType(type);
  }
  return success();
}

/// Where calls choose sizes: a region may use a value from outside that has
/// such a size, so that all are looked into.
LogicalResult Refiner::refineSizedRegions(Operation *op) {
  if (auto loop = dyn_cast<WhileOp>(op))
    return refineLoop(loop);
  if (isa<IfOp, CaseOp>(op) && op->getNumRegions() > 0)
    return refineBranches(op);
  return refineRegions(op);
}

LogicalResult Refiner::refineRegions(Operation *op) {
  if (auto loop = dyn_cast<WhileOp>(op))
    for (Region &region : loop->getRegions())
      for (auto [argument, operand] :
           llvm::zip(region.getArguments(), loop.getOperands()))
        setType(argument, operand.getType());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(refine(block)))
        return failure();
  return success();
}

static LogicalResult refuseComputedSize(Operation *op) {
  return emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
         << "'" << op->getName()
         << "' sets a size that is computed from elements; one that follows "
            "from the arguments' shapes is wanted: give an argument that "
            "size, or a mask of what counts";
}

/// All sizes must be known, and within the bounds that the type `declared`.
LogicalResult Refiner::checkResult(Operation *op, RankedTensorType type,
                                   RankedTensorType declared) {
  if (!type)
    return success();
  if (isa<SetDimensionSizeOp>(op) && !type.hasStaticShape())
    return refuseComputedSize(op);
  if (!type.hasStaticShape())
    return emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
           << "'" << op->getName() << "' has a result of type " << type
           << " although the arguments' sizes are known";
  for (auto [i, bound] : llvm::enumerate(boundsOf(declared)))
    if (ShapedType::isStatic(bound) && type.getDimSize(i) > bound)
      return emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
             << "'" << op->getName() << "' has a result of "
             << type.getDimSize(i) << " elements in dimension " << i
             << ", for which its type " << declared << " has a bound of "
             << bound;
  return success();
}

LogicalResult Refiner::refineTypes(Operation *op) {
  if (llvm::all_of(op->getResults(), [](Value result) {
        auto type = tensorOf(result);
        return !type || type.hasStaticShape();
      }))
    return success();
  SmallVector<Type> declared(op->getResultTypes());
  SmallVector<Type> types;
  std::string complaint;
  {
    ScopedDiagnosticHandler listen(op->getContext(), [&](Diagnostic &error) {
      complaint = error.str();
      return success();
    });
    types = chlo::typesOfResults(op, op->getLoc());
  }
  if (!complaint.empty()) {
    ErrorCode code =
        takeErrorCode(complaint).value_or(ErrorCode::StableHloInvalid);
    return emitError(op->getLoc(), code)
           << "'" << op->getName() << "' op " << complaint;
  }
  for (auto [result, type] : llvm::zip(op->getResults(), types))
    setType(result, type);
  for (auto [result, was] : llvm::zip_equal(op->getResults(), declared))
    if (failed(
            checkResult(op, tensorOf(result), dyn_cast<RankedTensorType>(was))))
      return failure();
  return success();
}

/// An operation that gives these numbers: a constant, or what calls choose.
void Refiner::replaceByElements(Operation *op, ArrayRef<Expression> elements) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  bool areKnown =
      llvm::all_of(elements, [](Expression each) { return each.isConstant(); });
  Operation *made;
  if (areKnown)
    made = ConstantOp::create(
        builder, op->getLoc(),
        DenseElementsAttr::get(
            type, llvm::map_to_vector(elements, [&](Expression each) {
              return Attribute(builder.getIntegerAttr(type.getElementType(),
                                                      *each.asConstant()));
            })));
  else
    made =
        size::TensorOp::create(builder, op->getLoc(), type,
                               size::extentsAttr(op->getContext(), elements));
  op->replaceAllUsesWith(made);
  erase(op);
}

LogicalResult Refiner::refineSize(GetDimensionSizeOp op) {
  RankedTensorType from = tensorOf(op.getOperand());
  if (from.isDynamicDim(op.getDimension()))
    return success();
  Expression extent = size::extentOf(from, op.getDimension());
  if (extent.isConstant())
    replaceByElements(op, extent);
  else
    numbers.push_back(op);
  return success();
}

/// Sizes are computed from sizes. Bools are left to whoever asks what they
/// hold.
bool Refiner::foldElements(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1 ||
      isa<CustomCallOp>(op))
    return false;
  std::optional<SizeContents::Elements> elements =
      sizes.contents.of(op->getResult(0));
  if (!elements)
    return false;
  if (llvm::all_of(*elements,
                   [](Expression each) { return each.isConstant(); }))
    replaceByElements(op, *elements);
  else if (!tensorOf(op->getResult(0)).getElementType().isInteger(1))
    numbers.push_back(op);
  return true;
}

void Refiner::replaceNumbers() {
  for (Operation *op : numbers)
    if (auto elements = sizes.contents.of(op->getResult(0)))
      replaceByElements(op, *elements);
}

/// What comes after the import takes no dynamic forms where calls choose sizes.
Operation *Refiner::knownForm(Operation *op) {
  OpBuilder builder(op);
  Operation *known = createKnownForm(builder, op);
  if (!known)
    return op;
  op->replaceAllUsesWith(known);
  erase(op);
  return known;
}

LogicalResult Refiner::refine(Operation *op) {
  if (auto size = dyn_cast<GetDimensionSizeOp>(op))
    return refineSize(size);
  if (auto call = dyn_cast<CustomCallOp>(op))
    if (call.getCallTargetName() == "shape_assertion")
      return checkAssertion(call);
  if (auto set = dyn_cast<SetDimensionSizeOp>(op))
    if (failed(checkSize(set)))
      return failure();
  FailureOr<Operation *> form = fixDynamicForm(op, sizes);
  if (failed(form))
    return failure();
  op = *form;
  if (anySized)
    op = knownForm(op);
  bool isTyped = isa<WhileOp, IfOp, CaseOp>(op) && anySized;
  if (failed(anySized ? refineSizedRegions(op) : refineRegions(op)))
    return failure();
  if (anySized && isa<SetDimensionSizeOp>(op) &&
      !size::hasExtents(op->getResult(0).getType()))
    return refuseComputedSize(op);
  if (!isTyped && anySized && isSized(op, sizes)) {
    SmallVector<Type> declared(op->getResultTypes());
    if (failed(setSizedTypes(op, sizes)))
      return failure();
    for (auto [result, was] : llvm::zip_equal(op->getResults(), declared))
      if (failed(checkResult(op, tensorOf(result),
                             dyn_cast<RankedTensorType>(was))))
        return failure();
  } else if (failed(refineTypes(op))) {
    return failure();
  } else if (anySized) {
    // Its numbers may be known although its operands' types were open.
    op = knownForm(op);
  }
  if (op->getNumOperands() == 0 || op->getNumResults() != 1 ||
      !isa_and_nonnull<StableHloDialect>(op->getDialect()))
    return success();
  if (anySized && foldElements(op))
    return success();
  SmallVector<ElementsAttr> operands =
      llvm::map_to_vector(op->getOperands(), constantOf);
  auto type = tensorOf(op->getResult(0));
  if (llvm::is_contained(operands, ElementsAttr()) || !type ||
      !type.getElementType().isIntOrIndex() || type.getNumElements() > 64)
    return success();
  FailureOr<ElementsAttr> folded = foldOp(op, operands);
  if (failed(folded) || (*folded).getType() != type)
    return success();
  OpBuilder builder(op);
  op->replaceAllUsesWith(ConstantOp::create(builder, op->getLoc(), *folded));
  erase(op);
  return success();
}

LogicalResult Refiner::refine(Block &block) {
  for (auto it = block.begin(); it != block.end();) {
    Operation *op = &*it;
    if (++operations > kOperationLimit)
      return emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
             << "inlining its calls makes the program too large";
    // What stands in front of it now is gone on with at its first.
    bool first = it == block.begin();
    auto before = first ? block.end() : std::prev(it);
    auto again = [&] { return first ? block.begin() : std::next(before); };
    if (func::FuncOp callee = calleeOf(op)) {
      if (failed(inlineCall(op, callee)))
        return failure();
      erase(op);
      it = again();
      continue;
    }
    if (anySized && isSized(op, sizes)) {
      FailureOr<bool> expanded = expandSized(op, sizes);
      if (failed(expanded))
        return failure();
      if (*expanded) {
        it = again();
        continue;
      }
    }
    ++it;
    if (failed(refine(op)))
      return failure();
  }
  return success();
}

/// Removes what only sizes were computed from.
static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        eraseDead(inner);
  }
}

/// What the program computes for sizes follows its own results.
static void addCounts(func::FuncOp entry,
                      ArrayRef<ImportedSizes::Computed> computed) {
  if (computed.empty())
    return;
  SmallVector<DictionaryAttr> attributes;
  entry.getAllResultAttrs(attributes);
  entry.removeResAttrsAttr();
  Builder builder(entry.getContext());
  Operation *end = entry.front().getTerminator();
  attributes.resize(end->getNumOperands(), builder.getDictionaryAttr({}));
  for (const ImportedSizes::Computed &each : computed) {
    end->insertOperands(end->getNumOperands(), each.count);
    Attribute name = builder.getStringAttr(each.name);
    attributes.push_back(
        builder.getDictionaryAttr({builder.getNamedAttr(kExtentAttrName, name),
                                   builder.getNamedAttr("heddle.name", name)}));
  }
  entry.setType(FunctionType::get(entry.getContext(),
                                  entry.front().getArgumentTypes(),
                                  end->getOperandTypes()));
  entry.setAllResultAttrs(attributes);
}

LogicalResult refineShapes(func::FuncOp entry, TypeRange argumentTypes,
                           ImportedSizes &sizes) {
  if (!entry.getBody().hasOneBlock())
    return success();
  Block &block = entry.getBody().front();
  for (auto [argument, type] : llvm::zip(block.getArguments(), argumentTypes))
    argument.setType(type);
  bool anySized =
      sizes.mayCompute || llvm::any_of(argumentTypes, size::hasExtents);
  Refiner refiner(sizes, anySized);
  if (failed(refiner.refine(block)))
    return failure();
  refiner.replaceNumbers();
  addCounts(entry, sizes.computed());
  if (anySized)
    eraseDead(block);
  entry.setType(FunctionType::get(entry.getContext(), argumentTypes,
                                  block.getTerminator()->getOperandTypes()));
  // Their argument types may fit no call any more.
  for (auto function : llvm::make_early_inc_range(
           entry->getParentOfType<ModuleOp>().getOps<func::FuncOp>()))
    if (function != entry && function.isPrivate() &&
        SymbolTable::symbolKnownUseEmpty(function,
                                         entry->getParentOfType<ModuleOp>()))
      function.erase();
  return success();
}

LogicalResult refineShapes(func::FuncOp entry, TypeRange argumentTypes) {
  size::Ranges ranges;
  ImportedSizes sizes(ranges);
  return refineShapes(entry, argumentTypes, sizes);
}

FailureOr<func::FuncOp> closeOpenSizes(func::FuncOp entry) {
  auto module = entry->getParentOfType<ModuleOp>();
  bool anyOpen = module
                     .walk([](Operation *op) {
                       return llvm::any_of(op->getResultTypes(), isOpen)
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     })
                     .wasInterrupted();
  if (!anyOpen || llvm::any_of(entry.getArgumentTypes(), isOpen))
    return entry;
  // Of sizes that stay open the program is left as it is.
  OwningOpRef<ModuleOp> copy = module.clone();
  std::optional<std::pair<Location, std::string>> complaint;
  {
    ScopedDiagnosticHandler listen(entry.getContext(), [&](Diagnostic &error) {
      if (!complaint)
        complaint.emplace(error.getLocation(), error.str());
      return success();
    });
    std::string name = entry.getName().str();
    auto function = copy->lookupSymbol<func::FuncOp>(name);
    SmallVector<Type> types(entry.getArgumentTypes());
    if (succeeded(refineShapes(function, types))) {
      complaint.reset();
      if (succeeded(verify(*copy)) || !complaint) {
        module.getBodyRegion().takeBody(copy->getBodyRegion());
        return module.lookupSymbol<func::FuncOp>(name);
      }
    } else if (!complaint || takeErrorCode(complaint->second) !=
                                 ErrorCode::StableHloInvalid) {
      // They are looked at where they are compiled.
      return entry;
    }
  }
  return emitError(complaint->first, ErrorCode::StableHloInvalid)
         << complaint->second << ", with the sizes that are open in its type";
}

} // namespace heddle
