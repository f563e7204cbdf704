#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/ReplicaGroups.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "dialects/StableHlo/Verification.h"

#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloDistributionOps.cpp.inc"

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::registerDistributionOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHlo/StableHloDistributionOps.cpp.inc"
      >();
}

/// What is wrong with replica groups, a matrix of distinct numbers, filled up
/// with -1; empty if nothing.
static std::string complaintAboutGroups(Attribute groups) {
  auto matrix = dyn_cast_or_null<DenseIntElementsAttr>(groups);
  if (!matrix)
    return {}; // axes of a mesh: resolved when partitioning
  std::string text;
  llvm::raw_string_ostream os(text);
  if (matrix.getType().getRank() != 2) {
    os << "replica_groups must be a matrix, found '" << matrix.getType() << "'";
    return text;
  }
  llvm::SmallDenseSet<int64_t> seen;
  for (const APInt &value : matrix.getValues<APInt>()) {
    int64_t id = value.getSExtValue();
    if (id == -1)
      continue;
    os << "replica_groups holds " << id;
    if (id < 0)
      os << ", which is no process";
    else if (!seen.insert(id).second)
      os << " twice";
    else {
      text.clear();
      continue;
    }
    return text;
  }
  return {};
}

static LogicalResult verifyGroups(std::optional<Location> location,
                                  Attribute groups) {
  std::string complaint = complaintAboutGroups(groups);
  return complaint.empty() ? success() : emitOptionalError(location, complaint);
}

/// That each process is a source at most once, and a target at most once.
static LogicalResult verifyPairs(std::optional<Location> location,
                                 DenseIntElementsAttr pairs) {
  auto type = pairs.getType();
  if (type.getRank() != 2 || type.getDimSize(1) != 2)
    return emitOptionalError(
        location, "source_target_pairs must be a matrix of pairs, found ",
        type);
  llvm::SmallDenseSet<int64_t> sources, targets;
  for (auto [i, value] : llvm::enumerate(pairs.getValues<APInt>())) {
    int64_t id = value.getSExtValue();
    bool isSource = i % 2 == 0;
    if (id < 0)
      return emitOptionalError(location, "source_target_pairs holds ", id,
                               ", which is no process");
    if (!(isSource ? sources : targets).insert(id).second)
      return emitOptionalError(location, "source_target_pairs has the ",
                               isSource ? "source " : "target ", id, " twice");
  }
  return success();
}

LogicalResult AllReduceOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  // One reducer combines every operand.
  for (Type type : adaptor.getOperands().getTypes())
    if (failed(
            inferReduced(location, type, adaptor.getComputation(), inferred)))
      return failure();
  return success();
}

LogicalResult CollectiveReduceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  // C1.
  if (failed(verifyGroups(location, adaptor.getReplicaGroups())))
    return failure();
  // One reducer combines every operand.
  for (Type type : adaptor.getOperands().getTypes())
    if (failed(
            inferReduced(location, type, adaptor.getComputation(), inferred)))
      return failure();
  return success();
}

LogicalResult CollectiveBroadcastOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  // C1.
  if (failed(verifyGroups(location, adaptor.getReplicaGroups())))
    return failure();
  TypeRange types = adaptor.getOperand().getTypes();
  // C3.
  if (types.empty())
    return emitOptionalError(location, "broadcasts nothing");
  // C4: one root for each operand before the last.
  if (adaptor.getHasDynamicRoot()) {
    auto roots = cast<RankedTensorType>(types.back());
    types = types.drop_back();
    if (types.empty() || roots.getRank() != 1 ||
        !sizesAgree(roots.getDimSize(0), types.size()) ||
        !roots.getElementType().isSignlessInteger(32))
      return emitOptionalError(location, "has ", types.size(),
                               " operands with roots that are computed; their "
                               "roots must be a vector of as many i32, found ",
                               roots);
  }
  // C5.
  llvm::append_range(inferred, types);
  return success();
}

LogicalResult CollectivePermuteOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  // C1 to C4.
  if (failed(verifyPairs(location, adaptor.getSourceTargetPairs())))
    return failure();
  inferred.push_back(adaptor.getOperand().getType());
  return success();
}

