// Plans a kernel of generics: its loops, what of it stays inside of a unit, how
// far it is unrolled and what is transposed.

#include "passes/Kernel/Cpu/LoopKernel.h"

#include "dialects/Kernel/PayloadCost.h"
#include "passes/Kernel/Cpu/LoopGroups.h"
#include "passes/Kernel/Cpu/LoopLanes.h"
#include "passes/Kernel/Cpu/SharedLoops.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace heddle {

const LoopStage *LoopKernelPlan::producer(Value tensor) const {
  for (const LoopStage &stage : stages)
    if (tensor.getDefiningOp() == stage.op())
      return &stage;
  return nullptr;
}

bool LoopKernelPlan::isRowTensor(Value tensor, const KernelFrame &frame) const {
  return producer(tensor) && !frame.hasBuffer(tensor);
}

double stageCost(const Machine &machine, const LoopStage &stage) {
  return machine.rates.loopOperandNs * stage.op()->getNumOperands() +
         machine.rates.loopInstructionNs *
             kernel::payloadInstructions(stage.op());
}

namespace {

/// Builds a LoopKernelPlan, step by step.
class Planner {
public:
  explicit Planner(KernelFrame &frame) : frame(frame) {}

  FailureOr<LoopKernelPlan> run() {
    if (failed(collectStages()))
      return failure();
    orderLoops(plan, frame, findSharedLoops(plan));
    useRowPositions();
    mergeSharedLoops();
    formGroups(plan, frame);
    mergeGroupLoops(plan);
    chooseUnroll();
    findTransposed();
    return std::move(plan);
  }

private:
  LogicalResult collectStages();
  void useRowPositions();
  void mergeSharedLoops();
  void chooseUnroll();
  void findTransposed();

  KernelFrame &frame;
  LoopKernelPlan plan;
};

LogicalResult Planner::collectStages() {
  for (Operation &op : frame.source.getBody().front().without_terminator()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (!generic.hasPureTensorSemantics())
        return generic.emitError("a kernel works on tensors");
      FailureOr<LoopNest> nest = LoopNest::of(generic);
      if (failed(nest))
        return failure();
      LoopStage stage(std::move(*nest));
      stage.reduces = !stage.nest.isParallel();
      Block &payload = generic->getRegion(0).front();
      for (unsigned result = 0; result < generic->getNumResults(); ++result)
        stage.reducers.push_back(matchReducer(
            payload, payload.getArgument(generic.getNumDpsInputs() + result),
            result));
      plan.stages.push_back(std::move(stage));
      continue;
    }
    if (!isa<linalg::FillOp, tensor::EmptyOp>(op) &&
        !matchPattern(&op, m_Constant()))
      return op.emitError("cannot be lowered as part of a kernel of loops");
  }
  if (plan.stages.empty())
    return frame.source.emitError("computes nothing");
  return success();
}

/// Tensors that stay inside a unit have no place in memory but the one we give
/// them: positions then count their own dimensions only.
void Planner::useRowPositions() {
  for (auto [number, stage] : llvm::enumerate(plan.stages)) {
    linalg::GenericOp generic = stage.op();
    for (OpOperand &operand : generic->getOpOperands()) {
      Value tensor = operand.get();
      if (generic.isDpsInit(&operand))
        tensor = generic.getTiedOpResult(&operand);
      if (!plan.isRowTensor(tensor, frame))
        continue;
      AffineMap map = generic.getMatchingIndexingMap(&operand);
      SmallVector<AffineExpr> exprs;
      SmallVector<Extent> extents;
      for (auto [expr, extent] :
           llvm::zip(map.getResults(),
                     trueExtents(cast<RankedTensorType>(tensor.getType())))) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (dim && stage.nest.loopOf[dim.getPosition()] < plan.numShared)
          continue;
        exprs.push_back(expr);
        extents.push_back(extent);
      }
      SmallVector<AffineExpr> dims;
      for (unsigned loop : stage.nest.loopOf)
        dims.push_back(getAffineDimExpr(loop, generic.getContext()));
      AffineMap own =
          AffineMap::get(map.getNumDims(), 0, exprs, generic.getContext());
      stage.nest.accesses[operand.getOperandNumber()] =
          flattenAccess(own, extents).replaced(dims, stage.nest.numLoops());
      plan.rowElements[tensor] = productOf(extents);
    }
  }
}

