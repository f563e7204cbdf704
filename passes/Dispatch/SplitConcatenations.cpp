// A concatenation of the model may have any number of parts. A kernel grows
// with each, so that many are joined in groups first.

#include "dialects/Kernel/Concatenation.h"
#include "dialects/Kernel/Kernel.h"
#include "passes/Dispatch/DispatchTarget.h"
#include "passes/Dispatch/Passes.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_SPLITCONCATENATIONS
#include "passes/Dispatch/Passes.h.inc"

/// Joins groups of at most `most` parts, until one operation can join these.
static void split(kernel::ConcatenateOp op, size_t most) {
  OpBuilder builder(op);
  uint64_t dimension = op.getDimension();
  SmallVector<Value> parts(op.getInputs());
  while (parts.size() > most) {
    SmallVector<Value> joined;
    for (ArrayRef<Value> rest = parts; !rest.empty();) {
      ArrayRef<Value> group = rest.take_front(most);
      rest = rest.drop_front(group.size());
      if (group.size() == 1) {
        joined.push_back(group.front());
        continue;
      }
      joined.push_back(kernel::ConcatenateOp::create(
          builder, op.getLoc(), kernel::concatenatedType(group, dimension),
          group, op.getDimensionAttr()));
    }
    parts = std::move(joined);
  }
  op.getInputsMutable().assign(parts);
}

namespace {
struct SplitConcatenations
    : impl::SplitConcatenationsBase<SplitConcatenations> {
  void runOnOperation() override {
    std::shared_ptr<const Target> target = dispatchTarget(getOperation());
    if (!target)
      return signalPassFailure();
    // Groups of one would never end.
    size_t most =
        std::max<int64_t>(target->dispatchFacts().fusion.maximumParts, 2);
    getOperation().walk([&](kernel::ConcatenateOp op) { split(op, most); });
  }
};
} // namespace
} // namespace heddle
