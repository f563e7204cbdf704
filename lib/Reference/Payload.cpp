// Compiles regions on scalars to lists of element functions, and runs them.

#include "Payload.h"

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

/// The element type of a scalar: of a tensor of rank 0, or the type itself.
static Type scalarType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getRank() == 0 ? tensor.getElementType() : Type();
  return type;
}

namespace {
/// The kind that a scalar is held in, and its own bits.
struct ScalarKind {
  ElementKind kind;
  unsigned width;
};
} // namespace

/// Integers may have widths that no tensor has, as the bits of a float of six:
/// a wider kind holds them.
static std::optional<ScalarKind> scalarKind(const Evaluator &evaluator,
                                            Type type) {
  if (!type)
    return std::nullopt;
  if (std::optional<ElementKind> kind =
          elementKind(evaluator.evaluatedType(type)))
    return ScalarKind{*kind, bitWidth(*kind)};
  if (type.isSignlessInteger())
    for (ElementKind kind : {ElementKind::I8, ElementKind::I16,
                             ElementKind::I32, ElementKind::I64})
      if (type.getIntOrFloatBitWidth() < bitWidth(kind))
        return ScalarKind{kind, type.getIntOrFloatBitWidth()};
  return std::nullopt;
}

LogicalResult Payload::addConstant(Value value, const HostTensor &tensor) {
  if (tensor.size() != 1)
    return failure();
  slotOfValue[value] = slots.size();
  slots.emplace_back();
  slots.back().kind = tensor.kind();
  slots.back().splat(tensor.kind(), tensor.element(0), kLanes);
  return success();
}

FailureOr<unsigned> Payload::slotOf(Value value, Operation *user) {
  auto found = slotOfValue.find(value);
  if (found != slotOfValue.end())
    return found->second;
  const InterpreterValue *outside = evaluator->lookup(value);
  if (!outside || !outside->tensor ||
      failed(addConstant(value, outside->tensor)))
    return failure();
  return slotOfValue[value];
}

/// `tensor.extract` of a tensor from outside: every lane reads its own element.
LogicalResult Payload::addGather(Operation &op) {
  auto extract = cast<tensor::ExtractOp>(op);
  const InterpreterValue *source = evaluator->lookup(extract.getTensor());
  if (!source || !source->tensor)
    return failure();
  HostTensor tensor = source->tensor;
  Step step;
  for (Value index : extract.getIndices()) {
    FailureOr<unsigned> slot = slotOf(index, &op);
    if (failed(slot))
      return failure();
    step.operands.push_back(*slot);
  }
  Extents strides = rowMajorStrides(tensor.shape());
  step.function = [tensor, strides](ArrayRef<const Lanes *> in, Lanes &out,
                                    size_t count) {
    int64_t offsets[kLanes];
    char bytes[kLanes * sizeof(Complex)];
    for (size_t i = 0; i < count; ++i) {
      offsets[i] = 0;
      for (size_t d = 0; d < strides.size(); ++d) {
        // Whoever made the IR keeps indices inside; a wrong one must not read
        // elsewhere.
        int64_t index =
            std::clamp<int64_t>(in[d]->as<int64_t>()[i], 0, tensor.dim(d) - 1);
        offsets[i] += index * strides[d];
      }
    }
    gatherElements(tensor.elementBytes(), tensor.bytes().data(), offsets, count,
                   bytes);
    out.load(tensor.kind(), bytes, count);
  };
  if (tensor.size() == 0)
    return failure();
  step.width = bitWidth(tensor.kind());
  step.result = slots.size();
  slotOfValue[extract.getResult()] = step.result;
  slots.emplace_back();
  slots.back().kind = tensor.kind();
  steps.push_back(std::move(step));
  return success();
}