LogicalResult AllToAllOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  int64_t split = adaptor.getSplitDimension();
  int64_t concat = adaptor.getConcatDimension();
  int64_t count = adaptor.getSplitCount();
  // C5.
  if (failed(verifyGroups(location, adaptor.getReplicaGroups())))
    return failure();
  // C8.
  if (auto groups =
          dyn_cast_or_null<DenseIntElementsAttr>(adaptor.getReplicaGroups());
      groups && !groups.empty() && groups.getType().getDimSize(1) != count)
    return emitOptionalError(location, "split_count ", count,
                             " for replica_groups of ",
                             groups.getType().getDimSize(1), " processes");
  for (Value operand : adaptor.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    // C1, C3.
    if (split >= type.getRank() || concat >= type.getRank())
      return emitOptionalError(location, "split_dimension ", split,
                               " or concat_dimension ", concat,
                               " is not a dimension of ", type);
    SmallVector<int64_t> shape(type.getShape());
    // C2.
    if (ShapedType::isStatic(shape[split])) {
      if (shape[split] % count != 0)
        return emitOptionalError(location, "split_count ", count,
                                 " does not divide dimension ", split, " of ",
                                 type);
      shape[split] /= count;
    }
    // C9.
    if (ShapedType::isStatic(shape[concat]))
      shape[concat] *= count;
    inferred.push_back(tensorType(shape, type.getElementType()));
  }
  return success();
}

LogicalResult ReplicaIdOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  inferred.push_back(RankedTensorType::get(
      {}, IntegerType::get(context, 32, IntegerType::Unsigned)));
  return success();
}

LogicalResult PartitionIdOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &inferred) {
  inferred.push_back(RankedTensorType::get(
      {}, IntegerType::get(context, 32, IntegerType::Unsigned)));
  return success();
}

LogicalResult InfeedOp::verify() {
  // C1 to C3.
  if (getNumResults() == 0 || !isa<TokenType>(getResults().back().getType()))
    return emitOpError("must end its results with a token");
  if (getLayout() && getLayout()->size() != getNumResults() - 1)
    return emitOpError() << "has " << getLayout()->size() << " layouts for "
                         << getNumResults() - 1 << " tensors";
  return success();
}

/// The types of channels, numbered as in channel_handle.
static StringRef channelTypeName(int64_t type) {
  static const StringRef names[] = {"UNKNOWN", "DEVICE_TO_DEVICE",
                                    "DEVICE_TO_HOST", "HOST_TO_DEVICE"};
  return type >= 0 && type < 4 ? names[type] : "none";
}

/// What send and recv have in common; `hostType` is the channel's type for
/// transfers with the host.
template <typename OpTy>
static LogicalResult verifyTransfer(OpTy op, int64_t hostType) {
  constexpr int64_t deviceToDevice = 1;
  // C1 to C3.
  if (auto pairs = op.getSourceTargetPairsAttr())
    if (failed(verifyPairs(op.getLoc(), pairs)))
      return failure();
  // C5.
  int64_t type = op.getChannelHandle().getType();
  int64_t wanted = op.getIsHostTransfer() ? hostType : deviceToDevice;
  if (type != wanted)
    return op.emitOpError()
           << "has channel type " << type << " (" << channelTypeName(type)
           << "), a transfer with "
           << (op.getIsHostTransfer() ? "the host" : "another device")
           << " wants " << wanted << " (" << channelTypeName(wanted) << ")";
  return success();
}

LogicalResult RecvOp::verify() {
  if (getNumResults() == 0 || !isa<TokenType>(getResults().back().getType()))
    return emitOpError("must end its results with a token");
  // The specification's C5 says DEVICE_TO_HOST here as for send; producers
  // write the direction that the values take.
  constexpr int64_t hostToDevice = 3;
  return verifyTransfer(*this, hostToDevice);
}

static LogicalResult verifyReplicaGroups(Operation *op, Attribute groups) {
  std::string complaint = complaintAboutGroups(groups);
  return complaint.empty() ? success() : op->emitOpError(complaint);
}

