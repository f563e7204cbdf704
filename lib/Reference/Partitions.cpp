// Runs the one program that all devices of a mesh have, on tensors that are cut
// into parts for them.

#include "heddle/Reference/Partitions.h"

#include "Evaluator.h"
#include "ProcessRun.h"

#include "dialects/Sdy/DevicePositions.h"
#include "heddle/Support/PartTypes.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

//===--- Running ----------------------------------------------------------===//

FailureOr<std::vector<DeviceTensors>>
heddle::interpretPartitions(func::FuncOp function,
                            ArrayRef<DeviceTensors> arguments,
                            const InterpreterOptions &options) {
  Evaluator evaluator(options);
  ProcessGrid grid(1, arguments.size());
  std::vector<Process> processes(arguments.size());
  for (auto [process, tensors] : llvm::zip_equal(processes, arguments)) {
    process.function = function;
    process.arguments.assign(tensors.begin(), tensors.end());
  }
  if (failed(runProcesses(evaluator, grid, processes)))
    return failure();
  std::vector<DeviceTensors> results;
  for (Process &process : processes) {
    DeviceTensors &tensors = results.emplace_back();
    for (InterpreterValue &value : process.results) {
      if (!value.tensor)
        return heddle::emitError(function.getLoc(), ErrorCode::NotInterpretable)
               << "function '" << function.getName()
               << "' returns what is no tensor";
      tensors.push_back(std::move(value.tensor));
    }
  }
  return results;
}

//===--- Parts ------------------------------------------------------------===//

/// Where a device's part of a tensor begins, and how much of it there is.
namespace {
struct Box {
  Extents shape, begin, inside;
};
} // namespace

static Box boxOf(RankedTensorType whole, sdy::TensorShardingAttr sharding,
                 sdy::MeshAttr mesh, int64_t position) {
  Box box;
  for (auto [size, dim] :
       llvm::zip_equal(whole.getShape(), sharding.getDimShardings())) {
    int64_t part = sdy::partSize(size, dim.getAxes(), mesh);
    int64_t begin = part * sdy::partAt(dim.getAxes(), mesh, position);
    box.shape.push_back(part);
    box.begin.push_back(std::min(begin, size));
    box.inside.push_back(std::clamp<int64_t>(size - begin, 0, part));
  }
  return box;
}

/// Makes all elements such that it shows where one of them is used.
static void spoil(HostTensor &tensor) {
  llvm::MutableArrayRef<char> bytes = tensor.mutableBytes();
  if (elementClass(tensor.kind()) == ElementClass::Float) {
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.set(i, std::nan(""));
    return;
  }
  // A truth is one byte of 0 or 1, and elements below a byte take one each.
  if (tensor.type().getElementType().isIntOrFloat() &&
      tensor.type().getElementType().getIntOrFloatBitWidth() < 8)
    std::memset(bytes.data(), 1, bytes.size());
  else
    std::memset(bytes.data(), 0xff, bytes.size());
}

/// The place of a box's first element in the whole tensor.
static int64_t beginOf(const Box &box, ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (auto [begin, stride] : llvm::zip_equal(box.begin, strides))
    offset += begin * stride;
  return offset;
}

HostTensor heddle::partOf(const HostTensor &whole,
                          sdy::TensorShardingAttr sharding, sdy::MeshAttr mesh,
                          int64_t position) {
  if (!sharding)
    return whole;
  Box box = boxOf(whole.type(), sharding, mesh, position);
  HostTensor part = HostTensor::allocate(
      RankedTensorType::get(box.shape, whole.type().getElementType()));
  if (box.inside != box.shape)
    spoil(part);
  Extents strides = rowMajorStrides(whole.shape());
  if (!llvm::is_contained(box.inside, 0))
    copyBox(whole.elementBytes(), box.inside, whole.bytes().data(),
            beginOf(box, strides), strides, part.mutableBytes().data(), 0,
            rowMajorStrides(box.shape));
  return part;
}

/// What of a device's part is of the tensor; what lies beyond counts nowhere.
static HostTensor insideOf(const HostTensor &part, const Box &box) {
  HostTensor inside = HostTensor::allocate(
      RankedTensorType::get(box.inside, part.type().getElementType()));
  copyBox(part.elementBytes(), box.inside, part.bytes().data(), 0,
          rowMajorStrides(part.shape()), inside.mutableBytes().data(), 0,
          rowMajorStrides(box.inside));
  return inside;
}

