// What meshes, axes and shardings say when asked.

#include "dialects/Sdy/DevicePositions.h"
#include "dialects/Sdy/ShardingText.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle::sdy {

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

LogicalResult
MeshAxisAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     StringAttr name, int64_t size) {
  if (size < 1)
    return emitError() << "axis " << name << " has size " << size
                       << "; at least 1 is wanted";
  return success();
}

LogicalResult
MeshAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 ArrayRef<MeshAxisAttr> axes, ArrayRef<int64_t> deviceIds) {
  llvm::SmallDenseSet<StringAttr> names;
  int64_t count = 1;
  for (MeshAxisAttr axis : axes) {
    if (!names.insert(axis.getName()).second)
      return emitError() << "two axes have the name " << axis.getName();
    if (llvm::MulOverflow(count, axis.getSize(), count))
      return emitError() << "the mesh has more devices than can be counted";
  }
  if (deviceIds.empty())
    return success();
  for (int64_t id : deviceIds)
    if (id < 0)
      return emitError() << "device " << id << " is negative";
  if (axes.empty() && deviceIds.size() == 1)
    return success();
  if (axes.empty())
    return emitError() << "a mesh without axes has " << deviceIds.size()
                       << " devices; one is wanted";
  if (count != int64_t(deviceIds.size()))
    return emitError() << "the axes span " << count << " devices, but "
                       << deviceIds.size() << " are numbered";
  SmallVector<int64_t> sorted(deviceIds);
  llvm::sort(sorted);
  for (auto [index, id] : llvm::enumerate(sorted))
    if (int64_t(index) != id)
      return emitError() << "the numbers of devices must be 0 to " << count - 1
                         << ", each once";
  return success();
}

std::optional<int64_t> MeshAttr::sizeOf(StringAttr name) const {
  for (MeshAxisAttr axis : getAxes())
    if (axis.getName() == name)
      return axis.getSize();
  return std::nullopt;
}

size_t MeshAttr::indexOf(StringAttr name) const {
  return llvm::find_if(
             getAxes(),
             [&](MeshAxisAttr axis) { return axis.getName() == name; }) -
         getAxes().begin();
}

int64_t MeshAttr::deviceCount() const {
  int64_t count = 1;
  for (MeshAxisAttr axis : getAxes())
    count *= axis.getSize();
  return count;
}

bool MeshAttr::isSingleDevice() const {
  return getAxes().empty() && getDeviceIds().size() == 1;
}

MeshAttr lookupMesh(Attribute meshOrRef, Operation *from) {
  if (auto mesh = dyn_cast_or_null<MeshAttr>(meshOrRef))
    return mesh;
  auto name = dyn_cast_or_null<FlatSymbolRefAttr>(meshOrRef);
  if (!name || !from)
    return {};
  ModuleOp module = isa<ModuleOp>(from) ? cast<ModuleOp>(from)
                                        : from->getParentOfType<ModuleOp>();
  if (!module)
    return {};
  auto op = dyn_cast_or_null<MeshOp>(SymbolTable::lookupSymbolIn(module, name));
  return op ? op.getMesh() : MeshAttr();
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

int64_t AxisRefAttr::sizeOn(MeshAttr mesh) const {
  return isWhole() ? mesh.sizeOf(getName()).value_or(1) : getSize();
}

bool AxisRefAttr::overlaps(AxisRefAttr other) const {
  if (getName() != other.getName())
    return false;
  if (isWhole() || other.isWhole())
    return true;
  return getPreSize() % (other.getPreSize() * other.getSize()) != 0 &&
         other.getPreSize() % (getPreSize() * getSize()) != 0;
}

bool AxisRefAttr::contains(AxisRefAttr other) const {
  if (getName() != other.getName())
    return false;
  if (isWhole() || other.isWhole())
    return isWhole();
  return getPreSize() <= other.getPreSize() &&
         other.getPreSize() * other.getSize() <= getPreSize() * getSize();
}

bool AxisRefAttr::canMerge(AxisRefAttr minor, MeshAttr mesh) const {
  return getName() == minor.getName() && !isWhole() && !minor.isWhole() &&
         nextPreSize(mesh) == minor.getPreSize();
}

AxisRefAttr AxisRefAttr::merge(AxisRefAttr minor, MeshAttr mesh) const {
  return part(getName(), getPreSize(), getSize() * minor.getSize(), mesh);
}

AxisRefAttr AxisRefAttr::part(StringAttr name, int64_t preSize, int64_t size,
                              MeshAttr mesh) {
  if (preSize == 1 && size == mesh.sizeOf(name))
    return whole(name);
  return get(name.getContext(), name, preSize, size);
}

std::string AxisRefAttr::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  printAxisRef(os, *this);
  return text;
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

int64_t DimensionShardingAttr::shardCount(MeshAttr mesh) const {
  return partCount(getAxes(), mesh);
}

MeshAttr TensorShardingAttr::meshOf(Operation *from) const {
  return lookupMesh(getMeshOrRef(), from);
}

MeshAttr TensorShardingAttr::meshOf(const SymbolTable &symbols) const {
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef()))
    return mesh;
  auto op = symbols.lookup<MeshOp>(meshName());
  return op ? op.getMesh() : MeshAttr();
}

