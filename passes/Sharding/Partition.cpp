// From a program on whole tensors to the one program of all devices.

#include "passes/Sharding/Partitioner.h"
#include "passes/Sharding/Passes.h"

#include "dialects/Sdy/DevicePositions.h"
#include "heddle/Support/PartTypes.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_PARTITION
#include "passes/Sharding/Passes.h.inc"

/// The place of each device on the mesh; null where it is its own number.
static DenseI64ArrayAttr placesOf(sdy::MeshAttr mesh) {
  if (mesh.getDeviceIds().empty())
    return {};
  SmallVector<int64_t> places(mesh.deviceCount());
  for (int64_t position = 0; position < mesh.deviceCount(); ++position)
    places[sdy::deviceAt(mesh, position)] = position;
  return DenseI64ArrayAttr::get(mesh.getContext(), places);
}

/// [["data", 4], ["model", 2]]
static ArrayAttr axesOf(sdy::MeshAttr mesh) {
  Builder builder(mesh.getContext());
  auto axes = llvm::map_to_vector(
      mesh.getAxes(), [&](sdy::MeshAxisAttr axis) -> Attribute {
        return builder.getArrayAttr(
            {axis.getName(), builder.getI64IntegerAttr(axis.getSize())});
      });
  return builder.getArrayAttr(axes);
}

/// Says over which devices the module's program runs. Its signature need not:
/// it may be that only constants are cut.
static void recordMesh(ModuleOp module, sdy::MeshAttr mesh) {
  module->setAttr(
      "mhlo.num_partitions",
      Builder(module.getContext()).getI32IntegerAttr(mesh.deviceCount()));
  module->setAttr(kMeshAttrName, axesOf(mesh));
  if (DenseI64ArrayAttr places = placesOf(mesh))
    module->setAttr(kPlacesAttrName, places);
}

namespace {

struct Partition : impl::PartitionBase<Partition> {
  using PartitionBase::PartitionBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<sdy::MeshAttr> mesh = findMesh();
    if (failed(mesh))
      return signalPassFailure();
    if (!*mesh)
      return;
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(checkTypes(function, *mesh)))
        return signalPassFailure();
    OwningOpRef<ModuleOp> wholes(cast<ModuleOp>(module->clone()));
    Partitioner partitioner(*wholes, *mesh);
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && failed(partitioner.partition(function)))
        return signalPassFailure();
    recordMesh(module, *mesh);
  }

private:
  /// The mesh that shardings of the program are over; null where there is none.
  FailureOr<sdy::MeshAttr> findMesh() {
    sdy::MeshAttr found;
    Operation *first = nullptr;
    WalkResult walked = getOperation().walk<WalkOrder::PreOrder>([&](Operation
                                                                         *op) {
      WalkResult result = WalkResult::advance();
      auto take = [&](sdy::TensorShardingAttr sharding) {
        sdy::MeshAttr mesh = sharding.meshOf(op);
        if (!mesh || (mesh.getAxes().empty() && !mesh.isSingleDevice()))
          return;
        if (mesh.isSingleDevice()) {
          op->emitError("lies on one device of several; such values are not "
                        "partitioned yet");
          result = WalkResult::interrupt();
        } else if (!sharding.getUnreducedAxes().empty()) {
          op->emitError("has terms that are not joined; unreduced tensors are "
                        "not partitioned yet");
          result = WalkResult::interrupt();
        } else if (found && mesh != found) {
          auto diagnostic = op->emitError(
              "lies over another mesh; a program over several meshes is not "
              "partitioned yet");
          diagnostic.attachNote(first->getLoc())
              << "the first mesh is used here";
          result = WalkResult::interrupt();
        } else if (!found) {
          found = mesh;
          first = op;
        }
      };
      op->getAttrDictionary().walk([&](sdy::TensorShardingAttr sharding) {
        if (!result.wasInterrupted())
          take(sharding);
      });
      return result;
    });
    if (walked.wasInterrupted())
      return failure();
    return found;
  }

  /// Sizes must be known, and what callers give in parts of unequal size must
  /// have padding.
  LogicalResult checkTypes(func::FuncOp function, sdy::MeshAttr mesh) {
    auto checkParts = [&](Type type, Attribute attribute) -> LogicalResult {
      auto sharding = dyn_cast_or_null<sdy::TensorShardingAttr>(attribute);
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!sharding || !tensor || canPad(tensor.getElementType()))
        return success();
      Layout layout = layoutOf(sharding, tensor.getRank(), mesh);
      for (auto [size, axes] : llvm::zip_equal(tensor.getShape(), layout.dims))
        if (size % sdy::partCount(axes, mesh) != 0)
          return function.emitError("takes or gives parts of unequal size of ")
                 << type << ", whose elements have no padding";
      return success();
    };
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (failed(checkParts(function.getArgumentTypes()[i],
                            function.getArgAttr(i, sdy::kShardingAttr))))
        return failure();
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (failed(checkParts(function.getResultTypes()[i],
                            function.getResultAttr(i, sdy::kShardingAttr))))
        return failure();
    WalkResult walked = function.walk([&](Operation *op) {
      auto isKnown = [](Type type) {
        auto shaped = dyn_cast<ShapedType>(type);
        return !shaped || shaped.hasStaticShape();
      };
      bool areKnown = llvm::all_of(op->getResultTypes(), isKnown);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          areKnown &= llvm::all_of(block.getArgumentTypes(), isKnown);
      if (areKnown)
        return WalkResult::advance();
      op->emitError("has a size that is not known before a call; programs with "
                    "such sizes are not partitioned yet");
      return WalkResult::interrupt();
    });
    return failure(walked.wasInterrupted());
  }
};

} // namespace
} // namespace heddle
