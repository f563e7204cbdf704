// What programs of several ranks do together, and which part of a tensor a rank
// has.

#ifndef HEDDLE_RUNTIME_FORMAT_COLLECTIVES_H
#define HEDDLE_RUNTIME_FORMAT_COLLECTIVES_H

#include "runtime/format/BufferPlaces.h"

namespace heddle::format {

/// Checks what the manifest says of ranks: their number, their places and the
/// mesh.
Error verifyRanks(const Manifest &manifest);

/// Checks that the cuts of the whole tensor give the part's shape. `ranks` have
/// passed the check above; `values` are those of the manifest's expressions,
/// and hold each extent of `tensor`.
Error verifyCuts(const Tensor &tensor, uint32_t ranks,
                 const std::vector<int64_t> &values);

/// Whether a tensor of `rank` dimensions can be cut so for `ranks`.
bool isCut(const Cut &cut, uint32_t rank, uint32_t ranks);

/// Whether a kind joins elements of several ranks, and so has a reduction.
bool joins(CollectiveKind kind);

/// Checks a collective whose bindings are known: it is on the cpu, in a file of
/// several ranks, of a kind and an element type that there are; its groups hold
/// each rank once; source and target have the sizes that its kind wants and
/// share no bytes.
Error verifyCollective(const Collective &collective, const ProgramView &view,
                       uint32_t device, const MemoryAccess &source,
                       const MemoryAccess &target);

/// Checks a command that writes the rank's number.
Error verifyRank(const ProgramView &view, uint32_t device,
                 const MemoryAccess &target);

/// The part of a tensor that a rank has, by dimension: where it begins in the
/// whole, and how much of it lies inside.
struct TensorPart {
  std::vector<int64_t> begin, inside;
};

/// The part of `tensor`, whose part has the extents `shape`, at a place of the
/// mesh. All of it, if the tensor is not cut.
TensorPart partAt(const Tensor &tensor, const std::vector<int64_t> &shape,
                  uint32_t place);

/// The place of a rank on the mesh.
uint32_t placeOf(const Manifest &manifest, uint32_t rank);

/// The axis of the mesh that a cut is along; a part of one as Shardy writes it,
/// `x:(2)2`. "?" where no axis has it.
std::string axisOf(const Manifest &manifest, const Cut &cut);

/// How a tensor of `rank` dimensions lies over the mesh, in Shardy's words:
/// `[{"data"}, {}]`.
std::string shardingText(const Manifest &manifest, const Tensor &tensor);

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_COLLECTIVES_H
