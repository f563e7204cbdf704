#include "KeptContext.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <mutex>

using namespace mlir;
using namespace heddle;

/// So many programs share a context, one after the other.
static constexpr unsigned kMaxUses = 16;

namespace {
struct LeftContext {
  std::mutex mutex;
  std::unique_ptr<MLIRContext> context;
  unsigned uses = 0;
};
} // namespace

/// Never destroyed: a thread may compile while the process ends.
static LeftContext &leftContext() {
  static LeftContext *left = new LeftContext;
  return *left;
}

static thread_local KeptContext *ofThread = nullptr;

KeptContext *KeptContext::current() { return ofThread; }

KeptContext::KeptContext() {
  {
    LeftContext &left = leftContext();
    std::lock_guard<std::mutex> lock(left.mutex);
    context = std::move(left.context);
    uses = left.uses;
  }
  if (context)
    context->enableMultithreading();
  else
    uses = 0;
  ofThread = this;
}

static bool holdsWeights(MLIRContext &context) {
  bool any = false;
  DenseResourceElementsHandle::getManagerInterface(&context)
      .getBlobManager()
      .getBlobMap([&](const auto &blobs) { any = !blobs.empty(); });
  return any;
}

void KeptContext::leave() {
  isLeft = context && uses + 1 < kMaxUses && !holdsWeights(*context);
}

KeptContext::~KeptContext() {
  ofThread = nullptr;
  if (!isLeft)
    return;
  if (handler)
    context->getDiagEngine().eraseHandler(handler);
  // Threads do not outlive a call: a process may fork between two.
  context->disableMultithreading();
  LeftContext &left = leftContext();
  std::lock_guard<std::mutex> lock(left.mutex);
  left.context = std::move(context);
  left.uses = uses + 1;
}