LogicalResult Payload::addOperation(Operation &op) {
  if (op.getNumRegions() != 0 || op.getNumResults() != 1)
    return failure();
  Value value = op.getResult(0);
  if (isa<tensor::ExtractOp>(op))
    return addGather(op);
  Type element = scalarType(value.getType());
  std::optional<ScalarKind> held = scalarKind(*evaluator, element);
  if (!held)
    return failure();

  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    indices.push_back({slots.size(), index.getDim()});
    slotOfValue[value] = slots.size();
    slots.emplace_back();
    slots.back().kind = ElementKind::Index;
    return success();
  }
  Attribute constant;
  if (auto stablehlo = dyn_cast<stablehlo::ConstantOp>(op))
    constant = stablehlo.getValue();
  else if (auto scalar = dyn_cast<arith::ConstantOp>(op))
    constant = scalar.getValue();
  if (constant) {
    auto elements = dyn_cast<ElementsAttr>(constant);
    if (!elements)
      elements = DenseElementsAttr::get(RankedTensorType::get({}, element),
                                        ArrayRef<Attribute>(constant));
    std::optional<HostTensor> tensor = HostTensor::fromAttribute(elements);
    return tensor ? addConstant(value, *tensor) : failure();
  }

  Step step;
  SmallVector<ElementKind> kinds;
  for (Value operand : op.getOperands()) {
    if (!scalarType(operand.getType()))
      return failure();
    FailureOr<unsigned> slot = slotOf(operand, &op);
    if (failed(slot))
      return failure();
    step.operands.push_back(*slot);
    kinds.push_back(slots[*slot].kind);
  }
  step.function = elementFunction(&op, kinds, held->kind);
  if (!step.function)
    return failure();
  step.width = held->width;
  step.result = slots.size();
  slotOfValue[value] = step.result;
  slots.emplace_back();
  slots.back().kind = held->kind;
  steps.push_back(std::move(step));
  return success();
}

FailureOr<Payload> Payload::compile(Evaluator &evaluator, Block &block,
                                    ArrayRef<ElementKind> arguments) {
  Payload payload;
  payload.evaluator = &evaluator;
  payload.block = &block;
  for (auto [argument, kind] :
       llvm::zip_equal(block.getArguments(), arguments)) {
    payload.slotOfValue[argument] = payload.slots.size();
    payload.slots.emplace_back();
    payload.slots.back().kind = kind;
  }
  Operation *terminator = block.getTerminator();
  bool simple = llvm::all_of(block.without_terminator(), [&](Operation &op) {
    return succeeded(payload.addOperation(op));
  });
  if (simple) {
    for (Value value : terminator->getOperands()) {
      FailureOr<unsigned> slot = payload.slotOf(value, terminator);
      if (failed(slot)) {
        simple = false;
        break;
      }
      payload.results.push_back(*slot);
    }
  }
  if (simple)
    return payload;

  // Interpreted one element at a time.
  if (!llvm::all_of(block.getArgumentTypes(), llvm::IsaPred<RankedTensorType>))
    return failure();
  payload.general = true;
  payload.slots.resize(arguments.size());
  payload.steps.clear();
  payload.results.clear();
  payload.indices.clear();
  for (Value value : terminator->getOperands()) {
    Type element = scalarType(value.getType());
    if (!element || !elementKind(evaluator.evaluatedType(element)))
      return failure();
    payload.results.push_back(payload.slots.size());
    payload.slots.emplace_back();
    payload.slots.back().kind = evaluator.evaluatedKind(element);
  }
  return payload;
}

LogicalResult Payload::runGeneral(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    ValueVector arguments, yielded;
    for (unsigned a = 0; a < block->getNumArguments(); ++a) {
      const Lanes &lanes = slots[a];
      auto type = RankedTensorType::get(
          {}, elementType(block->getParent()->getContext(), lanes.kind));
      HostTensor scalar = HostTensor::allocate(type);
      lanes.store(lanes.kind, 1, scalar.mutableBytes().data(), i);
      arguments.push_back(std::move(scalar));
    }
    if (failed(evaluator->runBlock(*block, arguments, yielded)))
      return failure();
    for (auto [slot, value] : llvm::zip_equal(results, yielded)) {
      if (!value.tensor || value.tensor.size() != 1)
        return heddle::emitError(block->getTerminator()->getLoc(),
                                 ErrorCode::ProgramFault)
               << "a region of scalars returns a value that is none";
      slots[slot].load(value.tensor.kind(), value.tensor.element(0), 1, i);
    }
  }
  return success();
}

LogicalResult Payload::run(size_t count) {
  if (general)
    return runGeneral(count);
  for (Step &step : steps) {
    SmallVector<const Lanes *, 3> operands;
    for (unsigned slot : step.operands)
      operands.push_back(&slots[slot]);
    Lanes &result = slots[step.result];
    result.bitsKnown = false;
    step.function(operands, result, count);
    result.canonicalise(count, step.width);
  }
  return success();
}
