// How a tensor goes from one layout to another.
//
// In this order, as long as something changes: dimensions are cut by axes that
// nothing else is cut over, which is free; axes go from dimension to dimension;
// where each dimension has as many parts as it is to have, parts go from device
// to device; then a dimension is gathered.

#include "passes/Sharding/Reshard.h"

#include <map>

using namespace mlir;
using heddle::sdy::AxisRefAttr;

namespace heddle {
namespace {

class Resharding {
public:
  Resharding(Collectives &collectives, Value part, RankedTensorType whole,
             const Layout &from, const Layout &to, sdy::MeshAttr mesh,
             Location loc)
      : collectives(collectives), part(part), whole(whole), now(from), to(to),
        mesh(mesh), loc(loc) {}

  Value run() {
    while (now != to) {
      updateKept();
      if (permute())
        break;
      bool moved = false;
      for (int64_t dim = 0; dim < whole.getRank(); ++dim)
        moved |= slice(dim);
      for (int64_t dim = 0; dim < whole.getRank() && !moved; ++dim)
        moved = exchange(dim);
      for (int64_t dim = 0; dim < whole.getRank() && !moved; ++dim)
        moved = gather(dim);
    }
    return part;
  }

private:
  /// What dimensions are cut over now and will be; nothing where parts of the
  /// one are no parts of the other, so that the whole is needed in between.
  void updateKept() {
    kept.clear();
    for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
      Axes common = commonPrefix(now.dims[dim], to.dims[dim], mesh);
      bool steps =
          refines(now.dims[dim], common, whole.getDimSize(dim), mesh) &&
          refines(to.dims[dim], common, whole.getDimSize(dim), mesh);
      kept.push_back(steps ? common : Axes());
    }
  }

  Axes tooMuch(int64_t dim) {
    return withoutPrefix(now.dims[dim], kept[dim], mesh);
  }
  Axes missing(int64_t dim) {
    return withoutPrefix(to.dims[dim], kept[dim], mesh);
  }

  void resizeTo(int64_t dim, ArrayRef<AxisRefAttr> axes) {
    int64_t size = sdy::partSize(whole.getDimSize(dim), axes, mesh);
    part = collectives.resize(part, dim, size, loc);
  }
  /// Makes parts as large as those that are cut over `axes` need.
  void padFor(int64_t dim, ArrayRef<AxisRefAttr> axes,
              ArrayRef<AxisRefAttr> added) {
    int64_t size = sdy::partSize(whole.getDimSize(dim), axes, mesh) *
                   sdy::partCount(added, mesh);
    part = collectives.resize(part, dim, size, loc);
  }

  bool slice(int64_t dim) {
    Axes added = missing(dim);
    if (added.empty() || now.dims[dim] != kept[dim])
      return false;
    if (llvm::any_of(added, [&](AxisRefAttr axis) { return now.uses(axis); }))
      return false;
    padFor(dim, to.dims[dim], added);
    part = collectives.slice(part, dim, added, loc);
    now.dims[dim] = to.dims[dim];
    return true;
  }

  /// Axes at the end of what `from` has too much go to a dimension that they
  /// are the next ones of.
  bool exchange(int64_t from) {
    Axes all = tooMuch(from);
    for (size_t begin = 0; begin < all.size(); ++begin) {
      Axes moved(ArrayRef<AxisRefAttr>(all).drop_front(begin));
      Axes left = joined(kept[from],
                         ArrayRef<AxisRefAttr>(all).take_front(begin), mesh);
      if (!refines(now.dims[from], left, whole.getDimSize(from), mesh))
        continue;
      for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
        if (dim == from || now.dims[dim] != kept[dim] ||
            commonPrefix(missing(dim), moved, mesh) != moved)
          continue;
        Axes target = joined(kept[dim], moved, mesh);
        int64_t size = whole.getDimSize(dim);
        if (!refines(target, kept[dim], size, mesh) ||
            !refines(to.dims[dim], target, size, mesh))
          continue;
        padFor(dim, target, moved);
        part = collectives.exchange(part, from, dim, moved, loc);
        now.dims[from] = left;
        now.dims[dim] = target;
        resizeTo(from, left);
        return true;
      }
    }
    return false;
  }

  bool gather(int64_t dim) {
    Axes axes = tooMuch(dim);
    if (axes.empty())
      return false;
    part = collectives.gather(part, dim, axes, loc);
    now.dims[dim] = kept[dim];
    resizeTo(dim, kept[dim]);
    return true;
  }

  /// Whether each dimension has as many parts as it is to have; then parts go
  /// to the devices that are to have them, and all is done.
  bool permute() {
    for (auto [has, wants] : llvm::zip_equal(now.dims, to.dims))
      if (sdy::partCount(has, mesh) != sdy::partCount(wants, mesh))
        return false;
    // Devices trade with those that stand elsewhere only along the axes that
    // either layout names.
    llvm::SmallDenseSet<StringAttr> names;
    for (const Layout *layout : {&std::as_const(now), &to})
      for (const Axes &axes : layout->dims)
        for (AxisRefAttr axis : axes)
          names.insert(axis.getName());
    Axes others;
    for (sdy::MeshAxisAttr axis : mesh.getAxes())
      if (!names.contains(axis.getName()))
        others.push_back(AxisRefAttr::whole(axis.getName()));
    auto key = [&](const Layout &layout, int64_t position) {
      SmallVector<int64_t> parts = {sdy::partAt(others, mesh, position)};
      for (const Axes &axes : layout.dims)
        parts.push_back(sdy::partAt(axes, mesh, position));
      return parts;
    };
    std::map<SmallVector<int64_t>, SmallVector<int64_t>> holders;
    for (int64_t i = mesh.deviceCount(); i-- > 0;)
      holders[key(now, i)].push_back(i);
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (int64_t i = 0; i < mesh.deviceCount(); ++i) {
      SmallVector<int64_t> &from = holders[key(to, i)];
      pairs.push_back(
          {sdy::deviceAt(mesh, from.pop_back_val()), sdy::deviceAt(mesh, i)});
    }
    part = collectives.permute(part, pairs, loc);
    now = to;
    return true;
  }

  Collectives &collectives;
  Value part;
  RankedTensorType whole;
  Layout now;
  const Layout &to;
  sdy::MeshAttr mesh;
  Location loc;
  SmallVector<Axes> kept;
};

} // namespace

Value reshard(Collectives &collectives, Value part, RankedTensorType whole,
              const Layout &from, const Layout &to, sdy::MeshAttr mesh,
              Location loc) {
  return Resharding(collectives, part, whole, from, to, mesh, loc).run();
}

} // namespace heddle
