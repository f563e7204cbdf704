// How a tensor lies over the devices of a mesh, when all of it is decided.

#include "passes/Sharding/Layout.h"

using namespace mlir;
using heddle::sdy::AxisRefAttr;

namespace heddle {

bool Layout::uses(AxisRefAttr axis) const {
  return llvm::any_of(dims,
                      [&](const Axes &axes) { return overlap(axes, axis); });
}

int64_t rankOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getRank() : 0;
}

Axes canonicalAxes(ArrayRef<AxisRefAttr> axes, sdy::MeshAttr mesh) {
  Axes canonical;
  for (AxisRefAttr axis : axes) {
    if (axis.sizeOn(mesh) == 1)
      continue;
    // A part that is all of an axis has one name.
    axis = AxisRefAttr::part(axis.getName(), axis.getPreSize(),
                             axis.sizeOn(mesh), mesh);
    if (!canonical.empty() && canonical.back().canMerge(axis, mesh))
      canonical.back() = canonical.back().merge(axis, mesh);
    else
      canonical.push_back(axis);
  }
  return canonical;
}

Layout layoutOf(sdy::TensorShardingAttr sharding, int64_t rank,
                sdy::MeshAttr mesh) {
  Layout layout = Layout::whole(rank);
  if (sharding)
    for (auto [axes, dim] :
         llvm::zip_equal(layout.dims, sharding.getDimShardings()))
      axes = canonicalAxes(dim.getAxes(), mesh);
  return layout;
}

sdy::TensorShardingAttr shardingOf(const Layout &layout, Attribute meshOrRef,
                                   MLIRContext *context) {
  auto dims = llvm::map_to_vector(layout.dims, [&](const Axes &axes) {
    return sdy::DimensionShardingAttr::closed(context, axes);
  });
  return sdy::TensorShardingAttr::get(context, meshOrRef, dims, {}, {},
                                      sdy::Reduction::Sum);
}

RankedTensorType partType(RankedTensorType type, const Layout &layout,
                          sdy::MeshAttr mesh) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, axes] : llvm::zip_equal(shape, layout.dims))
    size = sdy::partSize(size, axes, mesh);
  return RankedTensorType::get(shape, type.getElementType(),
                               type.getEncoding());
}

bool canPad(Type element) {
  return isa<FloatType, IntegerType, ComplexType>(element);
}

bool refines(ArrayRef<AxisRefAttr> axes, ArrayRef<AxisRefAttr> prefix,
             int64_t size, sdy::MeshAttr mesh) {
  int64_t count = sdy::partCount(axes, mesh) / sdy::partCount(prefix, mesh);
  return prefix.empty() || sdy::partSize(size, axes, mesh) * count ==
                               sdy::partSize(size, prefix, mesh);
}

Axes withoutPrefix(ArrayRef<AxisRefAttr> axes, ArrayRef<AxisRefAttr> prefix,
                   sdy::MeshAttr mesh) {
  Axes rest(axes.drop_front(prefix.size()));
  if (prefix.empty() || axes[prefix.size() - 1] == prefix.back())
    return rest;
  // The last axis of the prefix is the front part of the one in its place.
  AxisRefAttr whole = axes[prefix.size() - 1], front = prefix.back();
  int64_t size = front.sizeOn(mesh);
  rest.insert(rest.begin(),
              AxisRefAttr::part(whole.getName(), whole.getPreSize() * size,
                                whole.sizeOn(mesh) / size, mesh));
  return rest;
}

Axes joined(ArrayRef<AxisRefAttr> major, ArrayRef<AxisRefAttr> minor,
            sdy::MeshAttr mesh) {
  Axes axes(major);
  llvm::append_range(axes, minor);
  return canonicalAxes(axes, mesh);
}

bool overlap(ArrayRef<AxisRefAttr> first, ArrayRef<AxisRefAttr> second) {
  return llvm::any_of(first, [&](AxisRefAttr axis) {
    return llvm::any_of(
        second, [&](AxisRefAttr other) { return axis.overlaps(other); });
  });
}

} // namespace heddle
