// How shardings of the tensors of one operation go to each other.

#include "passes/Sharding/Strategy.h"

#include <numeric>

using namespace mlir;
using heddle::sdy::AxisRefAttr;

namespace heddle {

//===----------------------------------------------------------------------===//
// What one factor wants
//===----------------------------------------------------------------------===//

namespace {
/// The axes of a factor, and where they come from.
struct Wanted {
  Axes axes;
  int64_t sourceSize = 0;
};
} // namespace

static bool startsWith(ArrayRef<AxisRefAttr> axes, ArrayRef<AxisRefAttr> front,
                       sdy::MeshAttr mesh) {
  return ArrayRef<AxisRefAttr>(commonPrefix(axes, front, mesh)) == front;
}

/// The longest list of axes that no tensor with the factor contradicts.
static Wanted wantedOf(const OperationProjection &projection, int64_t factor,
                       sdy::MeshAttr mesh, const TensorSizes *sizes) {
  Wanted wanted;
  bool mayGrow = true;
  auto join = [&](const TensorProjection &tensor, int64_t size) {
    auto it = tensor.factors.find(factor);
    if (it == tensor.factors.end())
      return;
    const Axes &axes = it->second.axes;
    if (startsWith(wanted.axes, axes, mesh)) {
      if (wanted.axes == axes)
        wanted.sourceSize = std::max(wanted.sourceSize, size);
      return;
    }
    if (startsWith(axes, wanted.axes, mesh)) {
      if (mayGrow)
        wanted = {axes, size};
      return;
    }
    wanted.axes = commonPrefix(wanted.axes, axes, mesh);
    mayGrow = false;
  };
  for (auto [index, tensor] : llvm::enumerate(projection.operands))
    join(tensor, sizes ? sizes->operands[index] : 0);
  for (auto [index, tensor] : llvm::enumerate(projection.results))
    join(tensor, sizes ? sizes->results[index] : 0);
  return wanted;
}

/// As much of the front of `axis` as overlaps none of `others`.
static std::optional<AxisRefAttr>
freePart(AxisRefAttr axis, ArrayRef<AxisRefAttr> others, sdy::MeshAttr mesh) {
  int64_t size = axis.sizeOn(mesh);
  for (AxisRefAttr other : others) {
    if (!axis.overlaps(other))
      continue;
    if (other.isWhole() || other.getPreSize() % axis.getPreSize() != 0)
      return std::nullopt;
    size = std::gcd(size, other.getPreSize() / axis.getPreSize());
  }
  if (size < 2)
    return std::nullopt;
  return AxisRefAttr::part(axis.getName(), axis.getPreSize(), size, mesh);
}

/// Cuts a list off where it overlaps `others`.
static void cutOff(Axes &axes, ArrayRef<AxisRefAttr> others,
                   sdy::MeshAttr mesh) {
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<AxisRefAttr> part = freePart(axes[i], others, mesh);
    if (part && *part == axes[i])
      continue;
    axes.resize(part ? i + 1 : i);
    if (part)
      axes[i] = *part;
    return;
  }
}

/// What of a tensor forbids axes of `factor`.
static Axes takenBesides(const TensorProjection &tensor, int64_t factor) {
  Axes taken;
  for (auto &[other, sharding] : tensor.factors) {
    if (other != factor)
      llvm::append_range(taken, sharding.axes);
    llvm::append_range(taken, sharding.overflow);
  }
  llvm::append_range(taken, tensor.replicated);
  llvm::append_range(taken, tensor.unreduced);
  return taken;
}

/// Cuts a list off where its parts do not divide a factor that stands before
/// others of its dimension. The last may be cut unevenly.
static void fit(Axes &axes, int64_t size, bool isMinorMost,
                sdy::MeshAttr mesh) {
  if (isMinorMost)
    return;
  int64_t parts = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    parts *= axes[i].sizeOn(mesh);
    if (size % parts == 0)
      continue;
    axes.resize(i);
    return;
  }
}

/// Gives a tensor axes of a factor, if they go on from those it has.
static bool extend(TensorProjection &tensor, int64_t factor, Axes axes,
                   int64_t size, sdy::MeshAttr mesh) {
  auto it = tensor.factors.find(factor);
  if (it == tensor.factors.end() || it->second.isClosed ||
      !it->second.overflow.empty())
    return false;
  FactorSharding &known = it->second;
  fit(axes, size, known.isMinorMost, mesh);
  if (axes == known.axes || !startsWith(axes, known.axes, mesh))
    return false;
  known.axes = std::move(axes);
  return true;
}

