// Numbers weights: equal ones once, and those of ranks by their parts.

#include "WeightNumbering.h"

#include "dialects/Dist/Dist.h"
#include "heddle/Artifact/Packer.h"
#include "heddle/Support/Weights.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

/// That of a weight as the rank has it; none for no weight.
uint32_t WeightNumbering::numberOf(std::optional<StringRef> name,
                                   uint32_t rank) const {
  if (!name)
    return format::none;
  const WeightNumbers &all = numbers.at(*name);
  return all.size() > 1 ? all[rank] : all.front();
}

/// Whether ranks have parts of its constants or of what scales it.
bool WeightNumbering::differsByRank(kernel::WeightOp weight) const {
  auto differs = [&](std::optional<StringRef> scale) {
    return scale && numbers.at(*scale).size() > 1;
  };
  return differs(weight.getScale()) || differs(weight.getZeroPoint()) ||
         dist::hasParts(weight.getBody().front());
}

/// `program` identifies what all ranks compute: those that have the same parts,
/// of which scales are scaled alike, share a number.
LogicalResult WeightNumbering::numberOne(const RankWeight &weight,
                                         StringRef program, uint32_t &index) {
  std::string identity = program.str() + weight.suffix;
  // Another module may give other scales the same name.
  for (uint32_t scale : {weight.scale, weight.zeroPoint})
    if (scale != format::none)
      identity += " " + std::to_string(scale);
  auto equal = known.find(identity);
  if (equal != known.end()) {
    index = equal->second;
    return success();
  }
  if (failed(pack(weight, index)))
    return failure();
  known[identity] = index;
  return success();
}

LogicalResult WeightNumbering::number(kernel::WeightOp weight) {
  auto [place, isNew] = numbers.try_emplace(weight.getName());
  if (!isNew)
    return success();
  // What was read for one weight is not resident beside the next.
  llvm::scope_exit released([&] { releaseWeights(weight); });
  // The text of a program does not begin with '#'.
  std::string program = ofType[weight.getStoredType()] > 1
                            ? weightIdentity(weight)
                            : "#" + std::to_string(serial++);
  WeightNumbers &all = place->second;
  uint32_t count = differsByRank(weight) ? ranks : 1;
  for (uint32_t rank = 0; rank < count; ++rank) {
    RankWeight own{weight, places.empty() ? rank : places[rank]};
    own.scale = numberOf(weight.getScale(), rank);
    own.zeroPoint = numberOf(weight.getZeroPoint(), rank);
    SmallVector<int64_t> begins =
        dist::partsAt(weight.getBody().front(), own.place);
    if (!begins.empty())
      llvm::raw_string_ostream(own.suffix)
          << '[' << llvm::interleaved(begins, ",") << ']';
    if (failed(numberOne(own, program, all.emplace_back())))
      return failure();
  }
  if (llvm::all_equal(all))
    all.resize(1);
  return success();
}

FailureOr<std::vector<WeightNumbers>>
WeightNumbering::numberAll(ModuleOp module) {
  numbers.clear();
  llvm::StringMap<kernel::WeightOp> weights;
  for (auto weight : module.getOps<kernel::WeightOp>())
    weights[weight.getName()] = weight;
  std::vector<WeightNumbers> all;
  for (auto weight : module.getOps<kernel::WeightOp>()) {
    // A weight is written after its scales, whose numbers its record has.
    for (auto scale : {weight.getScale(), weight.getZeroPoint()})
      if (scale && failed(number(weights.lookup(*scale))))
        return failure();
    if (failed(number(weight)))
      return failure();
    all.push_back(numbers.at(weight.getName()));
  }
  return all;
}