/// That ids that count all processes have a channel, as the specification
/// wants for use_global_device_ids.
template <typename OpTy> static LogicalResult verifyGlobalIds(OpTy op) {
  ChannelHandleAttr channel = op.getChannelHandleAttr();
  if (op.getUseGlobalDeviceIds() && (!channel || channel.getHandle() <= 0))
    return op.emitOpError()
           << "has use_global_device_ids, which needs a channel_handle with a "
              "positive handle, found "
           << (channel ? channel.getHandle() : 0);
  return success();
}

/// How many processes each group has; nothing where only the number of
/// partitions tells.
static std::optional<int64_t> sizeOfGroups(Operation *op, Attribute groups) {
  auto matrix = dyn_cast_or_null<DenseIntElementsAttr>(groups);
  if (!matrix || matrix.empty() ||
      processGrouping(op) == ProcessGrouping::CrossReplicaAndPartition ||
      llvm::any_of(matrix.getValues<APInt>(),
                   [](const APInt &id) { return id.isNegative(); }))
    return std::nullopt;
  return matrix.getType().getDimSize(1);
}

/// Whether `whole` is `part` as often as there are processes; several times,
/// where their number is not known.
static bool isMultiple(int64_t whole, int64_t part,
                       std::optional<int64_t> processes) {
  if (ShapedType::isDynamic(whole) || ShapedType::isDynamic(part))
    return true;
  if (processes)
    return whole == part * *processes;
  return part == 0 ? whole == 0 : whole % part == 0;
}

LogicalResult AllGatherOp::verify() {
  // C2, C3, C5.
  if (failed(verifyReplicaGroups(*this, getReplicaGroups())) ||
      failed(verifyGlobalIds(*this)))
    return failure();
  std::optional<int64_t> processes = sizeOfGroups(*this, getReplicaGroups());
  if (getOperands().size() != getNumResults())
    return emitOpError("needs one result per operand");
  int64_t dim = getAllGatherDim();
  for (auto [operand, result] :
       llvm::zip(getOperands().getTypes(), getResultTypes())) {
    auto from = cast<RankedTensorType>(operand);
    auto to = cast<RankedTensorType>(result);
    // C1.
    if (dim >= from.getRank())
      return emitOpError() << "all_gather_dim " << dim
                           << " is not a dimension of " << from;
    // C6.
    if (from.getRank() != to.getRank())
      return emitOpError() << "result " << to
                           << " has another rank than the operand " << from;
    for (int64_t i = 0; i < from.getRank(); ++i) {
      int64_t have = from.getDimSize(i), get = to.getDimSize(i);
      if (i != dim ? sizesAgree(have, get) : isMultiple(get, have, processes))
        continue;
      InFlightDiagnostic error = emitOpError() << "result " << to << " is not ";
      if (processes)
        error << *processes;
      else
        error << "several";
      return error << " operands " << from << " along dimension " << dim;
    }
  }
  return success();
}

LogicalResult AllReduceOp::verify() {
  // C1, C2, C4.
  if (failed(verifyReplicaGroups(*this, getReplicaGroups())) ||
      failed(verifyGlobalIds(*this)))
    return failure();
  // C5: one reducer for all operands.
  for (Type type : getOperands().getTypes())
    if (failed(verifyReducer(*this, getComputation(), type)))
      return failure();
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  // C3, C4, C6.
  if (failed(verifyReplicaGroups(*this, getReplicaGroups())) ||
      failed(verifyGlobalIds(*this)))
    return failure();
  std::optional<int64_t> processes = sizeOfGroups(*this, getReplicaGroups());
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  int64_t dim = getScatterDimension();
  // C2.
  if (dim >= from.getRank())
    return emitOpError() << "scatter_dimension " << dim
                         << " is not a dimension of " << from;
  // C1, C8.
  bool fits = from.getRank() == to.getRank();
  for (int64_t i = 0; fits && i < from.getRank(); ++i) {
    int64_t have = from.getDimSize(i), get = to.getDimSize(i);
    fits = i != dim ? sizesAgree(have, get) : isMultiple(have, get, processes);
  }
  if (!fits) {
    InFlightDiagnostic error = emitOpError() << "result " << to << " is not ";
    if (processes)
      error << "one of " << *processes << " parts";
    else
      error << "a part";
    return error << " of the operand " << from << " along dimension " << dim;
  }
  // C7.
  return verifyReducer(*this, getComputation(), from);
}

} // namespace heddle::stablehlo
