// Which records of an artifact the weights of its modules are.

#ifndef HEDDLE_LIB_ARTIFACT_WEIGHTNUMBERING_H
#define HEDDLE_LIB_ARTIFACT_WEIGHTNUMBERING_H

#include "PlanWriter.h"

#include "dialects/Kernel/Kernel.h"

namespace heddle {

/// A weight as a rank has it.
struct RankWeight {
  kernel::WeightOp weight;
  int64_t place; ///< Of the rank on the mesh.
  /// Where the rank's parts of constants begin, as "[0,12]"; empty where all
  /// ranks have the same weight.
  std::string suffix = {};
  /// The artifact's numbers of what the weight is scaled by.
  uint32_t scale = format::none, zeroPoint = format::none;
};

/// Numbers weights, and has those written that are new: ranks that have the
/// same parts share one, and so do weights of equal programs.
class WeightNumbering {
public:
  /// Writes a weight, and says which number it has.
  using Pack =
      std::function<mlir::LogicalResult(const RankWeight &, uint32_t &)>;

  WeightNumbering(const format::ManifestT &manifest, Pack pack)
      : pack(std::move(pack)), ranks(manifest.ranks), places(manifest.places) {}

  /// To be told of all weights first: only those of one type can be equal, so
  /// only they are hashed.
  void count(kernel::WeightOp weight) { ++ofType[weight.getStoredType()]; }

  /// Numbers all weights of a module, in their order.
  mlir::FailureOr<std::vector<WeightNumbers>> numberAll(mlir::ModuleOp module);

private:
  mlir::LogicalResult number(kernel::WeightOp weight);
  bool differsByRank(kernel::WeightOp weight) const;
  mlir::LogicalResult numberOne(const RankWeight &weight,
                                llvm::StringRef program, uint32_t &index);
  uint32_t numberOf(std::optional<llvm::StringRef> name, uint32_t rank) const;

  Pack pack;
  uint32_t ranks;
  llvm::ArrayRef<uint32_t> places;
  llvm::DenseMap<mlir::Type, unsigned> ofType;
  /// Stands for the program of the next weight that is not hashed.
  uint64_t serial = 0;
  /// By what identifies their bytes.
  llvm::StringMap<uint32_t> known;
  /// Of a module's weights, by symbol.
  llvm::StringMap<WeightNumbers> numbers;
};

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_WEIGHTNUMBERING_H