static bool allows(sdy::Direction direction, sdy::Direction wanted) {
  return direction == sdy::Direction::Both || direction == wanted;
}

/// What results have of the axes: operands do not get more from each other.
static Axes limitOfResults(const OperationProjection &projection,
                           int64_t factor, const Axes &axes, sdy::MeshAttr mesh,
                           bool &isInResults) {
  Axes limit;
  isInResults = false;
  for (const TensorProjection &result : projection.results) {
    auto it = result.factors.find(factor);
    if (it == result.factors.end())
      continue;
    isInResults = true;
    Axes common = commonPrefix(axes, it->second.axes, mesh);
    if (sdy::partCount(common, mesh) > sdy::partCount(limit, mesh))
      limit = common;
  }
  return limit;
}

//===----------------------------------------------------------------------===//
// The strategies
//===----------------------------------------------------------------------===//

bool propagateBasic(OperationProjection &projection,
                    const sharding::FactorRule &rule, sdy::MeshAttr mesh,
                    DirectionOf direction) {
  SmallVector<Axes> wanted(rule.factors.size());
  for (size_t factor = 0; factor < rule.factors.size(); ++factor) {
    sdy::Direction allowed = direction(factor);
    if (allowed == sdy::Direction::None)
      continue;
    wanted[factor] = wantedOf(projection, factor, mesh, nullptr).axes;
    for (auto *tensors : {&projection.operands, &projection.results})
      for (const TensorProjection &tensor : *tensors)
        cutOff(wanted[factor], takenBesides(tensor, factor), mesh);
  }
  bool changed = false;
  for (size_t factor = 0; factor < rule.factors.size(); ++factor) {
    sdy::Direction allowed = direction(factor);
    const Axes &axes = wanted[factor];
    int64_t size = rule.factors[factor].size;
    if (axes.empty())
      continue;
    if (allows(allowed, sdy::Direction::Forward))
      for (TensorProjection &result : projection.results)
        changed |= extend(result, factor, axes, size, mesh);
    if (allows(allowed, sdy::Direction::Backward)) {
      bool isInResults = false;
      Axes limit = limitOfResults(projection, factor, axes, mesh, isInResults);
      for (TensorProjection &operand : projection.operands)
        changed |=
            extend(operand, factor, isInResults ? limit : axes, size, mesh);
    }
  }
  return changed;
}

bool propagateAggressive(OperationProjection &projection,
                         const sharding::FactorRule &rule, sdy::MeshAttr mesh,
                         const TensorSizes &sizes, DirectionOf direction) {
  SmallVector<Wanted> wanted(rule.factors.size());
  SmallVector<int64_t> order;
  for (int64_t factor = 0; factor < int64_t(rule.factors.size()); ++factor) {
    if (direction(factor) == sdy::Direction::None)
      continue;
    wanted[factor] = wantedOf(projection, factor, mesh, &sizes);
    if (!wanted[factor].axes.empty())
      order.push_back(factor);
  }
  llvm::sort(order, [&](int64_t a, int64_t b) {
    if (wanted[a].sourceSize != wanted[b].sourceSize)
      return wanted[a].sourceSize > wanted[b].sourceSize;
    int64_t partsOfA = sdy::partCount(wanted[a].axes, mesh);
    int64_t partsOfB = sdy::partCount(wanted[b].axes, mesh);
    if (sizes.isElementwise && partsOfA != partsOfB)
      return partsOfA > partsOfB;
    return a < b;
  });
  bool changed = false;
  auto give = [&](TensorProjection &tensor, int64_t factor, Axes axes) {
    cutOff(axes, takenBesides(tensor, factor), mesh);
    changed |= extend(tensor, factor, axes, rule.factors[factor].size, mesh);
  };
  for (int64_t factor : order)
    if (allows(direction(factor), sdy::Direction::Forward))
      for (TensorProjection &result : projection.results)
        give(result, factor, wanted[factor].axes);
  for (int64_t factor : order) {
    if (!allows(direction(factor), sdy::Direction::Backward))
      continue;
    bool isInResults = false;
    Axes limit = limitOfResults(projection, factor, wanted[factor].axes, mesh,
                                isInResults);
    for (TensorProjection &operand : projection.operands)
      give(operand, factor, isInResults ? limit : wanted[factor].axes);
  }
  return changed;
}

} // namespace heddle
