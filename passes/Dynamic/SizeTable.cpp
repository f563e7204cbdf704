// Takes sizes out of types and attributes.

#include "passes/Dynamic/SizeTable.h"

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace heddle {

size::Expression SizeTable::extent(Value value, int64_t dim) const {
  ArrayRef<size::Expression> all = extents(value);
  return all.empty() || all[dim].isConstant() ? size::Expression() : all[dim];
}

const SizeTable::Extents *SizeTable::attribute(Operation *op,
                                               StringRef name) const {
  auto found = attributes.find(op);
  if (found == attributes.end())
    return nullptr;
  auto entry = found->second.find(name);
  return entry == found->second.end() ? nullptr : &entry->second;
}

void SizeTable::copy(Operation *from, Operation *to) {
  auto copyExtents = [&](auto values, auto copies) {
    for (auto [value, other] : llvm::zip_equal(values, copies))
      setExtents(other, Extents(extents(value)));
  };
  if (auto found = attributes.find(from); found != attributes.end()) {
    auto copied = found->second;
    attributes[to] = std::move(copied);
  }
  copyExtents(from->getResults(), to->getResults());
  for (auto [region, other] :
       llvm::zip_equal(from->getRegions(), to->getRegions()))
    for (auto [block, otherBlock] : llvm::zip_equal(region, other)) {
      copyExtents(block.getArguments(), otherBlock.getArguments());
      for (auto [inner, otherInner] : llvm::zip_equal(block, otherBlock))
        copy(&inner, &otherInner);
    }
}

void SizeTable::forget(Operation *op) {
  op->walk([&](Operation *inner) {
    attributes.erase(inner);
    for (Value result : inner->getResults())
      shapes.erase(result);
    for (Region &region : inner->getRegions())
      for (BlockArgument argument : region.getArguments())
        shapes.erase(argument);
  });
}

static Type withoutExtents(Type type) {
  if (!size::hasExtents(type))
    return type;
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

void SizeTable::takeFrom(Value value) {
  if (!size::hasExtents(value.getType()))
    return;
  setExtents(value, size::extentsOf(cast<RankedTensorType>(value.getType())));
  value.setType(withoutExtents(value.getType()));
}

void SizeTable::takeAttributes(Operation *op) {
  // A constant of a size that is chosen is one number everywhere.
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    auto splat = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (splat && size::hasExtents(splat.getType()))
      constant.setValueAttr(
          splat.resizeSplat(cast<ShapedType>(withoutExtents(splat.getType()))));
  }
  for (NamedAttribute each : llvm::to_vector(op->getDiscardableAttrs())) {
    StringRef name = each.getName().strref();
    auto sized = dyn_cast<size::ExtentsAttr>(each.getValue());
    if (!sized || !name.consume_front("size."))
      continue;
    attributes[op][name] =
        llvm::map_to_vector(sized.getExtents(), [](size::ExpressionAttr each) {
          return size::Expression(each);
        });
    op->removeDiscardableAttr(each.getName());
  }
}

void SizeTable::takeFrom(Operation *all) {
  all->walk([&](Operation *op) {
    takeAttributes(op);
    for (Value result : op->getResults())
      takeFrom(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          takeFrom(argument);
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      auto plain = [](TypeRange types) {
        return llvm::map_to_vector(types, withoutExtents);
      };
      function.setType(FunctionType::get(op->getContext(),
                                         plain(function.getArgumentTypes()),
                                         plain(function.getResultTypes())));
    }
  });
}

SizeTable SizeTable::takeFrom(ModuleOp module) {
  SizeTable table;
  table.takeFrom(module.getOperation());
  return table;
}

} // namespace heddle
