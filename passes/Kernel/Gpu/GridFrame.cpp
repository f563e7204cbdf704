// Makes the lowered function of a kernel for a grid of threads.

#include "passes/Kernel/Gpu/GridFrame.h"

#include "dialects/Kernel/GridKernels.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/ScalarArguments.h"
#include "dialects/Size/Expression.h"
#include "heddle/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace heddle {

Type elementInMemory(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

/// A flat buffer in the device's memory.
static MemRefType bufferType(Type element,
                             int64_t size = ShapedType::kDynamic) {
  return MemRefType::get({size}, elementInMemory(element), AffineMap(),
                         gpu::AddressSpaceAttr::get(element.getContext(),
                                                    gpu::AddressSpace::Global));
}

GridFrame::GridFrame(func::FuncOp source, func::FuncOp function,
                     const GpuMachine &machine)
    : source(source), function(function), builder(function.getContext()),
      index(builder, source.getLoc()), machine(machine),
      blockThreads(machine.blockThreads) {}

// The index builder refers to the builder beside it.
GridFrame::GridFrame(GridFrame &&other)
    : source(other.source), function(other.function), builder(other.builder),
      index(builder, other.index.loc), machine(other.machine),
      buffers(std::move(other.buffers)), arguments(std::move(other.arguments)),
      points(other.points), blockThreads(other.blockThreads),
      failed(other.failed) {}

FailureOr<GridFrame> GridFrame::create(func::FuncOp source,
                                       const GpuMachine &machine) {
  if (source.isExternal() || !llvm::hasSingleElement(source.getBody()))
    return source.emitError("a kernel function has one block");
  ArrayRef<Type> inputs = source.getArgumentTypes();
  unsigned numScalars = kernel::countScalars(inputs);
  unsigned numInputs = inputs.size() - numScalars;
  SmallVector<Type> types;
  for (ArrayRef<Type> group :
       {inputs.drop_back(numScalars), source.getResultTypes()})
    for (Type type : group) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape())
        return source.emitError("a kernel function takes and returns tensors "
                                "of static shape, not ")
               << type;
      if (size::hasExtents(type))
        return source.emitError("no kernel for graphics processors has extents "
                                "that calls choose, as in ")
               << type;
      types.push_back(bufferType(tensor.getElementType()));
    }
  unsigned buffersEnd = types.size();
  llvm::append_range(types, inputs.take_back(numScalars));
  // Addresses and numbers take 8 bytes each.
  if (int64_t bytes = 8 * types.size(); bytes > machine.mostParameterBytes)
    return source.emitError("takes ")
           << bytes << " bytes of parameters, of which a kernel for "
           << machine.name << " can have " << machine.mostParameterBytes;

  auto function =
      func::FuncOp::create(source.getLoc(), source.getName(),
                           FunctionType::get(source.getContext(), types, {}));
  function.setVisibility(source.getVisibility());
  for (NamedAttribute attr : source->getDiscardableAttrs())
    if (attr.getName() != kernel::kEntryAttrName)
      function->setAttr(attr.getName(), attr.getValue());
  for (unsigned i = 0; i < numInputs; ++i)
    function.setArgAttrs(i, source.getArgAttrDict(i));
  Block *entry = function.addEntryBlock();

  GridFrame frame(source, function, machine);
  frame.builder.setInsertionPointToEnd(entry);
  Block &body = source.getBody().front();
  for (unsigned i = 0; i < numInputs; ++i)
    frame.buffers[body.getArgument(i)] = entry->getArgument(i);
  for (unsigned i = 0; i < numScalars; ++i)
    frame.arguments[body.getArgument(numInputs + i)] =
        entry->getArgument(buffersEnd + i);
  for (auto [i, tensor] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (!frame.buffers.try_emplace(tensor, entry->getArgument(numInputs + i))
             .second) {
      function.erase();
      return source.emitError(
          "a kernel function returns each computed value once");
    }
  // The module holds both while the body is emitted, so that globals find it.
  source->getBlock()->getOperations().insert(source->getIterator(), function);
  return std::move(frame);
}

