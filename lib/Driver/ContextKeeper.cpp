// The context that one compilation leaves to the next, so that dialects are
// set up once.

#include "heddle/Driver/ContextKeeper.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <utility>

using namespace mlir;
using namespace heddle;

/// So many programs share a context, one after the other.
static constexpr unsigned kMaxUses = 16;

static bool holdsWeights(MLIRContext &context) {
  bool any = false;
  DenseResourceElementsHandle::getManagerInterface(&context)
      .getBlobManager()
      .getBlobMap([&](const auto &blobs) { any = !blobs.empty(); });
  return any;
}

ContextKeeper::Kept ContextKeeper::take() {
  Kept taken;
  {
    std::lock_guard<std::mutex> lock(mutex);
    taken = std::exchange(kept, Kept());
  }
  if (taken.context)
    taken.context->enableMultithreading();
  return taken;
}

void ContextKeeper::leave(Kept left) {
  if (!left.context || ++left.uses >= kMaxUses || holdsWeights(*left.context))
    return;
  // Threads do not outlive a call: a process may fork between two.
  left.context->disableMultithreading();
  std::lock_guard<std::mutex> lock(mutex);
  kept = std::move(left);
}
