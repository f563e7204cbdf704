// Holds what a partitioned program computes against the program itself.

#include "test/unit/Sharding/CheckPartitioned.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Reference/Partitions.h"
#include "passes/Graph/Passes.h"
#include "passes/Sharding/Passes.h"
#include "test/unit/Sharding/Pieces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include <cmath>
#include <random>

using namespace mlir;

namespace heddle::sharding {

/// Sums of f32 in another order differ by a few units of the last place of the
/// largest element; a few operations in a row amplify that.
static constexpr double kRelativeError = 1e-5;

static std::string compare(const HostTensor &expected, const HostTensor &given,
                           bool isExact) {
  if (expected.type() != given.type())
    return "the types differ";
  if (expected.bytes() == given.bytes())
    return "";
  bool isFloat = isa<FloatType>(expected.type().getElementType());
  double largest = 1;
  if (isFloat && !isExact)
    for (int64_t i = 0; i < expected.size(); ++i)
      largest = std::max(largest, std::abs(expected.floatAt(i)));
  for (int64_t i = 0; i < expected.size(); ++i) {
    bool isEqual = expected.elementText(i) == given.elementText(i);
    if (isFloat && !isExact)
      isEqual |= std::abs(expected.floatAt(i) - given.floatAt(i)) <=
                 kRelativeError * largest;
    if (!isEqual)
      return "element " + std::to_string(i) + " is " + given.elementText(i) +
             ", not " + expected.elementText(i);
  }
  return "";
}

/// Numbers of either sign, so that sums are rounded; places that operations
/// look up are small.
static HostTensor randomTensor(RankedTensorType type, unsigned seed) {
  HostTensor tensor = makeUp(type, seed);
  std::mt19937_64 random(seed);
  if (isa<FloatType>(type.getElementType()))
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.set(i, std::uniform_real_distribution<double>(-1, 1)(random));
  return tensor;
}

static void count(ModuleOp whole, ModuleOp partitioned,
                  PartitionCounts &counts) {
  whole.walk([&](Operation *) { ++counts.operations; });
  partitioned.walk([&](Operation *op) {
    counts.collectives += isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp,
                              stablehlo::ReduceScatterOp, stablehlo::AllToAllOp,
                              stablehlo::CollectivePermuteOp>(op);
  });
  // Operations of the program keep their locations and names.
  llvm::DenseMap<std::pair<Location, OperationName>, Type> types;
  whole.walk([&](Operation *op) {
    if (op->getNumResults() > 0)
      types[{op->getLoc(), op->getName()}] = op->getResult(0).getType();
  });
  partitioned.walk([&](Operation *op) {
    auto found = types.find({op->getLoc(), op->getName()});
    counts.onParts +=
        found != types.end() && op->getResult(0).getType() != found->second;
  });
}

std::string checkPartitioned(ModuleOp whole, ModuleOp partitioned,
                             bool propagates, bool isExact,
                             PartitionCounts &counts) {
  PassManager manager(whole.getContext());
  if (propagates) {
    manager.addPass(createInlineCalls());
    manager.addPass(createPropagateShardings());
  }
  manager.addPass(createPartition());
  if (failed(manager.run(partitioned)))
    return "is not partitioned";
  count(whole, partitioned, counts);
  auto function = *whole.getOps<func::FuncOp>().begin();
  std::vector<HostTensor> arguments;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    arguments.push_back(isExact ? makeUp(tensor, index)
                                : randomTensor(tensor, index));
  }
  auto expected = interpret(function, arguments);
  if (failed(expected))
    return "cannot be run whole";
  auto given = interpretPartitioned(*partitioned.getOps<func::FuncOp>().begin(),
                                    arguments);
  if (failed(given))
    return "cannot be run in parts";
  for (auto [index, tensor] : llvm::enumerate(*expected))
    if (std::string why = compare(tensor, (*given)[index], isExact);
        !why.empty())
      return "result " + std::to_string(index) + ": " + why;
  return "";
}

} // namespace heddle::sharding