Value GridFrame::buffer(Value tensor) {
  if (Value known = buffers.lookup(tensor))
    return known;
  DenseElementsAttr elements;
  if (!matchPattern(tensor, m_Constant(&elements)))
    return {};
  // A table: one global of the image.
  if (elements.getElementType().isInteger(1))
    elements = cast<DenseElementsAttr>(
        elements.mapValues(builder.getI8Type(),
                           llvm::function_ref<APInt(const APInt &)>(
                               [](const APInt &bit) { return bit.zext(8); })));
  MemRefType type =
      bufferType(elements.getElementType(), elements.getNumElements());
  elements = elements.reshape(
      RankedTensorType::get(type.getShape(), type.getElementType()));
  auto module = source->getParentOfType<ModuleOp>();
  std::string name;
  for (unsigned number = 0;; ++number) {
    name = (source.getName() + "_table" + Twine(number)).str();
    if (!SymbolTable::lookupSymbolIn(module, name))
      break;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(function);
  memref::GlobalOp::create(builder, tensor.getLoc(), name,
                           builder.getStringAttr("private"), type, elements,
                           /*constant=*/true, /*alignment=*/IntegerAttr());
  builder.setInsertionPointToStart(&function.getBody().front());
  return buffers[tensor] =
             memref::GetGlobalOp::create(builder, tensor.getLoc(), type, name);
}

Value GridFrame::load(Value buffer, Value position, Type element) {
  Value loaded = memref::LoadOp::create(builder, index.loc, buffer, position);
  if (!element.isInteger(1))
    return loaded;
  Value zero = arith::ConstantOp::create(
      builder, index.loc, builder.getIntegerAttr(loaded.getType(), 0));
  return arith::CmpIOp::create(builder, index.loc, arith::CmpIPredicate::ne,
                               loaded, zero);
}

void GridFrame::store(Value element, Value buffer, Value position) {
  if (element.getType().isInteger(1))
    element = arith::ExtUIOp::create(builder, index.loc, builder.getI8Type(),
                                     element);
  memref::StoreOp::create(builder, index.loc, element, buffer, position);
}

void GridFrame::forEach(int64_t count, function_ref<void(Value)> body) {
  points = std::max(points, count);
  if (count == 0)
    return;
  constexpr gpu::Dimension x = gpu::Dimension::x;
  Location loc = index.loc;
  Value threads = gpu::BlockDimOp::create(builder, loc, x);
  Value before =
      index.mul(gpu::BlockIdOp::create(builder, loc, x), Number(threads));
  Value first = index.add(before, gpu::ThreadIdOp::create(builder, loc, x));
  Value step =
      index.mul(gpu::GridDimOp::create(builder, loc, x), Number(threads));
  auto loop =
      scf::ForOp::create(builder, loc, first, index.constant(count), step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void GridFrame::forEachBlock(ArrayRef<int64_t> blocks, int64_t threads,
                             function_ref<void(ValueRange)> body) {
  constexpr gpu::Dimension x = gpu::Dimension::x;
  Location loc = index.loc;
  int64_t count = 1;
  for (int64_t extent : blocks)
    count *= extent;
  // As many threads as elements make as many blocks as there are.
  points = std::max(points, count * threads);
  blockThreads = threads;
  Value first = gpu::BlockIdOp::create(builder, loc, x);
  Value end = index.constant(count);
  Value step = gpu::GridDimOp::create(builder, loc, x);
  auto loop = scf::ForOp::create(builder, loc, first, end, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(delinearize(loop.getInductionVar(), blocks));
}

SmallVector<Value> GridFrame::delinearize(Value linear,
                                          ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  if (count > std::numeric_limits<int32_t>::max())
    return index.delinearize(linear, extents);
  Type narrow = builder.getI32Type();
  Location loc = index.loc;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  Value rest = arith::IndexCastOp::create(builder, loc, narrow, linear);
  SmallVector<Value> indices(extents.size());
  bool isFirst = true;
  // The first dimension of more than one element needs no remainder.
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    if (extents[dim] == 1) {
      indices[dim] = index.constant(0);
      continue;
    }
    count /= extents[dim];
    Value number =
        count == 1 ? rest
                   : arith::DivUIOp::create(builder, loc, rest, constant(count))
                         .getResult();
    if (!isFirst)
      number =
          arith::RemUIOp::create(builder, loc, number, constant(extents[dim]));
    isFirst = false;
    indices[dim] = arith::IndexCastUIOp::create(builder, loc,
                                                builder.getIndexType(), number);
  }
  return indices;
}

void GridFrame::fail(Operation *op, const Twine &why) {
  if (!failed)
    op->emitOpError("has no kernel for graphics processors: ") << why;
  failed = true;
}

Value GridFrame::placeholder(Type type) {
  if (isa<IndexType>(type))
    return index.constant(0);
  return arith::ConstantOp::create(builder, index.loc,
                                   builder.getZeroAttr(type));
}

LogicalResult GridFrame::finish() {
  if (failed) {
    function.erase();
    return failure();
  }
  func::ReturnOp::create(builder, index.loc);
  function->setAttr(kernel::kTilesAttrName, builder.getI64IntegerAttr(points));
  function->setAttr(kernel::kThreadsAttrName,
                    builder.getI64IntegerAttr(blockThreads));
  source.erase();
  return success();
}

} // namespace heddle