StringAttr TensorShardingAttr::meshName() const {
  auto name = dyn_cast<FlatSymbolRefAttr>(getMeshOrRef());
  return name ? name.getAttr() : StringAttr();
}

static TensorShardingAttr uniform(DimensionShardingAttr dim, int64_t rank,
                                  Attribute meshOrRef) {
  return TensorShardingAttr::get(dim.getContext(), meshOrRef,
                                 SmallVector<DimensionShardingAttr>(rank, dim),
                                 {}, {}, Reduction::Sum);
}

TensorShardingAttr TensorShardingAttr::fullyOpen(MLIRContext *context,
                                                 int64_t rank,
                                                 Attribute meshOrRef) {
  return uniform(DimensionShardingAttr::open(context), rank, meshOrRef);
}

TensorShardingAttr TensorShardingAttr::fullyClosed(MLIRContext *context,
                                                   int64_t rank,
                                                   Attribute meshOrRef) {
  return uniform(DimensionShardingAttr::closed(context), rank, meshOrRef);
}

TensorShardingAttr
TensorShardingAttr::withDimension(int64_t dim,
                                  DimensionShardingAttr sharding) const {
  SmallVector<DimensionShardingAttr> dims(getDimShardings());
  dims[dim] = sharding;
  return withDimensions(dims);
}

TensorShardingAttr TensorShardingAttr::withDimensions(
    ArrayRef<DimensionShardingAttr> shardings) const {
  return get(getContext(), getMeshOrRef(), shardings, getReplicatedAxes(),
             getUnreducedAxes(), getReduction());
}

bool TensorShardingAttr::isFullyOpen() const {
  return getReplicatedAxes().empty() && getUnreducedAxes().empty() &&
         llvm::all_of(getDimShardings(), [](DimensionShardingAttr dim) {
           return dim.getAxes().empty() && !dim.getIsClosed();
         });
}

bool TensorShardingAttr::isFullyReplicated() const {
  return getUnreducedAxes().empty() &&
         llvm::all_of(getDimShardings(), [](DimensionShardingAttr dim) {
           return dim.getAxes().empty();
         });
}

void TensorShardingAttr::forEachAxis(
    llvm::function_ref<void(AxisRefAttr)> visit) const {
  for (DimensionShardingAttr dim : getDimShardings())
    llvm::for_each(dim.getAxes(), visit);
  llvm::for_each(getReplicatedAxes(), visit);
  llvm::for_each(getUnreducedAxes(), visit);
}

bool TensorShardingAttr::usesAxis(AxisRefAttr axis) const {
  bool found = false;
  forEachAxis([&](AxisRefAttr other) { found |= other.overlaps(axis); });
  return found;
}

RankedTensorType TensorShardingAttr::localType(RankedTensorType type,
                                               MeshAttr mesh) const {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, dim] : llvm::zip_equal(shape, getDimShardings()))
    if (!ShapedType::isDynamic(size))
      size = llvm::divideCeil(size, dim.shardCount(mesh));
  return RankedTensorType::get(shape, type.getElementType(),
                               type.getEncoding());
}

} // namespace heddle::sdy
