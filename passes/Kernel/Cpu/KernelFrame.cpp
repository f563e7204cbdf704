// Makes the lowered function of a kernel: buffers, scratch memory, the loop
// over tiles.

#include "passes/Kernel/Cpu/KernelFrame.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/ScalarArguments.h"
#include "dialects/Size/DeclaredRanges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/Kernel/Cpu/LoopAccess.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {

/// Every scratch piece starts a cache line.
static constexpr int64_t scratchAlignment = 64;

Type storageType(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

static MemRefType flatType(Type elementType) {
  return MemRefType::get({ShapedType::kDynamic}, storageType(elementType));
}

FailureOr<KernelFrame> KernelFrame::create(func::FuncOp source,
                                           const Machine &machine) {
  MLIRContext *context = source.getContext();
  auto isStaticTensor = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (source.isExternal() || !llvm::hasSingleElement(source.getBody()))
    return source.emitError("a kernel function has one block");
  SmallVector<Type> types;
  ArrayRef<Type> inputs = source.getFunctionType().getInputs();
  unsigned numScalars = kernel::countScalars(inputs);
  for (ArrayRef<Type> group :
       {inputs.drop_back(numScalars), source.getFunctionType().getResults()})
    for (Type type : group) {
      if (!isStaticTensor(type))
        return source.emitError("a kernel function takes and returns tensors "
                                "of static shape, not ")
               << type;
      types.push_back(flatType(cast<RankedTensorType>(type).getElementType()));
    }
  unsigned buffersEnd = types.size();
  llvm::append_range(types, inputs.take_back(numScalars));
  unsigned scalarsEnd = types.size();
  Type index = IndexType::get(context);
  types.push_back(flatType(IntegerType::get(context, 8)));
  types.append({index, index, index});

  auto function = func::FuncOp::create(source.getLoc(), source.getName(),
                                       FunctionType::get(context, types, {}));
  function.setVisibility(source.getVisibility());
  // What is lowered is no kernel on tensors any more.
  for (NamedAttribute attr : source->getDiscardableAttrs())
    if (attr.getName() != kernel::kEntryAttrName)
      function->setAttr(attr.getName(), attr.getValue());
  unsigned numInputs = inputs.size() - numScalars;
  for (unsigned argument = 0; argument < numInputs; ++argument)
    function.setArgAttrs(argument, source.getArgAttrDict(argument));
  Block *entry = function.addEntryBlock();

  KernelFrame frame(source, function, machine);
  if (auto module = source->getParentOfType<ModuleOp>())
    frame.ranges = size::declaredRanges(module);
  frame.builder.setInsertionPointToEnd(entry);
  Block &body = source.getBody().front();
  for (auto [tensor, buffer] : llvm::zip(
           body.getArguments().take_front(numInputs), entry->getArguments()))
    frame.bind(tensor, buffer);
  for (auto [scalar, argument] :
       llvm::zip(body.getArguments().drop_front(numInputs),
                 entry->getArguments().drop_front(buffersEnd)))
    frame.arguments[scalar] = argument;
  for (auto [tensor, buffer] :
       llvm::zip(body.getTerminator()->getOperands(),
                 entry->getArguments().drop_front(numInputs))) {
    if (frame.hasBuffer(tensor)) {
      function.erase();
      return source.emitError(
          "a kernel function returns each computed value once");
    }
    frame.bind(tensor, buffer);
  }
  frame.sizesEnd = scalarsEnd;
  frame.scratch = entry->getArgument(scalarsEnd);
  frame.worker = entry->getArgument(scalarsEnd + 1);
  frame.tileBegin = entry->getArgument(scalarsEnd + 2);
  frame.tileEnd = entry->getArgument(scalarsEnd + 3);
  // The module holds both while the body is emitted, so that globals find it.
  source->getBlock()->getOperations().insert(source->getIterator(), function);
  return frame;
}

Value KernelFrame::buffer(Value tensor) {
  auto found = buffers.find(tensor);
  if (found != buffers.end())
    return found->second;
  DenseElementsAttr elements;
  // A table whose true extents a call says would lie otherwise at each.
  if (!matchPattern(tensor, m_Constant(&elements)) ||
      size::hasExtents(tensor.getType()))
    return {};

  // A constant table: one global in the read-only section.
  OpBuilder::InsertionGuard guard(builder);
  auto tensorType = cast<RankedTensorType>(tensor.getType());
  if (tensorType.getElementType().isInteger(1))
    elements = cast<DenseElementsAttr>(
        elements.mapValues(builder.getI8Type(),
                           llvm::function_ref<APInt(const APInt &)>(
                               [](const APInt &bit) { return bit.zext(8); })));
  auto globalType = MemRefType::get({tensorType.getNumElements()},
                                    storageType(tensorType.getElementType()));
  elements = elements.reshape(RankedTensorType::get(
      globalType.getShape(), globalType.getElementType()));
  auto module = source->getParentOfType<ModuleOp>();
  std::string name;
  for (unsigned number = 0;; ++number) {
    name = (source.getName() + ".table" + Twine(number)).str();
    if (!SymbolTable::lookupSymbolIn(module, name))
      break;
  }
  builder.setInsertionPoint(function);
  memref::GlobalOp::create(builder, tensor.getLoc(), name,
                           builder.getStringAttr("private"), globalType,
                           elements, /*constant=*/true,
                           builder.getI64IntegerAttr(scratchAlignment));
  builder.setInsertionPointToStart(&function.getBody().front());
  Value global =
      memref::GetGlobalOp::create(builder, tensor.getLoc(), globalType, name);
  Value flat = memref::CastOp::create(
      builder, tensor.getLoc(), flatType(tensorType.getElementType()), global);
  bind(tensor, flat);
  return flat;
}

Value KernelFrame::scalar(Value value) {
  if (Value passed = argument(value))
    return passed;
  Operation *op = value.getDefiningOp();
  if (op && matchPattern(op, m_Constant()))
    return builder.clone(*op)->getResult(0);
  auto extract = dyn_cast_or_null<tensor::ExtractOp>(op);
  Value from = extract ? buffer(extract.getTensor()) : Value();
  if (!from)
    return {};
  Location loc = extract.getLoc();
  LaneBuilder lanes(builder, loc, /*lanes=*/0);
  LaneValue position = lanes.constantIndex(0);
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  for (auto [extent, index] :
       llvm::zip(trueExtents(type), extract.getIndices())) {
    Value at = scalar(index);
    if (!at)
      return {};
    position = lanes.add(scaled(lanes, *this, position, extent), at);
  }
  return lanes.load(from, type.getElementType(), position).value;
}

Value KernelFrame::valueOf(OpBuilder &at, const Extent &extent) {
  if (std::optional<int64_t> number = extent.known())
    return arith::ConstantIndexOp::create(at, function.getLoc(), *number);
  size::Expression expression = extent.expression(function.getContext());
  if (!expression) {
    fits = false;
    return arith::ConstantIndexOp::create(at, function.getLoc(), 0);
  }
  Value &value = sizeValues[expression.attribute()];
  if (!value) {
    (void)function.insertArgument(sizesEnd, at.getIndexType(), {},
                                  function.getLoc());
    value = function.getArgument(sizesEnd++);
    sizes.push_back(expression);
  }
  return value;
}

int64_t KernelFrame::least(const Extent &extent) const {
  size::Expression expression = extent.expression(builder.getContext());
  return expression ? std::max<int64_t>(ranges.interval(expression).low, 0) : 0;
}

int64_t KernelFrame::divisor(const Extent &extent) const {
  size::Expression expression = extent.expression(builder.getContext());
  return expression ? ranges.divisor(expression) : 1;
}

Value KernelFrame::allocateScratch(Type elementType, const Extent &count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  Value offset = valueOf(scratchBytes);
  Value size = valueOf(count);
  int64_t elementBytes =
      llvm::divideCeil(storageType(elementType).getIntOrFloatBitWidth(), 8);
  scratchBytes =
      scratchBytes + (count * elementBytes).alignTo(scratchAlignment);
  return memref::ViewOp::create(builder, function.getLoc(),
                                flatType(elementType), scratch, offset,
                                ValueRange{size});
}

Value KernelFrame::enterTileLoop() {
  Location loc = function.getLoc();
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, tileBegin, tileEnd, one);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  return loop.getInductionVar();
}

void KernelFrame::finish(const Extent &tiles, int64_t chunk) {
  builder.setInsertionPointToEnd(&function.getBody().front());
  func::ReturnOp::create(builder, function.getLoc());
  MLIRContext *context = function.getContext();
  function->setAttr(kernel::kTilesAttrName,
                    builder.getI64IntegerAttr(tiles.bound()));
  if (tiles.isSized()) {
    size::Expression count = tiles.expression(context);
    fits &= bool(count);
    if (count)
      function->setAttr(kernel::kTileCountAttrName, count.attribute());
  }
  if (!sizes.empty())
    function->setAttr(kernel::kSizeArgumentsAttrName,
                      size::extentsAttr(context, sizes));
  function->setAttr(kernel::kChunkAttrName, builder.getI64IntegerAttr(chunk));
  function->setAttr(kernel::kScratchAttrName,
                    builder.getI64IntegerAttr(scratchBytes.bound()));
  if (scratchBytes.isSized()) {
    size::Expression bytes = scratchBytes.expression(context);
    fits &= bool(bytes);
    if (bytes)
      function->setAttr(kernel::kScratchBytesAttrName, bytes.attribute());
  }
  source.erase();
}

void KernelFrame::abandon() { function.erase(); }

} // namespace heddle
