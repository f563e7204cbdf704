// Cuts whole tensors into the parts of ranks, and joins these.

#include "runtime/RankParts.h"

#include "runtime/format/DataTypes.h"

#include <cstring>
#include <set>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

namespace {
/// A box of a whole tensor, and a part whose first elements it is.
struct Box {
  char *whole;
  const std::vector<int64_t> &wholeShape;
  char *part;
  const std::vector<int64_t> &partShape;
  const TensorPart &place;
  int64_t elementBytes;
};
} // namespace

/// Copies the box, from the whole to the part or back, from a dimension on.
static void copyBox(const Box &box, bool toPart, size_t dimension,
                    int64_t wholeOffset, int64_t partOffset) {
  size_t rank = box.partShape.size();
  if (dimension == rank) { // a scalar
    std::memcpy(
        (toPart ? box.part : box.whole) + (toPart ? partOffset : wholeOffset),
        (toPart ? box.whole : box.part) + (toPart ? wholeOffset : partOffset),
        static_cast<size_t>(box.elementBytes));
    return;
  }
  int64_t wholeStep = box.elementBytes, partStep = box.elementBytes;
  for (size_t i = dimension + 1; i < rank; ++i) {
    wholeStep *= box.wholeShape[i];
    partStep *= box.partShape[i];
  }
  wholeOffset += box.place.begin[dimension] * wholeStep;
  int64_t count = box.place.inside[dimension];
  bool isRow = true; // what follows is whole on both sides
  for (size_t i = dimension + 1; i < rank; ++i)
    isRow &= box.wholeShape[i] == box.partShape[i] &&
             box.place.inside[i] == box.partShape[i];
  if (isRow) {
    auto bytes = static_cast<size_t>(count * partStep);
    if (bytes && toPart)
      std::memcpy(box.part + partOffset, box.whole + wholeOffset, bytes);
    else if (bytes)
      std::memcpy(box.whole + wholeOffset, box.part + partOffset, bytes);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    copyBox(box, toPart, dimension + 1, wholeOffset + i * wholeStep,
            partOffset + i * partStep);
}

RankParts::RankParts(const LoadedProgram &program, const EntrySpec &given)
    : entry(given), rankCount(program.manifest().ranks()) {
  size_t inputs = entry.inputs.size();
  for (size_t i = 0; i < inputs + entry.outputs.size(); ++i) {
    const Tensor &tensor =
        i < inputs
            ? *entry.record->inputs()->Get(static_cast<uint32_t>(i))
            : *entry.record->outputs()->Get(static_cast<uint32_t>(i - inputs));
    std::set<std::vector<int64_t>> known;
    for (uint32_t rank = 0; rank < rankCount; ++rank) {
      TensorPart place =
          partAt(tensor, spec(i).leastShape, placeOf(program.manifest(), rank));
      bool isFirst = known.insert(place.begin).second;
      parts.push_back({std::move(place), isFirst});
    }
  }
}

void RankParts::cut(size_t tensor, uint32_t rank, const void *whole,
                    void *part) const {
  const TensorSpec &own = spec(tensor);
  // What is copied from is not written.
  copyBox({const_cast<char *>(static_cast<const char *>(whole)), own.whole,
           static_cast<char *>(part), own.leastShape,
           parts[tensor * rankCount + rank].place, elementBytes(own.dtype)},
          /*toPart=*/true, 0, 0, 0);
}

void RankParts::join(size_t tensor, uint32_t rank, const void *part,
                     void *whole) const {
  const TensorSpec &own = spec(tensor);
  copyBox({static_cast<char *>(whole), own.whole,
           const_cast<char *>(static_cast<const char *>(part)), own.leastShape,
           parts[tensor * rankCount + rank].place, elementBytes(own.dtype)},
          /*toPart=*/false, 0, 0, 0);
}

heddle_tensor RankParts::partTensor(size_t tensor) const {
  const TensorSpec &own = spec(tensor);
  heddle_tensor part = {};
  part.size = sizeof(part);
  part.dtype = static_cast<heddle_dtype>(own.dtype);
  part.rank = static_cast<int32_t>(own.leastShape.size());
  part.shape = own.leastShape.data();
  return part;
}
