// Rules that follow from what an operation is made of.
//
// All dimensions in the body that must be cut together are one class. A class
// passes through where every operation lets it; it is reduced where what
// operations sum over it is returned as it is; else it is needed whole.

#include "dialects/Sharding/CompositeRule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace heddle::sharding {
namespace {

/// A dimension of a value in the body.
using Place = std::pair<const void *, int64_t>;

class BodyWalk {
public:
  explicit BodyWalk(func::FuncOp body) : body(body) {}

  std::optional<FactorRule> run(Operation *composite) {
    for (BlockArgument argument : body.getArguments())
      enter(argument);
    Block &block = body.getBody().front();
    for (Operation &op : block.without_terminator())
      visit(&op);
    return assemble(composite, block.getTerminator());
  }

private:
  static Place place(Value value, int64_t dim) {
    return {value.getAsOpaquePointer(), dim};
  }

  void enter(Value value) {
    for (size_t dim = 0; dim < shapeOf(value).size(); ++dim)
      classes.insert(place(value, dim));
  }

  void worsen(Place at, FactorKind kind) {
    auto &known = kinds.try_emplace(at, FactorKind::PassThrough).first->second;
    if (known == FactorKind::PassThrough || kind == FactorKind::NeedReplication)
      known = kind;
  }

  void visit(Operation *op) {
    for (Value result : op->getResults())
      enter(result);
    std::optional<FactorRule> rule = ruleOf(op);
    SmallVector<SmallVector<Place>> places(rule ? rule->factors.size() : 0);
    auto collect = [&](ValueRange values, ArrayRef<TensorFactors> tensors) {
      for (auto [index, value] : llvm::enumerate(values))
        for (size_t dim = 0; dim < shapeOf(value).size(); ++dim) {
          if (!rule || tensors[index][dim].size() != 1)
            worsen(place(value, dim), FactorKind::NeedReplication);
          else
            places[tensors[index][dim].front()].push_back(place(value, dim));
        }
    };
    collect(op->getOperands(),
            rule ? ArrayRef(rule->operands) : ArrayRef<TensorFactors>());
    collect(op->getResults(),
            rule ? ArrayRef(rule->results) : ArrayRef<TensorFactors>());
    if (!rule)
      return;
    bool isReturned = llvm::all_of(op->getUsers(), [](Operation *user) {
      return isa<func::ReturnOp>(user);
    });
    for (auto [factor, found] : llvm::zip_equal(rule->factors, places))
      for (Place at : found) {
        classes.unionSets(found.front(), at);
        FactorKind kind = factor.kind;
        if (kind == FactorKind::Reduction && !isReturned)
          kind = FactorKind::NeedReplication;
        if (kind != FactorKind::PassThrough)
          worsen(at, kind);
      }
  }

  std::optional<FactorRule> assemble(Operation *composite, Operation *end) {
    llvm::MapVector<Place, int64_t> factors;
    FactorRule rule;
    llvm::DenseMap<Place, FactorKind> ofClass;
    for (auto &[at, kind] : kinds) {
      auto [it, isNew] = ofClass.try_emplace(classes.getLeaderValue(at), kind);
      if (!isNew && (it->second != kind))
        it->second = FactorKind::NeedReplication;
    }
    auto factorsOf = [&](ValueRange values,
                         SmallVector<TensorFactors> &tensors) {
      for (Value value : values) {
        TensorFactors &tensor = tensors.emplace_back();
        for (auto [dim, size] : llvm::enumerate(shapeOf(value))) {
          Place leader = classes.getLeaderValue(place(value, dim));
          auto found = factors.try_emplace(leader, rule.factors.size());
          int64_t factor = found.first->second;
          // A value has a factor once: what it has twice is whole.
          bool again = llvm::any_of(tensor, [&](ArrayRef<int64_t> other) {
            return llvm::is_contained(other, factor);
          });
          if (again) {
            rule.factors[factor].kind = FactorKind::NeedReplication;
            factor = rule.factors.size();
            rule.factors.push_back({size, FactorKind::NeedReplication});
          } else if (found.second) {
            auto kind = ofClass.find(leader);
            rule.factors.push_back({size, kind == ofClass.end()
                                              ? FactorKind::PassThrough
                                              : kind->second});
          }
          tensor.push_back({factor});
        }
      }
    };
    factorsOf(body.getArguments(), rule.operands);
    factorsOf(end->getOperands(), rule.results);
    // A sum over what a result has is none.
    for (const TensorFactors &tensor : rule.results)
      for (ArrayRef<int64_t> dim : tensor)
        for (int64_t factor : dim)
          if (rule.factors[factor].kind == FactorKind::Reduction)
            rule.factors[factor].kind = FactorKind::NeedReplication;
    if (rule.operands.size() != composite->getNumOperands() ||
        rule.results.size() != composite->getNumResults())
      return std::nullopt;
    return rule;
  }

  func::FuncOp body;
  llvm::EquivalenceClasses<Place> classes;
  llvm::MapVector<Place, FactorKind> kinds;
};

} // namespace

std::optional<FactorRule> ruleOfComposite(stablehlo::CompositeOp op) {
  auto body = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, FlatSymbolRefAttr::get(op.getContext(), op.getDecomposition()));
  if (!body || body.isExternal() || !body.getBody().hasOneBlock())
    return std::nullopt;
  return BodyWalk(body).run(op);
}

} // namespace heddle::sharding
