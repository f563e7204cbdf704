// Meshes and shardings by chance.

#include "test/unit/Sharding/RandomShardings.h"

#include "dialects/Sdy/DevicePositions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace heddle::sharding {

sdy::MeshAttr randomMesh(MLIRContext *context, Random &random) {
  static const std::vector<std::vector<int64_t>> shapes = {
      {2}, {3}, {4}, {2, 2}, {2, 3}, {3, 2}, {4, 2}, {8}, {2, 1, 2}, {6}};
  const std::vector<int64_t> &shape = shapes[below(random, shapes.size())];
  SmallVector<sdy::MeshAxisAttr> axes;
  int64_t count = 1;
  for (auto [index, size] : llvm::enumerate(shape)) {
    auto name = StringAttr::get(context, StringRef("xyz").substr(index, 1));
    axes.push_back(sdy::MeshAxisAttr::get(context, name, size));
    count *= size;
  }
  SmallVector<int64_t> devices;
  if (below(random, 4) == 0) {
    devices = llvm::to_vector(llvm::seq<int64_t>(0, count));
    std::shuffle(devices.begin(), devices.end(), random);
    // The usual order is not written down.
    if (llvm::is_sorted(devices))
      devices.clear();
  }
  return sdy::MeshAttr::get(context, axes, devices);
}

/// The axes of a mesh, now and then one in two parts, in any order.
static SmallVector<sdy::AxisRefAttr> piecesOf(sdy::MeshAttr mesh,
                                              Random &random) {
  SmallVector<sdy::AxisRefAttr> pieces;
  for (sdy::MeshAxisAttr axis : mesh.getAxes()) {
    int64_t size = axis.getSize();
    if (size % 2 == 0 && size > 2 && below(random, 2)) {
      pieces.push_back(
          sdy::AxisRefAttr::part(axis.getName(), 1, size / 2, mesh));
      pieces.push_back(
          sdy::AxisRefAttr::part(axis.getName(), size / 2, 2, mesh));
    } else {
      pieces.push_back(sdy::AxisRefAttr::whole(axis.getName()));
    }
  }
  std::shuffle(pieces.begin(), pieces.end(), random);
  return pieces;
}

static sdy::TensorShardingAttr
randomSharding(RankedTensorType type, sdy::MeshAttr mesh, Random &random) {
  MLIRContext *context = mesh.getContext();
  SmallVector<SmallVector<sdy::AxisRefAttr>> dims(type.getRank());
  bool isNumber =
      isa<FloatType, IntegerType, ComplexType>(type.getElementType());
  if (type.getRank() > 0)
    for (sdy::AxisRefAttr axis : piecesOf(mesh, random)) {
      if (below(random, 3) == 0)
        continue;
      int64_t dim = below(random, type.getRank());
      dims[dim].push_back(axis);
      // Parts that follow each other are written as one.
      SmallVector<sdy::AxisRefAttr> &axes = dims[dim];
      if (axes.size() > 1 && axes[axes.size() - 2].canMerge(axis, mesh)) {
        axes.pop_back();
        axes.back() = axes.back().merge(axis, mesh);
      }
      int64_t parts = sdy::partCount(axes, mesh);
      if (!isNumber && type.getDimSize(dim) % parts != 0)
        axes.clear();
    }
  SmallVector<sdy::DimensionShardingAttr> shardings;
  for (ArrayRef<sdy::AxisRefAttr> axes : dims)
    shardings.push_back(sdy::DimensionShardingAttr::closed(context, axes));
  return sdy::TensorShardingAttr::get(context,
                                      FlatSymbolRefAttr::get(context, "mesh"),
                                      shardings, {}, {}, sdy::Reduction::Sum);
}

/// Operations whose results can be said to lie in some way: not those that
/// speak of devices, and not within regions of scalars.
static bool canShard(Operation *op) {
  if (op->getNumResults() == 0 || !isa<func::FuncOp>(op->getParentOp()))
    return false;
  return llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

void shardByChance(ModuleOp module, sdy::MeshAttr mesh, Random &random) {
  OpBuilder builder(module.getBodyRegion());
  sdy::MeshOp::create(builder, module.getLoc(), "mesh", mesh);
  auto function = *module.getOps<func::FuncOp>().begin();
  auto pick = [&](Type type) {
    return randomSharding(cast<RankedTensorType>(type), mesh, random);
  };
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (below(random, 4))
      function.setArgAttr(index, sdy::kShardingAttr, pick(type));
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (below(random, 4))
      function.setResultAttr(index, sdy::kShardingAttr, pick(type));
  function.walk([&](Operation *op) {
    if (!canShard(op) || below(random, 2))
      return;
    auto shardings = llvm::map_to_vector(op->getResultTypes(), pick);
    op->setAttr(sdy::kShardingAttr, sdy::TensorShardingPerValueAttr::get(
                                        op->getContext(), shardings));
  });
}

} // namespace heddle::sharding
