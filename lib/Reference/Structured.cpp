// Linalg on tensors, and the few operations of tensor and arith that stand
// beside it.

#include "Evaluator.h"
#include "Payload.h"

#include "dialects/Kernel/LinearAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <array>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

static LogicalResult constant(Invocation &call, arith::ConstantOp op) {
  auto elements = dyn_cast<ElementsAttr>(op.getValue());
  if (!elements && elementKind(op.getType()))
    elements = DenseElementsAttr::get(RankedTensorType::get({}, op.getType()),
                                      ArrayRef<Attribute>(op.getValue()));
  if (!elements)
    return call.error(ErrorCode::NotInterpretable)
           << "has a value that is neither a tensor nor a number";
  FailureOr<HostTensor> tensor = call.evaluator.constant(op, elements);
  if (failed(tensor))
    return failure();
  call.results.push_back(std::move(*tensor));
  return success();
}

/// Contents are open; zeros here.
static LogicalResult empty(Invocation &call, tensor::EmptyOp op) {
  FailureOr<HostTensor> result =
      call.allocate(cast<RankedTensorType>(op.getType()).getShape());
  if (failed(result))
    return failure();
  return call.give(std::move(*result));
}

/// expand_shape and collapse_shape: the row-major order stays.
static LogicalResult reshape(Invocation &call) {
  const HostTensor &operand = call.tensor(0);
  auto type = cast<RankedTensorType>(call.op->getResult(0).getType());
  if (!type.hasStaticShape() || numElements(type.getShape()) != operand.size())
    return call.error() << "changes the number of elements";
  return call.give(operand.reshaped(
      RankedTensorType::get(type.getShape(), operand.type().getElementType())));
}

static LogicalResult fill(Invocation &call, linalg::FillOp op) {
  FailureOr<HostTensor> value =
      call.evaluator.as(op, call.tensor(0), call.resultElement());
  ArrayRef<int64_t> shape = call.tensor(1).shape();
  FailureOr<HostTensor> result = call.allocate(shape);
  if (failed(value) || failed(result))
    return failure();
  copyBox(value->elementBytes(), shape, value->bytes().data(), 0,
          Extents(shape.size(), 0), result->mutableBytes().data(), 0,
          rowMajorStrides(shape));
  return call.give(std::move(*result));
}

namespace {
/// An operand of a generic: where it is at an iteration point, split by the
/// point's parallel and reduced dimensions.
struct Access {
  int64_t offset;
  Extents parallel, reduced;
};
} // namespace

static Extents select(ArrayRef<int64_t> values, ArrayRef<unsigned> dimensions) {
  Extents result;
  for (unsigned d : dimensions)
    result.push_back(values[d]);
  return result;
}

