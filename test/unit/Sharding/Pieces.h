// Runs an operation on pieces of a factor and joins what comes out.

#ifndef HEDDLE_TEST_UNIT_SHARDING_PIECES_H
#define HEDDLE_TEST_UNIT_SHARDING_PIECES_H

#include "dialects/Sharding/FactorRule.h"
#include "heddle/Support/HostTensor.h"

#include <string>

namespace heddle::sharding {

/// A tensor of small whole numbers, so that sums do not depend on their order.
/// Places that operations look up are small, too.
HostTensor makeUp(mlir::RankedTensorType type, unsigned seed);

/// An operation of a sample, with what goes in and comes out.
struct Execution {
  mlir::Operation *op = nullptr;
  llvm::SmallVector<HostTensor> operands, results;
};

/// Runs the operations of a function on numbers made up, up to the last, which
/// is the one that rules are of.
Execution execute(mlir::func::FuncOp function);

enum class Outcome { Equal, Differs, NotTried };

/// Runs the operation on `parts` pieces of a factor. `why` says what differs,
/// or why pieces alone do not tell.
Outcome runOnPieces(const Execution &whole, const FactorRule &rule,
                    int64_t factor, int64_t parts, std::string &why);

} // namespace heddle::sharding

#endif // HEDDLE_TEST_UNIT_SHARDING_PIECES_H
