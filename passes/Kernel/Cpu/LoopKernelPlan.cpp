// Which loops the generics of a kernel share, where the lanes run, and what is
// computed together.

#include "passes/Kernel/Cpu/LoopKernel.h"

#include "dialects/Kernel/PayloadCost.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace heddle {

const LoopStage *LoopKernelPlan::producer(Value tensor) const {
  for (const LoopStage &stage : stages)
    if (tensor.getDefiningOp() == stage.op())
      return &stage;
  return nullptr;
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
    findSharedLoops();
    chooseLanes();
    orderLoops();
    useRowPositions();
    mergeSharedLoops();
    formGroups();
    mergeGroupLoops();
    chooseUnroll();
    findTransposed();
    return std::move(plan);
  }

private:
  /// A loop of a stage, before loops are reordered.
  using LoopName = std::pair<unsigned, unsigned>;

  LogicalResult collectStages();
  void findSharedLoops();
  void chooseLanes();
  void orderLoops();
  void useRowPositions();
  void mergeSharedLoops();
  void formGroups();
  void mergeGroupLoops();
  void chooseUnroll();
  void findTransposed();

  bool isRowTensor(Value tensor) const {
    return plan.producer(tensor) && !frame.hasBuffer(tensor);
  }
  std::optional<unsigned> sharedPlace(unsigned stage, unsigned loop) const;
  int64_t contiguousBytes(unsigned stage, unsigned loop) const;
  bool canJoin(const LoopGroup &group, unsigned stage) const;

  KernelFrame &frame;
  LoopKernelPlan plan;
  /// Per shared loop, its number in each stage.
  SmallVector<SmallVector<unsigned>> shared;
};