std::optional<HostTensor> heddle::joinParts(ArrayRef<HostTensor> parts,
                                            RankedTensorType whole,
                                            sdy::TensorShardingAttr sharding,
                                            sdy::MeshAttr mesh) {
  if (!sharding) {
    bool areEqual = llvm::all_of(parts, [&](const HostTensor &part) {
      return part.bytes() == parts.front().bytes();
    });
    return areEqual ? std::optional(parts.front()) : std::nullopt;
  }
  HostTensor joined =
      HostTensor::allocate(whole.clone(parts.front().type().getElementType()));
  Extents strides = rowMajorStrides(joined.shape());
  for (auto [position, part] : llvm::enumerate(parts)) {
    Box box = boxOf(whole, sharding, mesh, position);
    if (!llvm::is_contained(box.inside, 0))
      copyBox(part.elementBytes(), box.inside, part.bytes().data(), 0,
              rowMajorStrides(part.shape()), joined.mutableBytes().data(),
              beginOf(box, strides), strides);
  }
  // The last device that has a part has given it: all others must agree.
  for (auto [position, part] : llvm::enumerate(parts)) {
    Box box = boxOf(whole, sharding, mesh, position);
    if (llvm::is_contained(box.inside, 0))
      continue;
    HostTensor expected = partOf(joined, sharding, mesh, position);
    if (insideOf(expected, box).bytes() != insideOf(part, box).bytes())
      return std::nullopt;
  }
  return joined;
}

//===--- Partitioned functions --------------------------------------------===//

/// The mesh over which arguments and results of a function lie. Where these say
/// nothing, they are whole on all devices that the program is made for.
static sdy::MeshAttr meshOf(func::FuncOp function) {
  sdy::MeshAttr mesh;
  function->getAttrDictionary().walk([&](sdy::TensorShardingAttr sharding) {
    sdy::MeshAttr found = sharding.meshOf(function.getOperation());
    if (found && !found.getAxes().empty())
      mesh = found;
  });
  if (mesh)
    return mesh;
  MLIRContext *context = function.getContext();
  auto count = function->getParentOp()->getAttrOfType<IntegerAttr>(
      "mhlo.num_partitions");
  auto axis = sdy::MeshAxisAttr::get(context, StringAttr::get(context, "all"),
                                     count ? count.getInt() : 1);
  return sdy::MeshAttr::get(context, axis, {});
}

FailureOr<DeviceTensors>
heddle::interpretPartitioned(func::FuncOp function,
                             ArrayRef<HostTensor> arguments,
                             const InterpreterOptions &options) {
  auto fail = [&] {
    return heddle::emitError(function.getLoc(), ErrorCode::WrongTensor)
           << "function '" << function.getName() << "' ";
  };
  if (arguments.size() != function.getNumArguments())
    return fail() << "takes " << function.getNumArguments() << " arguments, "
                  << arguments.size() << " were given";
  sdy::MeshAttr mesh = meshOf(function);
  std::vector<DeviceTensors> parts(mesh.deviceCount());
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    auto sharding = function.getArgAttrOfType<sdy::TensorShardingAttr>(
        i, sdy::kShardingAttr);
    auto whole = function.getArgAttrOfType<TypeAttr>(i, kWholeTypeAttrName);
    Type type = whole ? whole.getValue() : function.getArgumentTypes()[i];
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getShape() != argument.shape())
      return fail() << "takes a tensor of type " << type << " as argument " << i
                    << ", one of type " << argument.type() << " was given";
    for (int64_t position = 0; position < mesh.deviceCount(); ++position)
      parts[sdy::deviceAt(mesh, position)].push_back(
          partOf(argument, sharding, mesh, position));
  }
  FailureOr<std::vector<DeviceTensors>> results =
      interpretPartitions(function, parts, options);
  if (failed(results))
    return failure();
  DeviceTensors joined;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto sharding = function.getResultAttrOfType<sdy::TensorShardingAttr>(
        i, sdy::kShardingAttr);
    auto whole = function.getResultAttrOfType<TypeAttr>(i, kWholeTypeAttrName);
    DeviceTensors own;
    for (int64_t position = 0; position < mesh.deviceCount(); ++position)
      own.push_back((*results)[sdy::deviceAt(mesh, position)][i]);
    auto type =
        whole ? cast<RankedTensorType>(whole.getValue()) : own.front().type();
    std::optional<HostTensor> tensor = joinParts(own, type, sharding, mesh);
    if (!tensor)
      return heddle::emitError(function.getLoc(), ErrorCode::ProgramFault)
             << "function '" << function.getName() << "': devices that have "
             << "the same part of result " << i << " differ in it";
    joined.push_back(*tensor);
  }
  return joined;
}
