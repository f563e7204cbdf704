// Compares the program for the largest sizes with those for others, value by
// value.

#include "passes/Dynamic/SizeTable.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/HostTensor.h"
#include "heddle/Support/Weights.h"

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

void SizeTable::copyAttributes(Operation *from, Operation *to) {
  if (auto found = attributes.find(from); found != attributes.end()) {
    auto copy = found->second;
    attributes[to] = std::move(copy);
  }
  if (auto found = varying.find(from); found != varying.end()) {
    auto copy = found->second;
    varying[to] = std::move(copy);
  }
}

/// Walks programs that differ in sizes only, side by side.
class SampleComparison {
public:
  SampleComparison(const SampleSizes &sizes, SizeTable &table)
      : sizes(sizes), table(table), maps(sizes.points().size() - 1) {}

  LogicalResult compare(ArrayRef<func::FuncOp> functions);

private:
  LogicalResult compareBlocks(Location loc, ArrayRef<Block *> blocks);
  LogicalResult compareValues(ArrayRef<Value> values);
  LogicalResult compareOps(ArrayRef<Operation *> ops);
  LogicalResult compareConstants(ArrayRef<Operation *> ops);
  LogicalResult compareAttribute(ArrayRef<Operation *> ops, StringAttr name,
                                 ArrayRef<Attribute> attributes);
  InFlightDiagnostic differ(Location loc) {
    return emitError(loc, ErrorCode::StableHloDynamicShape);
  }
  /// A node that is computed in another way for other sizes. `how` is for who
  /// knows our operations.
  LogicalResult computedOtherwise(Location loc, const Twine &how);

  const SampleSizes &sizes;
  SizeTable &table;
  /// From values of each other program to those of the first.
  SmallVector<DenseMap<Value, Value>> maps;
};

LogicalResult SampleComparison::computedOtherwise(Location loc,
                                                  const Twine &how) {
  InFlightDiagnostic message = differ(loc);
  return message << "is computed in another way for other sizes, so that no "
                    "program serves all of them; "
                 << sizes.remedy() << ", or narrow it [" << how << "]";
}

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

LogicalResult SampleComparison::compareValues(ArrayRef<Value> values) {
  for (auto [map, value] : llvm::zip_equal(maps, values.drop_front()))
    map[value] = values.front();
  auto type = dyn_cast<RankedTensorType>(values.front().getType());
  if (!type ||
      llvm::all_of(values, [&](Value v) { return v.getType() == type; }))
    return success();
  SizeTable::Extents extents;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    SmallVector<int64_t> at;
    for (Value value : values) {
      auto other = dyn_cast<RankedTensorType>(value.getType());
      if (!other || other.getRank() != type.getRank() ||
          other.getElementType() != type.getElementType() ||
          !other.hasStaticShape())
        return computedOtherwise(values.front().getLoc(),
                                 "type " + spell(type) + " for one size and " +
                                     spell(value.getType()) + " for another");
      at.push_back(other.getDimSize(i));
    }
    size::Expression extent = sizes.fit(at);
    if (!extent) {
      InFlightDiagnostic message = differ(values.front().getLoc());
      message << "dimension " << i << " has sizes that no sum of products or "
              << "quotient of the bounded sizes gives: ";
      llvm::interleaveComma(at, message);
      message << "; fix these, or narrow their ranges";
      return message;
    }
    auto [least, largest] = sizes.ranges().interval(extent);
    if (least < 0 || largest > type.getDimSize(i))
      return differ(values.front().getLoc())
             << "dimension " << i << " has sizes from " << least << " to "
             << largest << ", not the largest for the largest sizes";
    extents.push_back(extent);
  }
  table.setExtents(values.front(), extents);
  return success();
}

/// The integers of an attribute of an op, if that is what it holds.
static std::optional<SmallVector<int64_t>> integersIn(Attribute attribute) {
  if (auto array = dyn_cast<DenseI64ArrayAttr>(attribute))
    return SmallVector<int64_t>(array.asArrayRef());
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return SmallVector<int64_t>{integer.getValue().getSExtValue()};
  if (auto dense = dyn_cast<DenseIntElementsAttr>(attribute))
    return llvm::map_to_vector(dense.getValues<APInt>(),
                               [](const APInt &v) { return v.getSExtValue(); });
  return std::nullopt;
}

LogicalResult
SampleComparison::compareAttribute(ArrayRef<Operation *> ops, StringAttr name,
                                   ArrayRef<Attribute> attributes) {
  if (llvm::all_equal(attributes))
    return success();
  Operation *op = ops.front();
  SmallVector<SmallVector<int64_t>> lists;
  for (Attribute attribute : attributes) {
    auto list = attribute ? integersIn(attribute) : std::nullopt;
    if (!list || (!lists.empty() && list->size() != lists.front().size()))
      return computedOtherwise(op->getLoc(),
                               "'" + op->getName().getStringRef() +
                                   "' has another '" + name.getValue() + "'");
    lists.push_back(std::move(*list));
  }
  SizeTable::Extents integers;
  for (unsigned i = 0; i < lists.front().size(); ++i) {
    integers.push_back(sizes.fit(
        llvm::map_to_vector(lists, [&](auto &list) { return list[i]; })));
    if (!integers.back())
      return differ(op->getLoc())
             << "'" << op->getName() << "' has a '" << name.getValue()
             << "' that is no sum of products of the bounded sizes";
  }
  table.attributes[op][name] = std::move(integers);
  return success();
}

