// Reads --mesh, and partitions a program over it.

#include "Meshes.h"

#include "dialects/Sdy/Sdy.h"
#include "heddle/Pipeline/PartitionPipeline.h"
#include "passes/Sharding/OlderShardings.h"
#include "runtime/format/Limits.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

/// The axes of `data=4,model=2`; null if it is no such text.
static sdy::MeshAttr parseAxes(MLIRContext *context, StringRef text) {
  SmallVector<sdy::MeshAxisAttr> axes;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  int64_t devices = 1;
  for (StringRef part : parts) {
    auto [name, number] = part.split('=');
    auto attribute = StringAttr::get(context, name);
    int64_t size = 0;
    bool isKnown = llvm::any_of(axes, [&](sdy::MeshAxisAttr axis) {
      return axis.getName() == attribute;
    });
    if (name.empty() || isKnown || number.getAsInteger(10, size) || size < 1 ||
        size > int64_t(format::maximumRanks))
      return {};
    devices *= size;
    if (devices > int64_t(format::maximumRanks))
      return {};
    axes.push_back(sdy::MeshAxisAttr::get(context, attribute, size));
  }
  return sdy::MeshAttr::get(context, axes, {});
}

/// `@mesh ("data"=4, "model"=2)`.
static std::string describe(sdy::MeshOp op) {
  auto axes =
      llvm::map_to_vector(op.getMesh().getAxes(), [](sdy::MeshAxisAttr axis) {
        return "\"" + axis.getName().str() +
               "\"=" + std::to_string(axis.getSize());
      });
  return "@" + op.getSymName().str() + " (" + llvm::join(axes, ", ") + ")";
}

/// The mesh with the sizes that are asked for; null if its axes are others.
static sdy::MeshAttr resized(sdy::MeshAttr mesh, sdy::MeshAttr wanted) {
  if (mesh.getAxes().size() != wanted.getAxes().size())
    return {};
  SmallVector<sdy::MeshAxisAttr> sized;
  bool isChanged = false;
  for (sdy::MeshAxisAttr axis : mesh.getAxes()) {
    std::optional<int64_t> asked = wanted.sizeOf(axis.getName());
    if (!asked)
      return {};
    isChanged |= *asked != axis.getSize();
    sized.push_back(
        sdy::MeshAxisAttr::get(mesh.getContext(), axis.getName(), *asked));
  }
  if (!isChanged)
    return mesh;
  // The order of other devices says nothing of these.
  return sdy::MeshAttr::get(mesh.getContext(), sized, {});
}

/// Gives the program's meshes the sizes. An error names the meshes there are.
static bool applyAxes(Session &session, ModuleOp module, StringRef text,
                      sdy::MeshAttr wanted) {
  std::string known;
  bool isFound = false;
  for (auto op : module.getOps<sdy::MeshOp>()) {
    if (op.getMesh().getAxes().empty())
      continue;
    known += (known.empty() ? "" : ", ") + describe(op);
    sdy::MeshAttr mesh = resized(op.getMesh(), wanted);
    if (!mesh)
      continue;
    op.setMeshAttr(mesh);
    isFound = true;
  }
  if (!isFound)
    session.diagnostics.report(
        ErrorCode::BadCommandLine,
        "--mesh " + text + ": " +
            (known.empty()
                 ? "the program has no mesh"
                 : "the program has no mesh of these axes, but " + known));
  return isFound;
}

/// Older words number devices; their axes are those that the user names.
static void addMeshForOlderShardings(ModuleOp module, sdy::MeshAttr mesh) {
  bool hasMesh = llvm::any_of(module.getOps<sdy::MeshOp>(), [](sdy::MeshOp op) {
    return !op.getMesh().getAxes().empty();
  });
  if (hasMesh || !hasOlderShardings(module))
    return;
  SymbolTable symbols(module);
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  symbols.insert(sdy::MeshOp::create(top, module.getLoc(), "mesh", mesh));
}

sdy::MeshAttr heddle::readMesh(Session &session, StringRef text) {
  MLIRContext *context = &session.context();
  context->loadDialect<sdy::SdyDialect>();
  sdy::MeshAttr mesh = parseAxes(context, text);
  if (!mesh)
    session.diagnostics.report(ErrorCode::BadCommandLine,
                               "\"" + text +
                                   "\" is no mesh: write "
                                   "--mesh data=4,model=2");
  return mesh;
}

bool heddle::partition(ModuleOp module) {
  if (failed(verify(module)))
    return false;
  PassManager manager(module.getContext());
  buildRanksPipeline(manager);
  return succeeded(manager.run(module));
}

bool heddle::partitionOver(Session &session, ModuleOp module, StringRef text) {
  sdy::MeshAttr wanted = readMesh(session, text);
  session.diagnostics.setDefaultCode(ErrorCode::StableHloOperator);
  if (!wanted)
    return false;
  addMeshForOlderShardings(module, wanted);
  return applyAxes(session, module, text, wanted) && partition(module);
}