void Planner::mergeSharedLoops() {
  auto forAll = [&](auto &&condition) {
    return llvm::all_of(
        plan.stages, [&](LoopStage &stage) { return condition(stage.nest); });
  };
  for (unsigned loop = 0; loop < plan.numShared;) {
    // The loop of the lanes stays, for there must be one.
    bool mayDrop = !plan.lanesAreShared || loop + 1 < plan.numShared;
    if (mayDrop && forAll([&](LoopNest &nest) { return nest.isUnit(loop); })) {
      for (LoopStage &stage : plan.stages)
        stage.nest.drop(loop);
      --plan.numShared;
      continue;
    }
    ++loop;
  }
  for (unsigned outer = 0; outer + 1 < plan.numShared;) {
    if (!forAll([&](LoopNest &nest) { return nest.canMerge(outer); })) {
      ++outer;
      continue;
    }
    for (LoopStage &stage : plan.stages)
      stage.nest.merge(outer);
    --plan.numShared;
  }
}

/// Whether all points of all stages take less time than starting a kernel.
static bool isTiny(const Machine &machine, const LoopKernelPlan &plan) {
  double nanoseconds = 0;
  for (const LoopStage &stage : plan.stages) {
    double points = 1;
    for (const Extent &extent : stage.nest.extents)
      points *= extent.bound();
    nanoseconds += points / plan.lanes * stageCost(machine, stage);
  }
  return nanoseconds <= machine.rates.tinyNs;
}

void Planner::chooseUnroll() {
  plan.unroll = 4;
  for (LoopGroup &group : plan.groups) {
    int64_t weight = 0;
    for (unsigned number : group.stages)
      weight += kernel::payloadInstructions(plan.stages[number].op());
    // Long payloads keep the processor busy by themselves, and need registers.
    group.unroll = weight <= frame.machine.longestPayloadOfFour  ? 4
                   : weight <= frame.machine.longestPayloadOfTwo ? 2
                                                                 : 1;
    plan.unroll = std::min(plan.unroll, group.unroll);
  }
  // Where starting a kernel takes longer than its work, so does compiling what
  // is written out. The order of a sum along the lanes stays.
  if (isTiny(frame.machine, plan)) {
    plan.unroll = 1;
    for (LoopGroup &group : plan.groups)
      if (plan.lanesAreShared ||
          llvm::none_of(group.stages, [&](unsigned number) {
            return plan.stages[number].reduces;
          }))
        group.unroll = 1;
  }
  // Rows kept for a whole block of lanes should stay in the first cache.
  if (plan.lanesAreShared && !plan.rowBuffers.empty())
    plan.unroll = 1;
}

/// Reading with a stride costs a load per lane; a block that is transposed in
/// registers, a quarter of a shuffle.
void Planner::findTransposed() {
  if (!plan.lanesAreShared)
    return;
  ArrayRef<Extent> extents = plan.sharedExtents();
  unsigned laneLoop = plan.numShared - 1;
  for (auto [number, stage] : llvm::enumerate(plan.stages)) {
    // With loops of its own a stage would need blocks of more dimensions.
    if (stage.nest.numLoops() != plan.numShared)
      return;
    for (unsigned input = 0; input < stage.op().getNumDpsInputs(); ++input) {
      std::optional<int64_t> laneStride = stage.nest.stride(input, laneLoop);
      if (!frame.hasBuffer(stage.op()->getOperand(input)) || !laneStride ||
          *laneStride == 0 || *laneStride == 1)
        continue;
      for (unsigned loop = 0; loop < laneLoop; ++loop) {
        if (stage.nest.stride(input, loop) != 1 ||
            (!plan.transposed.empty() && loop != plan.transposeLoop))
          continue;
        plan.transposeLoop = loop;
        plan.transposed.emplace_back(number, input);
      }
    }
  }
  // Too small for a block, or perhaps so at a call.
  auto holdsBlock = [&](unsigned loop) {
    return extents[loop].known().value_or(0) >= plan.lanes;
  };
  if (!plan.transposed.empty() &&
      (!holdsBlock(plan.transposeLoop) || !holdsBlock(laneLoop)))
    plan.transposed.clear();
}

} // namespace

FailureOr<LoopKernelPlan> planLoopKernel(KernelFrame &frame) {
  return Planner(frame).run();
}

} // namespace heddle
