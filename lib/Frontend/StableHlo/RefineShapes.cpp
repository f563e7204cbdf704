// A program of open sizes, walked once from its arguments on: what follows each
// operation has the types that its operands say (dialects/Chlo/ResultShapes.h).

#include "heddle/Frontend/RefineShapes.h"

#include "heddle/Frontend/DynamicForms.h"

#include "dialects/Chlo/ResultShapes.h"
#include "dialects/StableHlo/KnownForms.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace heddle::stablehlo;

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
  explicit Refiner(bool isSample) : isSample(isSample) {}

  LogicalResult refine(Block &block);

private:
  LogicalResult refine(Operation *op);
  LogicalResult refineRegions(Operation *op);
  LogicalResult refineTypes(Operation *op);
  static LogicalResult checkResult(Operation *op, RankedTensorType type,
                                   RankedTensorType declared);
  LogicalResult inlineCall(Operation *call, func::FuncOp callee);
  static func::FuncOp calleeOf(Operation *op);
  LogicalResult checkAssertion(CustomCallOp op);
  static LogicalResult checkSize(SetDimensionSizeOp op);
  static void setType(Value value, Type wanted);

  const bool isSample;
  int64_t operations = 0;
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
      !llvm::all_of(op->getResultTypes(), [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && tensor.hasStaticShape();
      }))
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
  auto holds = op.getInputs().empty() ? std::nullopt
                                      : integersOf(op.getInputs().front());
  if (!holds || holds->size() != 1)
    return success();
  if (holds->front() != 0) {
    op.erase();
    return success();
  }
  auto message = op->getAttrOfType<StringAttr>("error_message");
  std::string text = message ? message.str() : "a shape assertion fails";
  for (auto [i, operand] : llvm::enumerate(op.getInputs().drop_front())) {
    auto number = integersOf(operand);
    std::string mark = "{" + std::to_string(i) + "}";
    for (size_t at; number && number->size() == 1 &&
                    (at = text.find(mark)) != std::string::npos;)
      text.replace(at, mark.size(), std::to_string(number->front()));
  }
  return emitError(op.getLoc(), ErrorCode::OnnxShapeOption) << text;
}

/// A dimension is cut, never made longer: what would be there then is not said.
LogicalResult Refiner::checkSize(SetDimensionSizeOp op) {
  auto size = integersOf(op.getSize());
  int64_t known = tensorOf(op.getOperand()).getDimSize(op.getDimension());
  if (!size || size->size() != 1 || ShapedType::isDynamic(known) ||
      (size->front() >= 0 && size->front() <= known))
    return success();
  return emitError(op.getLoc(), ErrorCode::StableHloDynamicShape)
         << "'" << op->getName() << "' gives dimension " << op.getDimension()
         << " of size " << known << " the size " << size->front()
         << "; a size from 0 to that is wanted";
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

/// All sizes must be known, and within the bounds that the type `declared`.
LogicalResult Refiner::checkResult(Operation *op, RankedTensorType type,
                                   RankedTensorType declared) {
  if (!type)
    return success();
  if (isa<SetDimensionSizeOp>(op) && !type.hasStaticShape())
    return emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
           << "'" << op->getName()
           << "' sets a size that is computed from elements; one that follows "
              "from the arguments' shapes is wanted: give an argument that "
              "size, or a mask of what counts";
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

LogicalResult Refiner::refine(Operation *op) {
  if (auto size = dyn_cast<GetDimensionSizeOp>(op)) {
    int64_t value = tensorOf(size.getOperand()).getDimSize(size.getDimension());
    if (ShapedType::isDynamic(value))
      return success();
    OpBuilder builder(op);
    auto type = cast<RankedTensorType>(size.getType());
    op->replaceAllUsesWith(ConstantOp::create(
        builder, op->getLoc(),
        DenseElementsAttr::get(
            type, builder.getIntegerAttr(type.getElementType(), value))));
    op->erase();
    return success();
  }
  if (auto call = dyn_cast<CustomCallOp>(op))
    if (call.getCallTargetName() == "shape_assertion")
      return checkAssertion(call);
  if (auto set = dyn_cast<SetDimensionSizeOp>(op))
    if (failed(checkSize(set)))
      return failure();
  bool wasOpen = llvm::any_of(op->getResultTypes(), isOpen);
  op = fixDynamicForm(op);
  if (failed(refineRegions(op)) || failed(refineTypes(op)))
    return failure();
  // Sizes are computed from sizes.
  if ((wasOpen && isSample) || op->getNumOperands() == 0 ||
      op->getNumResults() != 1 ||
      !isa_and_nonnull<StableHloDialect>(op->getDialect()))
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
  op->erase();
  return success();
}

LogicalResult Refiner::refine(Block &block) {
  for (auto it = block.begin(); it != block.end();) {
    Operation *op = &*it;
    if (++operations > kOperationLimit)
      return emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
             << "inlining its calls makes the program too large";
    func::FuncOp callee = calleeOf(op);
    if (!callee) {
      ++it;
      if (failed(refine(op)))
        return failure();
      continue;
    }
    // What was inlined stands in front of the call: go on with its first.
    bool first = it == block.begin();
    auto before = first ? block.end() : std::prev(it);
    if (failed(inlineCall(op, callee)))
      return failure();
    op->erase();
    it = first ? block.begin() : std::next(before);
  }
  return success();
}

LogicalResult refineShapes(func::FuncOp entry, TypeRange argumentTypes,
                           bool isSample) {
  if (!entry.getBody().hasOneBlock())
    return success();
  Block &block = entry.getBody().front();
  for (auto [argument, type] : llvm::zip(block.getArguments(), argumentTypes))
    argument.setType(type);
  if (failed(Refiner(isSample).refine(block)))
    return failure();
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
