// The protocol of a kernel's barriers in shared memory, read from the code that
// was made of its roles.

#ifndef HEDDLE_PASSES_KERNEL_GPU_READPROTOCOL_H
#define HEDDLE_PASSES_KERNEL_GPU_READPROTOCOL_H

#include "dialects/Ws/Protocol.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <mutex>

namespace heddle {

/// What warps of a block of `kernel` do with barriers and slots, over two tiles
/// that together go twice round the ring and two steps further. Of warps that
/// do the same, two are kept, and the others' arrivals are taken off what
/// barriers wait for. Without barriers if the kernel makes none. Fails with a
/// diagnostic on what it cannot follow.
mlir::FailureOr<ws::Protocol> readProtocol(mlir::func::FuncOp kernel);

/// Checks the protocols of kernels, each of equal ones once. Any thread may
/// ask: one at a time checks, so that others find what it knows then.
class ProtocolVerifier {
public:
  /// Fails with a diagnostic if the warps of `kernel` can wait for each other
  /// for ever, or touch a slot that others still need.
  mlir::LogicalResult verify(mlir::func::FuncOp kernel);

private:
  std::mutex mutex;
  std::vector<ws::Protocol> sound; ///< Under the mutex.
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_READPROTOCOL_H