/// Whether two weights that are not read here are the same one.
static bool sameHandle(Attribute a, Attribute b) {
  auto x = dyn_cast<DenseResourceElementsAttr>(a),
       y = dyn_cast<DenseResourceElementsAttr>(b);
  if (!x || !y || x.getType() != y.getType())
    return false;
  // The same place of a file need not be read.
  auto from = weightOrigin(x), other = weightOrigin(y);
  if (from && other && from->file->path() == other->file->path() &&
      from->offset == other->offset)
    return true;
  auto first = HostTensor::fromAttribute(x),
       second = HostTensor::fromAttribute(y);
  return first && second && first->bytes() == second->bytes();
}

LogicalResult SampleComparison::compareConstants(ArrayRef<Operation *> ops) {
  SmallVector<ElementsAttr> values = llvm::map_to_vector(ops, [](Operation *o) {
    return cast<stablehlo::ConstantOp>(o).getValue();
  });
  if (llvm::all_equal(values) || llvm::all_of(values, [&](ElementsAttr value) {
        return value == values.front() || sameHandle(value, values.front());
      }))
    return success();
  table.varying[ops.front()] = std::move(values);
  return success();
}

LogicalResult SampleComparison::compareOps(ArrayRef<Operation *> ops) {
  Operation *first = ops.front();
  for (auto [map, op] : llvm::zip_equal(maps, ops.drop_front())) {
    bool same = op->getName() == first->getName() &&
                op->getNumOperands() == first->getNumOperands() &&
                op->getNumResults() == first->getNumResults() &&
                op->getNumRegions() == first->getNumRegions();
    for (unsigned i = 0; same && i < op->getNumOperands(); ++i)
      same = map.lookup(op->getOperand(i)) == first->getOperand(i);
    if (!same)
      return computedOtherwise(
          first->getLoc(), "'" + first->getName().getStringRef() +
                               "' for the largest sizes, '" +
                               op->getName().getStringRef() + "' for others");
  }
  if (isa<stablehlo::ConstantOp>(first)) {
    if (failed(compareConstants(ops)))
      return failure();
  } else {
    SmallVector<DictionaryAttr> all = llvm::map_to_vector(
        ops, [](Operation *op) { return op->getAttrDictionary(); });
    if (!llvm::all_equal(all))
      for (NamedAttribute each : all.front())
        if (failed(compareAttribute(ops, each.getName(),
                                    llvm::map_to_vector(all, [&](auto other) {
                                      return other.get(each.getName());
                                    }))))
          return failure();
  }
  for (unsigned i = 0; i < first->getNumRegions(); ++i) {
    if (llvm::any_of(ops, [&](Operation *op) {
          return op->getRegion(i).hasOneBlock() !=
                 first->getRegion(i).hasOneBlock();
        }))
      return computedOtherwise(first->getLoc(),
                               "'" + first->getName().getStringRef() +
                                   "' has another region");
    if (first->getRegion(i).hasOneBlock() &&
        failed(compareBlocks(first->getLoc(),
                             llvm::map_to_vector(ops, [&](Operation *op) {
                               return &op->getRegion(i).front();
                             }))))
      return failure();
  }
  for (unsigned i = 0; i < first->getNumResults(); ++i)
    if (failed(compareValues(llvm::map_to_vector(
            ops, [&](Operation *op) -> Value { return op->getResult(i); }))))
      return failure();
  return success();
}

LogicalResult SampleComparison::compareBlocks(Location loc,
                                              ArrayRef<Block *> blocks) {
  Block *first = blocks.front();
  for (Block *block : blocks)
    if (block->getNumArguments() != first->getNumArguments())
      return computedOtherwise(loc, "a block has another number of arguments");
  for (unsigned i = 0; i < first->getNumArguments(); ++i)
    if (failed(compareValues(llvm::map_to_vector(
            blocks, [&](Block *b) -> Value { return b->getArgument(i); }))))
      return failure();
  SmallVector<Block::iterator> at =
      llvm::map_to_vector(blocks, [](Block *block) { return block->begin(); });
  while (at.front() != first->end()) {
    SmallVector<Operation *> ops;
    for (auto [position, block] : llvm::zip_equal(at, blocks)) {
      if (position == block->end())
        return computedOtherwise(at.front()->getLoc(),
                                 "'" + at.front()->getName().getStringRef() +
                                     "' for the largest sizes only");
      ops.push_back(&*position++);
    }
    if (failed(compareOps(ops)))
      return failure();
  }
  for (auto [position, block] : llvm::zip_equal(at, blocks))
    if (position != block->end())
      return computedOtherwise(position->getLoc(),
                               "'" + position->getName().getStringRef() +
                                   "' for some sizes only");
  return success();
}

LogicalResult SampleComparison::compare(ArrayRef<func::FuncOp> functions) {
  func::FuncOp first = functions.front();
  if (first.isExternal() || !first.getBody().hasOneBlock())
    return success();
  SmallVector<Block *> blocks;
  for (func::FuncOp function : functions) {
    if (!function || function.isExternal() || !function.getBody().hasOneBlock())
      return computedOtherwise(first.getLoc(),
                               "'" + first.getName() +
                                   "' for the largest sizes only");
    blocks.push_back(&function.getBody().front());
  }
  return compareBlocks(first.getLoc(), blocks);
}

FailureOr<SizeTable> SizeTable::compare(ModuleOp largest,
                                        ArrayRef<ModuleOp> others,
                                        const SampleSizes &sizes) {
  SizeTable table;
  SampleComparison comparison(sizes, table);
  for (auto function : largest.getOps<func::FuncOp>()) {
    SmallVector<func::FuncOp> functions = {function};
    for (ModuleOp other : others)
      functions.push_back(other.lookupSymbol<func::FuncOp>(function.getName()));
    if (failed(comparison.compare(functions)))
      return failure();
  }
  return table;
}

} // namespace heddle
