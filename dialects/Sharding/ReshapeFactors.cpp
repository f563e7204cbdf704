// Which parts of dimensions a reshape leaves as they are.
//
// Where as many elements stand in front of both, the greatest common divisor of
// what follows is a factor of both. Where there is none, the same is done from
// the minor end, and what is left in between has factors of its own.

#include "dialects/Sharding/ReshapeFactors.h"

#include <numeric>

using namespace mlir;

namespace heddle::sharding {
namespace {

/// What is left of a dimension.
struct Part {
  int64_t dim;
  int64_t size;
};

/// A factor that is to be added: of a dimension of the operand, of the result,
/// or of both.
struct Step {
  int64_t from;
  int64_t to;
  int64_t size;
};

class Walk {
public:
  explicit Walk(Operation *op) : builder(op) {
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getOperand(0))))
      from.push_back({int64_t(dim), size});
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0))))
      to.push_back({int64_t(dim), size});
  }

  FactorRule run() {
    while (true) {
      walkMajor();
      if (from.empty() || to.empty())
        break;
      walkMinor();
      if (!walkApart())
        break;
    }
    for (Step &step : llvm::reverse(minor))
      add(step);
    return builder.build();
  }

private:
  void add(Step step) { builder.add({step.from}, {step.to}, step.size); }

  /// A dimension of size one in front, which no part of a larger one has used.
  void skipOnes(SmallVector<Part> &parts, bool isFrom) {
    while (!parts.empty() && parts.front().size == 1) {
      if (isWholeOne(parts.front(), isFrom))
        add({isFrom ? parts.front().dim : -1, isFrom ? -1 : parts.front().dim,
             1});
      parts.erase(parts.begin());
    }
  }

  bool isWholeOne(Part part, bool isFrom) {
    return !(isFrom ? usedFrom : usedTo).contains(part.dim);
  }

  void share(Part &a, Part &b, int64_t size) {
    usedFrom.insert(a.dim);
    usedTo.insert(b.dim);
    a.size /= size;
    b.size /= size;
  }

  void walkMajor() {
    while (true) {
      skipOnes(from, true);
      skipOnes(to, false);
      if (from.empty() || to.empty())
        return;
      int64_t size = std::gcd(from.front().size, to.front().size);
      if (size == 1)
        return;
      Step step = {from.front().dim, to.front().dim, size};
      share(from.front(), to.front(), size);
      add(step);
    }
  }

  /// From the minor end; the steps are added behind all others.
  void walkMinor() {
    while (!from.empty() && !to.empty()) {
      if (from.back().size == 1) {
        from.pop_back();
        continue;
      }
      if (to.back().size == 1) {
        to.pop_back();
        continue;
      }
      int64_t size = std::gcd(from.back().size, to.back().size);
      if (size == 1)
        break;
      minor.push_back({from.back().dim, to.back().dim, size});
      share(from.back(), to.back(), size);
    }
  }

  /// Factors of one side each, until as many elements are in front again; true
  /// if something is left on both sides.
  bool walkApart() {
    int64_t before = 1, after = 1;
    auto take = [&](SmallVector<Part> &parts, bool isFrom, int64_t &count) {
      Part part = parts.front();
      parts.erase(parts.begin());
      (isFrom ? usedFrom : usedTo).insert(part.dim);
      add({isFrom ? part.dim : -1, isFrom ? -1 : part.dim, part.size});
      count *= part.size;
    };
    while (!from.empty() || !to.empty()) {
      if (!from.empty() && (before < after || before == 1 || to.empty()))
        take(from, true, before);
      else
        take(to, false, after);
      if (before == after && before > 1)
        return !from.empty() && !to.empty();
    }
    return false;
  }

  RuleBuilder builder;
  SmallVector<Part> from, to;
  /// From the minor one to the major one.
  SmallVector<Step> minor;
  llvm::DenseSet<int64_t> usedFrom, usedTo;
};

} // namespace

FactorRule reshapeRule(Operation *op) {
  // Nothing can be told of no elements.
  if (llvm::is_contained(shapeOf(op->getOperand(0)), 0))
    return RuleBuilder(op).build(FactorKind::NeedReplication);
  return Walk(op).run();
}

} // namespace heddle::sharding