/// Points of the parallel dimensions run as lanes, the reduced ones one after
/// the other in row-major order.
static LogicalResult generic(Invocation &call, linalg::GenericOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> parallel, reduced;
  for (auto [d, type] : llvm::enumerate(op.getIteratorTypesArray()))
    (type == utils::IteratorType::parallel ? parallel : reduced).push_back(d);
  if (llvm::any_of(extents, ShapedType::isDynamic))
    return call.error(ErrorCode::NotInterpretable) << "has an unknown extent";

  SmallVector<Access> accesses;
  SmallVector<HostTensor> outputs;
  SmallVector<ElementKind> kinds;
  unsigned inputs = op.getNumDpsInputs();
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    const HostTensor &tensor = call.tensor(i);
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto access = kernel::linearAccess(map, tensor.type());
    if (!access || !kernel::accessInBounds(map, extents, tensor.type()))
      return call.error(ErrorCode::NotInterpretable)
             << "reads operand " << i
             << " through a map that is not linear or leaves it";
    accesses.push_back({access->offset, select(access->strides, parallel),
                        select(access->strides, reduced)});
    if (i < inputs) {
      kinds.push_back(tensor.kind());
      continue;
    }
    FailureOr<HostTensor> output =
        call.evaluator.as(op, tensor, call.resultElement(i - inputs));
    if (failed(output))
      return failure();
    kinds.push_back(output->kind());
    outputs.push_back(std::move(*output));
  }
  FailureOr<Payload> compiled =
      Payload::compile(call.evaluator, op.getRegion().front(), kinds);
  if (failed(compiled) || compiled->numResults() != outputs.size())
    return call.error(ErrorCode::NotInterpretable)
           << "has a payload that the interpreter does not know";

  SmallVector<char *> bytes;
  for (HostTensor &output : outputs)
    bytes.push_back(output.mutableBytes().data());
  Extents points = select(extents, parallel), steps = select(extents, reduced);
  int64_t total = numElements(points), depth = numElements(steps);
  constexpr int64_t kGrain = 64 * kLanes;
  std::atomic<bool> failedSomewhere = false;
  parallelFor(
      call.evaluator.options.threads, total, kGrain,
      [&](int64_t begin, int64_t end) {
        Payload payload = *compiled;
        int64_t offsets[kLanes];
        char block[kLanes * sizeof(Complex)];
        std::vector<std::array<int64_t, kLanes>> bases(accesses.size());
        for (int64_t first = begin; first < end; first += kLanes) {
          size_t count = std::min<int64_t>(kLanes, end - first);
          for (auto [base, access] : llvm::zip_equal(bases, accesses)) {
            IndexWalk walk(points, access.parallel);
            walk.seek(first, access.offset);
            for (size_t l = 0; l < count; ++l, walk.next())
              base[l] = walk.offset();
          }
          for (auto [slot, dimension] : payload.indexSlots()) {
            auto *found = llvm::find(parallel, dimension);
            if (found == parallel.end())
              continue;
            size_t position = found - parallel.begin();
            IndexWalk walk(points, Extents(points.size(), 0));
            walk.seek(first);
            for (size_t l = 0; l < count; ++l, walk.next())
              payload.slot(slot).as<int64_t>()[l] = walk.indices()[position];
          }
          auto gather = [&](unsigned i, const HostTensor &tensor,
                            const char *from, int64_t shift) {
            for (size_t l = 0; l < count; ++l)
              offsets[l] = bases[i][l] + shift;
            gatherElements(tensor.elementBytes(), from, offsets, count, block);
            payload.argument(i).load(tensor.kind(), block, count);
          };
          for (auto [o, output] : llvm::enumerate(outputs))
            gather(inputs + o, output, bytes[o], 0);
          IndexWalk inner(steps, Extents(steps.size(), 0));
          for (int64_t step = 0; step < depth; ++step, inner.next()) {
            for (unsigned i = 0; i < inputs; ++i) {
              int64_t shift = 0;
              for (size_t d = 0; d < steps.size(); ++d)
                shift += inner.indices()[d] * accesses[i].reduced[d];
              gather(i, call.tensor(i), call.tensor(i).bytes().data(), shift);
            }
            for (auto [slot, dimension] : payload.indexSlots()) {
              auto *found = llvm::find(reduced, dimension);
              if (found == reduced.end())
                continue;
              std::fill_n(payload.slot(slot).as<int64_t>(), count,
                          inner.indices()[found - reduced.begin()]);
            }
            if (failed(payload.run(count))) {
              failedSomewhere = true;
              return;
            }
            SmallVector<Lanes, 1> values;
            for (size_t o = 0; o < outputs.size(); ++o)
              values.push_back(payload.result(o));
            for (size_t o = 0; o < outputs.size(); ++o)
              payload.argument(inputs + o).move(values[o], count);
          }
          for (auto [o, output] : llvm::enumerate(outputs)) {
            unsigned width = output.elementBytes();
            payload.argument(inputs + o).store(output.kind(), count, block);
            for (size_t l = 0; l < count; ++l)
              std::copy_n(block + l * width, width,
                          bytes[o] + bases[inputs + o][l] * width);
          }
        }
      });
  if (failedSomewhere)
    return failure();
  for (HostTensor &output : outputs)
    if (failed(call.give(std::move(output))))
      return failure();
  return success();
}

void reference::addStructured(Registry &registry) {
  registry.add<arith::ConstantOp, constant>();
  registry.add<tensor::EmptyOp, empty>();
  registry.add("tensor.expand_shape", reshape);
  registry.add("tensor.collapse_shape", reshape);
  registry.add<linalg::FillOp, fill>();
  registry.add<linalg::GenericOp, generic>();
}
