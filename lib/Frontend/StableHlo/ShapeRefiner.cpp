// Single operations of a program of open sizes: their forms, their types, and
// the numbers that they compute from sizes.

#include "lib/Frontend/StableHlo/ShapeRefiner.h"

#include "lib/Frontend/StableHlo/SizedForms.h"
#include "lib/Frontend/StableHlo/SizedTypes.h"

#include "dialects/Chlo/ResultShapes.h"
#include "dialects/StableHlo/KnownForms.h"
#include "dialects/StableHlo/TypeInference.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle::stablehlo;
using heddle::size::Expression;

namespace heddle {

/// Operations that a program may grow to by inlining.
constexpr int64_t kOperationLimit = 1 << 20;

static ElementsAttr constantOf(Value value) {
  ElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) ? constant : ElementsAttr();
}

/// Takes from `wanted` the sizes that the value's type does not know.
void ShapeRefiner::setType(Value value, Type wanted) {
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

/// An assertion's first operand says whether the shapes fit; the others are
/// numbers for its message.
LogicalResult ShapeRefiner::checkAssertion(CustomCallOp op) {
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
LogicalResult ShapeRefiner::checkSize(SetDimensionSizeOp op) {
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

static LogicalResult refuseComputedSize(Operation *op) {
  return emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
         << "'" << op->getName()
         << "' sets a size that is computed from elements; one that follows "
            "from the arguments' shapes is wanted: give an argument that "
            "size, or a mask of what counts";
}

/// All sizes must be known, and within the bounds that the type `declared`.
LogicalResult ShapeRefiner::checkResult(Operation *op, RankedTensorType type,
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

LogicalResult ShapeRefiner::refineTypes(Operation *op) {
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
void ShapeRefiner::replaceByElements(Operation *op,
                                     ArrayRef<Expression> elements) {
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

LogicalResult ShapeRefiner::refineSize(GetDimensionSizeOp op) {
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
bool ShapeRefiner::foldElements(Operation *op) {
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

void ShapeRefiner::replaceNumbers() {
  for (Operation *op : numbers)
    if (auto elements = sizes.contents.of(op->getResult(0)))
      replaceByElements(op, *elements);
}

/// What comes after the import takes no dynamic forms where calls choose sizes.
Operation *ShapeRefiner::knownForm(Operation *op) {
  OpBuilder builder(op);
  Operation *known = createKnownForm(builder, op);
  if (!known)
    return op;
  op->replaceAllUsesWith(known);
  erase(op);
  return known;
}

LogicalResult ShapeRefiner::refine(Operation *op) {
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

LogicalResult ShapeRefiner::refine(Block &block) {
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

} // namespace heddle