LogicalResult Planner::collectStages() {
  for (Operation &op : frame.source.getBody().front().without_terminator()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (!generic.hasPureTensorSemantics())
        return generic.emitError("a kernel works on tensors");
      LoopStage stage((LoopNest(generic)));
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

/// Loops are shared if every stage has them in parallel and all values that
/// pass from stage to stage are aligned along them.
void Planner::findSharedLoops() {
  llvm::EquivalenceClasses<LoopName> classes;
  llvm::SmallDenseSet<LoopName> excluded;
  for (auto [number, stage] : llvm::enumerate(plan.stages))
    for (unsigned loop = 0; loop < stage.nest.numLoops(); ++loop) {
      classes.insert({number, loop});
      if (!stage.nest.isParallel(loop))
        excluded.insert({number, loop});
    }
  auto mapOf = [&](unsigned stage, OpOperand &operand) {
    return plan.stages[stage].op().getMatchingIndexingMap(&operand);
  };
  SmallVector<SmallVector<LoopName>> aligned;
  for (unsigned consumer = 0; consumer < plan.stages.size(); ++consumer)
    for (OpOperand &operand : plan.stages[consumer].op()->getOpOperands()) {
      auto result = dyn_cast<OpResult>(operand.get());
      const LoopStage *stage = plan.producer(operand.get());
      if (!result || !stage)
        continue;
      unsigned producer = stage - plan.stages.data();
      auto from = stage->op();
      AffineMap out =
          mapOf(producer, *from.getDpsInitOperand(result.getResultNumber()));
      AffineMap in = mapOf(consumer, operand);
      SmallVector<LoopName> pairs;
      for (auto [outExpr, inExpr] :
           llvm::zip(out.getResults(), in.getResults())) {
        auto outDim = dyn_cast<AffineDimExpr>(outExpr);
        auto inDim = dyn_cast<AffineDimExpr>(inExpr);
        if (outDim && inDim) {
          LoopName a{producer, outDim.getPosition()};
          LoopName b{consumer, inDim.getPosition()};
          classes.unionSets(a, b);
          pairs.push_back(a);
          continue;
        }
        // A loop that moves along this dimension in another way is not shared.
        if (outDim)
          excluded.insert({producer, outDim.getPosition()});
        inExpr.walk([&, consumer = consumer](AffineExpr expr) {
          if (auto dim = dyn_cast<AffineDimExpr>(expr))
            excluded.insert({consumer, dim.getPosition()});
        });
      }
      aligned.push_back(std::move(pairs));
    }

  for (unsigned loop = 0; loop < plan.stages[0].nest.numLoops(); ++loop) {
    SmallVector<int64_t> place(plan.stages.size(), -1);
    bool usable = true;
    LoopName first{0, loop};
    for (auto it = classes.findLeader(first); it != classes.member_end();
         ++it) {
      usable &= !excluded.contains(*it) && place[it->first] == -1 &&
                plan.stages[it->first].nest.extents[it->second] ==
                    plan.stages[0].nest.extents[loop];
      place[it->first] = it->second;
    }
    usable &= !llvm::is_contained(place, -1);
    // Every value handed on must have the dimension, or it would be computed
    // by one unit and read by others.
    for (const SmallVector<LoopName> &pairs : aligned)
      usable &= llvm::any_of(pairs, [&](LoopName name) {
        return classes.isEquivalent(name, first);
      });
    if (usable)
      shared.emplace_back(place.begin(), place.end());
  }
}

std::optional<unsigned> Planner::sharedPlace(unsigned stage,
                                             unsigned loop) const {
  for (auto [place, loops] : llvm::enumerate(shared))
    if (loops[stage] == loop)
      return place;
  return std::nullopt;
}

/// Bytes of the operands in memory that `loop` walks without gaps.
int64_t Planner::contiguousBytes(unsigned stage, unsigned loop) const {
  const LoopNest &nest = plan.stages[stage].nest;
  int64_t bytes = 0;
  auto generic = nest.op;
  for (OpOperand &operand : generic->getOpOperands()) {
    Value tensor = operand.get();
    if (generic.isDpsInit(&operand))
      tensor = generic.getTiedOpResult(&operand);
    if (!frame.hasBuffer(tensor) ||
        nest.stride(operand.getOperandNumber(), loop) != 1)
      continue;
    auto type = cast<RankedTensorType>(tensor.getType());
    int64_t width = type.getElementType().isIntOrFloat()
                        ? (type.getElementTypeBitWidth() + 7) / 8
                        : 8;
    // Writing out of order costs more than reading.
    bytes +=
        type.getNumElements() * width * (generic.isDpsInit(&operand) ? 2 : 1);
  }
  return bytes;
}

void Planner::chooseLanes() {
  int64_t bestShared = -1, ownBytes = 0;
  unsigned lanePlace = 0;
  auto improves = [&](int64_t bytes, int64_t extent) {
    // A loop shorter than a vector leaves lanes idle.
    return extent >= plan.lanes ? bytes : bytes * extent / plan.lanes;
  };
  for (auto [place, loops] : llvm::enumerate(shared)) {
    int64_t bytes = 0, extent = 0;
    for (auto [stage, loop] : llvm::enumerate(loops)) {
      extent = plan.stages[stage].nest.extents[loop];
      bytes += contiguousBytes(stage, loop);
    }
    bytes = improves(bytes, extent);
    if (bytes >= bestShared) {
      bestShared = bytes;
      lanePlace = place;
    }
  }
  bool hasOwnLoops = false;
  for (auto [number, stage] : llvm::enumerate(plan.stages)) {
    int64_t best = 0;
    for (unsigned loop = 0; loop < stage.nest.numLoops(); ++loop) {
      if (sharedPlace(number, loop))
        continue;
      hasOwnLoops = true;
      best = std::max(best, improves(contiguousBytes(number, loop),
                                     stage.nest.extents[loop]));
    }
    ownBytes += best;
  }
  plan.lanesAreShared =
      !shared.empty() && (!hasOwnLoops || bestShared > ownBytes);
  if (plan.lanesAreShared)
    std::rotate(shared.begin() + lanePlace, shared.begin() + lanePlace + 1,
                shared.end());
}

void Planner::orderLoops() {
  plan.numShared = shared.size();
  for (auto [number, stage] : llvm::enumerate(plan.stages)) {
    SmallVector<unsigned> order, own;
    for (const SmallVector<unsigned> &loops : shared)
      order.push_back(loops[number]);
    // Parallel loops first, and the loop for lanes last.
    for (bool parallel : {true, false})
      for (unsigned loop = 0; loop < stage.nest.numLoops(); ++loop)
        if (!sharedPlace(number, loop) &&
            stage.nest.isParallel(loop) == parallel)
          own.push_back(loop);
    if (!plan.lanesAreShared && !own.empty()) {
      auto isCandidate = [&, &stage = stage](unsigned loop) {
        return stage.nest.isParallel(loop) == stage.nest.isParallel(own.back());
      };
      auto best = own.end() - 1;
      for (auto it = own.begin(); it != own.end(); ++it)
        if (isCandidate(*it) &&
            contiguousBytes(number, *it) > contiguousBytes(number, *best))
          best = it;
      std::rotate(best, best + 1, own.end());
    }
    order.append(own);
    stage.nest.permute(order);
  }
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
      if (!isRowTensor(tensor))
        continue;
      AffineMap map = generic.getMatchingIndexingMap(&operand);
      ArrayRef<int64_t> shape =
          cast<RankedTensorType>(tensor.getType()).getShape();
      SmallVector<AffineExpr> exprs;
      SmallVector<int64_t> extents;
      int64_t elements = 1;
      for (auto [expr, extent] : llvm::zip(map.getResults(), shape)) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (dim && stage.nest.loopOf[dim.getPosition()] < plan.numShared)
          continue;
        exprs.push_back(expr);
        extents.push_back(extent);
        elements *= extent;
      }
      SmallVector<AffineExpr> dims;
      for (unsigned loop : stage.nest.loopOf)
        dims.push_back(getAffineDimExpr(loop, generic.getContext()));
      AffineMap own =
          AffineMap::get(map.getNumDims(), 0, exprs, generic.getContext());
      AffineExpr position =
          flattenAccess(own, extents).getResult(0).replaceDims(dims);
      stage.nest.accesses[operand.getOperandNumber()] =
          AffineMap::get(stage.nest.numLoops(), 0, position);
      plan.rowElements[tensor] = elements;
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

/// Whether `stage` can run in the loops of `group`.
bool Planner::canJoin(const LoopGroup &group, unsigned number) const {
  const LoopStage &stage = plan.stages[number];
  ArrayRef<int64_t> own =
      ArrayRef(stage.nest.extents).drop_front(plan.numShared);
  if (group.sequential || group.numOuter)
    return false;
  for (unsigned member : group.stages) {
    const LoopStage &other = plan.stages[member];
    if (ArrayRef(other.nest.extents).drop_front(plan.numShared) != own)
      return false;
    // What it reads of the group must be computed at the same point.
    for (OpOperand &operand : stage.op()->getOpOperands()) {
      auto result = dyn_cast<OpResult>(operand.get());
      if (!result || result.getOwner() != other.op())
        continue;
      unsigned output = other.op().getNumDpsInputs() + result.getResultNumber();
      if ((other.reduces && !own.empty()) ||
          other.nest.accesses[output] !=
              stage.nest.accesses[operand.getOperandNumber()])
        return false;
    }
  }
  return true;
}

void Planner::formGroups() {
  for (unsigned number = 0; number < plan.stages.size(); ++number) {
    const LoopStage &stage = plan.stages[number];
    unsigned numParallel = 0, numReduction = 0;
    for (unsigned loop = plan.numShared; loop < stage.nest.numLoops(); ++loop)
      (stage.nest.isParallel(loop) ? numParallel : numReduction) += 1;
    LoopGroup alone;
    alone.stages.push_back(number);
    if (stage.reduces) {
      alone.numOuter = numParallel;
      alone.sequential =
          !plan.lanesAreShared &&
          llvm::any_of(stage.reducers,
                       [](const Reducer &reducer) { return !reducer; });
    }
    bool joins = !alone.sequential && !alone.numOuter && !plan.groups.empty() &&
                 canJoin(plan.groups.back(), number);
    if (joins)
      plan.groups.back().stages.push_back(number);
    else
      plan.groups.push_back(std::move(alone));
  }
  // What a later group reads must outlive the loops of the group it comes from.
  for (auto [place, group] : llvm::enumerate(plan.groups))
    for (unsigned number : group.stages)
      for (Value result : plan.stages[number].op()->getResults()) {
        auto readLater = [&, place = place](Operation *user) {
          for (unsigned later = place + 1; later < plan.groups.size(); ++later)
            for (unsigned member : plan.groups[later].stages)
              if (plan.stages[member].op() == user)
                return true;
          return false;
        };
        const LoopStage &stage = plan.stages[number];
        unsigned inner = stage.nest.numLoops() - plan.numShared;
        bool isRowValue = inner == 0 || (stage.reduces && group.numOuter == 0);
        if (isRowTensor(result) && !isRowValue &&
            llvm::any_of(result.getUsers(), readLater))
          plan.rowBuffers.insert(result);
      }
}

void Planner::mergeGroupLoops() {
  for (LoopGroup &group : plan.groups) {
    auto nests = llvm::map_range(group.stages, [&](unsigned number) {
      return &plan.stages[number].nest;
    });
    auto forAll = [&](auto &&condition) {
      return llvm::all_of(nests, condition);
    };
    auto numLoops = [&] { return (*nests.begin())->numLoops(); };
    for (unsigned loop = plan.numShared; loop + 1 < numLoops();) {
      if (forAll([&](LoopNest *nest) { return nest->isUnit(loop); })) {
        if (loop < plan.numShared + group.numOuter)
          --group.numOuter;
        for (LoopNest *nest : nests)
          nest->drop(loop);
        continue;
      }
      ++loop;
    }
    for (unsigned outer = plan.numShared; outer + 1 < numLoops();) {
      if (outer + 1 == plan.numShared + group.numOuter ||
          !forAll([&](LoopNest *nest) { return nest->canMerge(outer); })) {
        ++outer;
        continue;
      }
      if (outer < plan.numShared + group.numOuter)
        --group.numOuter;
      for (LoopNest *nest : nests)
        nest->merge(outer);
    }
  }
}

/// Whether all points of all stages take less time than starting a kernel.
static bool isTiny(const Machine &machine, const LoopKernelPlan &plan) {
  double nanoseconds = 0;
  for (const LoopStage &stage : plan.stages) {
    double points = 1;
    for (int64_t extent : stage.nest.extents)
      points *= extent;
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
    group.unroll = weight <= 8 ? 4 : weight <= 40 ? 2 : 1;
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
  ArrayRef<int64_t> extents = plan.sharedExtents();
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
  // Too small for a block.
  if (!plan.transposed.empty() && (extents[plan.transposeLoop] < plan.lanes ||
                                   extents[laneLoop] < plan.lanes))
    plan.transposed.clear();
}

} // namespace

FailureOr<LoopKernelPlan> planLoopKernel(KernelFrame &frame) {
  return Planner(frame).run();
}

} // namespace heddle
