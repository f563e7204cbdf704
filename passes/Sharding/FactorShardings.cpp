// The shardings of an operation's tensors, seen by its factors.

#include "passes/Sharding/FactorShardings.h"

using namespace mlir;
using heddle::sdy::AxisRefAttr;

namespace heddle {

Axes commonPrefix(ArrayRef<AxisRefAttr> first, ArrayRef<AxisRefAttr> second,
                  sdy::MeshAttr mesh) {
  Axes prefix;
  for (auto [a, b] : llvm::zip(first, second)) {
    if (a == b) {
      prefix.push_back(a);
      continue;
    }
    // One may be the front part of the other.
    if (a.getName() == b.getName() && a.getPreSize() == b.getPreSize()) {
      int64_t size = std::min(a.sizeOn(mesh), b.sizeOn(mesh));
      int64_t larger = std::max(a.sizeOn(mesh), b.sizeOn(mesh));
      if (larger % size == 0)
        prefix.push_back(
            AxisRefAttr::part(a.getName(), a.getPreSize(), size, mesh));
    }
    break;
  }
  return prefix;
}

/// Takes axes from the front of `axes` that cut a factor of `size`, all of them
/// or a part of one.
static FactorSharding takeFor(int64_t size, Axes &axes, sdy::MeshAttr mesh,
                              bool splitsAxes) {
  FactorSharding taken;
  while (!axes.empty() && size > 1) {
    AxisRefAttr axis = axes.front();
    int64_t parts = axis.sizeOn(mesh);
    if (size % parts == 0) {
      taken.axes.push_back(axis);
      axes.erase(axes.begin());
      size /= parts;
    } else if (splitsAxes && parts % size == 0) {
      taken.axes.push_back(
          AxisRefAttr::part(axis.getName(), axis.getPreSize(), size, mesh));
      axes.front() = AxisRefAttr::part(axis.getName(), axis.getPreSize() * size,
                                       parts / size, mesh);
      size = 1;
    } else {
      taken.overflow = std::exchange(axes, Axes());
    }
  }
  return taken;
}

TensorProjection project(const sharding::TensorFactors &tensor,
                         sdy::TensorShardingAttr sharding,
                         const sharding::FactorRule &rule, sdy::MeshAttr mesh,
                         bool splitsAxes) {
  TensorProjection projection;
  for (auto [dim, factors] : llvm::enumerate(tensor)) {
    Axes axes;
    bool isClosed = false;
    if (sharding) {
      axes = Axes(sharding.getDimShardings()[dim].getAxes());
      isClosed = sharding.getDimShardings()[dim].getIsClosed();
    }
    for (int64_t factor : factors) {
      bool isLast = factor == factors.back();
      FactorSharding one;
      if (isLast)
        one.axes = std::exchange(axes, Axes());
      else
        one = takeFor(rule.factors[factor].size, axes, mesh, splitsAxes);
      one.isClosed = isClosed;
      one.isMinorMost = isLast;
      projection.factors.insert({factor, std::move(one)});
    }
  }
  if (sharding) {
    projection.replicated = Axes(sharding.getReplicatedAxes());
    projection.unreduced = Axes(sharding.getUnreducedAxes());
  }
  return projection;
}

sdy::TensorShardingAttr toSharding(const TensorProjection &projection,
                                   const sharding::TensorFactors &tensor,
                                   sdy::TensorShardingAttr before,
                                   Attribute meshOrRef,
                                   const sharding::FactorRule &rule,
                                   sdy::MeshAttr mesh) {
  MLIRContext *context = mesh.getContext();
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (auto [dim, factors] : llvm::enumerate(tensor)) {
    Axes axes;
    for (int64_t factor : factors) {
      const FactorSharding &one = projection.factors.find(factor)->second;
      for (ArrayRef<AxisRefAttr> list :
           {ArrayRef(one.axes), ArrayRef(one.overflow)})
        for (AxisRefAttr axis : list) {
          if (!axes.empty() && axes.back().canMerge(axis, mesh))
            axes.back() = axes.back().merge(axis, mesh);
          else
            axes.push_back(axis);
        }
      // What is minor can be cut where this is cut wholly only.
      if (!one.overflow.empty() ||
          sdy::partCount(one.axes, mesh) != rule.factors[factor].size)
        break;
    }
    sdy::DimensionShardingAttr old =
        before ? before.getDimShardings()[dim] : sdy::DimensionShardingAttr();
    dims.push_back(sdy::DimensionShardingAttr::get(
        context, axes, old && old.getIsClosed(),
        old ? old.getPriority() : std::nullopt));
  }
  return sdy::TensorShardingAttr::get(
      context, meshOrRef, dims, projection.replicated, projection.unreduced,
      before ? before.getReduction() : sdy::Reduction::Sum);
}

} // namespace heddle
