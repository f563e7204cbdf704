// Checks collectives, ranks and the cuts of tensors; computes parts.

#include "runtime/format/Collectives.h"

#include "runtime/format/DataTypes.h"
#include "runtime/format/Limits.h"
#include "runtime/format/ManifestTables.h"

#include <algorithm>
#include <utility>

namespace heddle::format {

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

uint32_t placeOf(const Manifest &manifest, uint32_t rank) {
  return length(manifest.places()) ? manifest.places()->Get(rank) : rank;
}

TensorPart partAt(const Tensor &tensor, const std::vector<int64_t> &shape,
                  uint32_t place) {
  TensorPart part = {std::vector<int64_t>(shape.size(), 0), shape};
  if (!length(tensor.whole()))
    return part;
  for (uint32_t i = 0; i < length(tensor.cuts()); ++i) {
    const Cut &cut = *tensor.cuts()->Get(i);
    int64_t &number = part.begin[cut.dimension()];
    number = number * cut.count() + place / cut.divisor() % cut.count();
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t whole = tensor.whole()->Get(static_cast<uint32_t>(i));
    part.begin[i] = std::min(part.begin[i] * shape[i], whole);
    part.inside[i] = std::min(shape[i], whole - part.begin[i]);
  }
  return part;
}

namespace {
/// The axis of a cut: its name, and the part of it that is meant.
struct CutAxis {
  std::string name;
  uint64_t before = 0, size = 0; ///< Of a part; 0: all of the axis.
};
} // namespace

static CutAxis findAxis(const Manifest &manifest, const Cut &cut) {
  uint64_t count = cut.count(), divisor = cut.divisor(), stride = 1;
  for (uint32_t i = length(manifest.mesh()); i-- > 0;) {
    const MeshAxis &axis = *manifest.mesh()->Get(i);
    uint64_t end = stride * axis.size();
    if (divisor % stride == 0 && divisor * count <= end &&
        end % (divisor * count) == 0) {
      if (count == axis.size())
        return {text(axis.name())};
      return {text(axis.name()), end / (divisor * count), count};
    }
    stride = end;
  }
  return {"?"};
}

static std::string partText(const CutAxis &axis) {
  return axis.size ? ":(" + std::to_string(axis.before) + ")" +
                         std::to_string(axis.size)
                   : "";
}

std::string axisOf(const Manifest &manifest, const Cut &cut) {
  CutAxis axis = findAxis(manifest, cut);
  return axis.name + partText(axis);
}

std::string shardingText(const Manifest &manifest, const Tensor &tensor) {
  std::vector<std::string> dimensions(length(tensor.shape()));
  for (uint32_t i = 0; i < length(tensor.cuts()); ++i) {
    const Cut &cut = *tensor.cuts()->Get(i);
    if (cut.count() < 2)
      continue;
    CutAxis axis = findAxis(manifest, cut);
    std::string &dimension = dimensions[cut.dimension()];
    dimension +=
        (dimension.empty() ? "\"" : ", \"") + axis.name + "\"" + partText(axis);
  }
  std::string text = "[";
  for (size_t i = 0; i < dimensions.size(); ++i)
    text += (i ? ", {" : "{") + dimensions[i] + "}";
  return text + "]";
}

bool isCut(const Cut &cut, uint32_t rank, uint32_t ranks) {
  return cut.dimension() < rank && cut.count() && cut.divisor() &&
         cut.count() <= ranks && cut.divisor() <= ranks;
}

/// Whether there is a rank for each combination of parts: the digits of its
/// place that the cuts read must be different ones.
static bool haveRanks(const Tensor &tensor, uint32_t ranks) {
  std::vector<std::pair<uint64_t, uint64_t>> digits; // divisor, count
  for (uint32_t i = 0; i < length(tensor.cuts()); ++i)
    digits.emplace_back(tensor.cuts()->Get(i)->divisor(),
                        tensor.cuts()->Get(i)->count());
  std::sort(digits.begin(), digits.end());
  uint64_t lower = 1; // values of the digits so far
  for (auto [divisor, count] : digits) {
    if (divisor % lower)
      return false;
    lower = divisor * count;
  }
  return ranks % lower == 0;
}

Error verifyCuts(const Tensor &tensor, uint32_t ranks,
                 const std::vector<int64_t> &values) {
  auto fail = [&](const char *what) {
    return invalidManifest("tensor '" + text(tensor.name()) + "' " + what);
  };
  if (!isAligned(tensor.whole()))
    return fail("has a whole whose extents are not aligned");
  uint32_t rank = length(tensor.shape());
  if (!length(tensor.whole()))
    return length(tensor.cuts()) ? fail("is cut, but has no whole") : Error();
  if (length(tensor.whole()) != rank)
    return fail("has a whole of another number of dimensions");
  std::vector<int64_t> parts(rank, 1);
  int64_t all = 1;
  for (uint32_t i = 0; i < length(tensor.cuts()); ++i) {
    const Cut &cut = *tensor.cuts()->Get(i);
    if (!isCut(cut, rank, ranks))
      return fail("is cut where it cannot be");
    parts[cut.dimension()] *= cut.count();
    all *= cut.count();
    if (all > ranks)
      return fail("is cut into more parts than there are ranks");
  }
  if (!haveRanks(tensor, ranks))
    return fail("has parts that are no rank's");
  for (uint32_t i = 0; i < rank; ++i) {
    int64_t whole = tensor.whole()->Get(i),
            extent = values[tensor.shape()->Get(i)];
    if (whole < 0 || whole > maximumBytes ||
        extent != (whole + parts[i] - 1) / parts[i])
      return fail("has parts of another size than its cuts give");
  }
  if (denseBytes(tensor.dtype(), tensor.whole()->data(), rank) < 0)
    return fail("has a whole that is too large");
  return {};
}

static Error checkPlaces(const Manifest &manifest) {
  if (!length(manifest.places()))
    return {};
  std::vector<bool> taken(manifest.ranks(), false);
  bool good = length(manifest.places()) == manifest.ranks();
  for (uint32_t i = 0; good && i < length(manifest.places()); ++i) {
    uint32_t place = manifest.places()->Get(i);
    good = place < manifest.ranks() && !taken[place];
    if (good)
      taken[place] = true;
  }
  return good ? Error()
              : invalidManifest("its ranks have no proper places on the mesh");
}

static Error checkMesh(const Manifest &manifest) {
  if (!length(manifest.mesh()))
    return {};
  uint64_t places = 1;
  for (const MeshAxis *axis : *manifest.mesh()) {
    places *= axis->size();
    if (!axis->size() || places > manifest.ranks())
      break;
  }
  return places == manifest.ranks()
             ? Error()
             : invalidManifest("its mesh has another number of places than "
                               "there are ranks");
}

Error verifyRanks(const Manifest &manifest) {
  uint32_t ranks = manifest.ranks();
  if (!ranks || ranks > maximumRanks)
    return invalidManifest("it is for " + std::to_string(ranks) + " ranks");
  if (ranks > 1 && !needs(manifest.required_features(), ranksFeature))
    return invalidManifest("it is for several ranks without saying that it "
                           "needs a reader that runs them");
  if (ranks > 1 && length(manifest.symbols()))
    return invalidManifest("it is for several ranks, and calls choose sizes");
  if (Error error = checkMesh(manifest))
    return error;
  return checkPlaces(manifest);
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

bool joins(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce ||
         kind == CollectiveKind::reduce_scatter;
}

/// Whether a reduction joins elements of this type.
static bool reduces(ReductionKind reduction, DataType type) {
  switch (type) {
  case DataType::i1:
    return reduction >= ReductionKind::minimum;
  case DataType::i8:
  case DataType::i16:
  case DataType::i32:
  case DataType::i64:
  case DataType::ui8:
  case DataType::ui16:
  case DataType::ui32:
  case DataType::ui64:
    return true;
  case DataType::f16:
  case DataType::bf16:
  case DataType::f32:
  case DataType::f64:
    return reduction <= ReductionKind::maximum;
  default:
    return false;
  }
}

/// That each rank is in one group; of a permute, at most once on each side.
static Error checkGroups(const Collective &collective,
                         const ProgramView &view) {
  uint32_t ranks = view.manifest.ranks(), size = collective.group_size(),
           count = length(collective.group());
  bool pairs = collective.kind() == CollectiveKind::permute;
  if (!size || count % size || (pairs && size != 2) ||
      (!pairs && count != ranks))
    return invalidPlan("has no proper groups for " + std::to_string(ranks) +
                       " ranks");
  std::vector<bool> seen[2];
  seen[0].resize(ranks, false);
  seen[1].resize(ranks, false);
  for (uint32_t i = 0; i < count; ++i) {
    int64_t rank = -1;
    uint32_t expression = collective.group()->Get(i);
    if (!view.value(expression, rank) || rank < 0 || rank >= ranks)
      return invalidPlan("has rank " + std::to_string(rank) +
                         " in a group, there are " + std::to_string(ranks));
    auto place = static_cast<size_t>(rank);
    std::vector<bool> &side = seen[pairs ? i % 2 : 0];
    if (side[place])
      return invalidPlan("has rank " + std::to_string(rank) +
                         " in its groups twice");
    side[place] = true;
  }
  return {};
}

/// That source and target have the sizes that the kind wants.
static Error checkBytes(const Collective &collective, int64_t source,
                        int64_t target) {
  int64_t size = collective.group_size(), wanted = source,
          parts = elementBytes(collective.dtype());
  switch (collective.kind()) {
  case CollectiveKind::all_gather:
    if (__builtin_mul_overflow(source, size, &wanted))
      wanted = -1;
    break;
  case CollectiveKind::reduce_scatter:
    wanted = source / size;
    parts *= size;
    break;
  case CollectiveKind::all_to_all:
    parts *= size;
    break;
  default:
    break;
  }
  if (source % parts || target != wanted)
    return invalidPlan("takes " + std::to_string(source) + " bytes and gives " +
                       std::to_string(target) + " in groups of " +
                       std::to_string(size));
  return {};
}

static Error checkKind(const Collective &collective) {
  if (collective.kind() > CollectiveKind::MAX ||
      collective.reduction() > ReductionKind::MAX)
    return invalidPlan("is of no known kind");
  if (collective.kind() == CollectiveKind::barrier)
    return invalidPlan("is a barrier, which this version of heddle does not "
                       "have");
  if (!elementBytes(collective.dtype()))
    return invalidPlan("has no proper element type");
  if (joins(collective.kind()) &&
      !reduces(collective.reduction(), collective.dtype()))
    return invalidPlan(std::string("joins elements of type ") +
                       dataTypeName(collective.dtype()) + " by '" +
                       EnumNameReductionKind(collective.reduction()) +
                       "', which this version of heddle does not have");
  return {};
}

/// Ranks do something together on the cpu only, and not while they load.
static Error checkPlace(const ProgramView &view, uint32_t device) {
  if (view.manifest.ranks() < 2)
    return invalidPlan("is in a file of one rank");
  if (!view.entry)
    return invalidPlan("is in what runs at load");
  if (device != hostDevice)
    return invalidPlan("is on a queue of " + deviceName(view.variant, device));
  return {};
}

Error verifyCollective(const Collective &collective, const ProgramView &view,
                       uint32_t device, const MemoryAccess &source,
                       const MemoryAccess &target) {
  auto fail = [&](const Error &error) {
    const char *kind = collective.kind() <= CollectiveKind::MAX
                           ? EnumNameCollectiveKind(collective.kind())
                           : "?";
    return invalidPlan("collective '" + std::string(kind) + "' " +
                       error.message());
  };
  if (Error error = checkPlace(view, device))
    return fail(error);
  if (Error error = checkKind(collective))
    return fail(error);
  if (Error error = checkGroups(collective, view))
    return fail(error);
  if (!source.reads || source.writes || !target.writes || target.reads)
    return fail(invalidPlan("writes its source or reads its target"));
  if (source.begin % elementBytes(collective.dtype()) ||
      target.begin % elementBytes(collective.dtype()))
    return fail(invalidPlan("does not begin at an element"));
  if (Error error = checkBytes(collective, source.end - source.begin,
                               target.end - target.begin))
    return fail(error);
  if (source.memory == target.memory && source.begin < target.end &&
      target.begin < source.end)
    return fail(invalidPlan("has a source and a target that overlap"));
  return {};
}

Error verifyRank(const ProgramView &view, uint32_t device,
                 const MemoryAccess &target) {
  if (Error error = checkPlace(view, device))
    return invalidPlan("command 'rank' " + error.message());
  if (!target.writes || target.reads || target.end - target.begin != 4 ||
      target.begin % 4)
    return invalidPlan("writes the rank's number to what is no integer of 4 "
                       "bytes");
  return {};
}

} // namespace heddle::format
