// Collectives, channels, feeds and what is asynchronous: verifiers and
// inference.

#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/ReplicaGroups.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "dialects/StableHlo/Verification.h"

#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloDistributionOps.cpp.inc"

#include <set>

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::registerDistributionOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHlo/StableHloDistributionOps.cpp.inc"
      >();
}

namespace {
/// What an operation asks of its replica groups besides distinct numbers.
enum class Groups {
  /// Some processes, in groups that may be filled up with -1.
  OfSome,
  /// Every process, in such groups.
  OfAll,
  /// Every process, in groups of one size.
  OfAllAlike,
};
} // namespace

/// What is wrong with replica groups, a matrix of distinct numbers; empty if
/// nothing. How many processes there are only the one who runs them knows: if
/// all are in the groups, their numbers are below what the groups hold.
static std::string complaintAboutGroups(Attribute groups, Groups kind) {
  auto matrix = dyn_cast_or_null<DenseIntElementsAttr>(groups);
  if (!matrix)
    return {}; // axes of a mesh: resolved when partitioning
  std::string text;
  llvm::raw_string_ostream os(text);
  if (matrix.getType().getRank() != 2) {
    os << "replica_groups must be a matrix, found '" << matrix.getType() << "'";
    return text;
  }
  std::set<int64_t> seen;
  for (const APInt &value : matrix.getValues<APInt>()) {
    int64_t id = value.getSExtValue();
    if (id == -1 && kind != Groups::OfAllAlike)
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
  int64_t count = seen.size();
  if (kind != Groups::OfSome)
    for (int64_t id : seen)
      if (id >= count) {
        os << "replica_groups holds " << id << ", its " << count
           << " processes must be 0 to " << count - 1;
        return text;
      }
  return {};
}

static LogicalResult verifyGroups(std::optional<Location> location,
                                  Attribute groups, Groups kind) {
  std::string complaint = complaintAboutGroups(groups, kind);
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
  std::set<int64_t> sources, targets;
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

/// `types` without those of roots that are computed, one for each operand
/// before the last.
static FailureOr<TypeRange> withoutRoots(std::optional<Location> location,
                                         TypeRange types, bool hasRoots) {
  if (types.empty())
    return emitOptionalError(location, "works on nothing");
  if (!hasRoots)
    return types;
  auto roots = cast<RankedTensorType>(types.back());
  types = types.drop_back();
  if (types.empty() || roots.getRank() != 1 ||
      !sizesAgree(roots.getDimSize(0), types.size()) ||
      !roots.getElementType().isSignlessInteger(32))
    return emitOptionalError(location, "has ", types.size(),
                             " operands with roots that are computed; their "
                             "roots must be a vector of as many i32, found ",
                             roots);
  return types;
}

LogicalResult CollectiveReduceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  // C1.
  if (failed(
          verifyGroups(location, adaptor.getReplicaGroups(), Groups::OfSome)))
    return failure();
  // C3.
  FailureOr<TypeRange> types = withoutRoots(
      location, adaptor.getOperands().getTypes(), adaptor.getHasDynamicRoot());
  if (failed(types))
    return failure();
  // One reducer combines every operand.
  for (Type type : *types)
    if (failed(
            inferReduced(location, type, adaptor.getComputation(), inferred)))
      return failure();
  return success();
}

LogicalResult CollectiveBroadcastOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  // C1.
  if (failed(
          verifyGroups(location, adaptor.getReplicaGroups(), Groups::OfSome)))
    return failure();
  // C3, C4.
  FailureOr<TypeRange> types = withoutRoots(
      location, adaptor.getOperand().getTypes(), adaptor.getHasDynamicRoot());
  if (failed(types))
    return failure();
  // C5.
  llvm::append_range(inferred, *types);
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
  // C5, C7.
  if (failed(verifyGroups(location, adaptor.getReplicaGroups(),
                          Groups::OfAllAlike)))
    return failure();
  // C8.
  if (auto groups =
          dyn_cast_or_null<DenseIntElementsAttr>(adaptor.getReplicaGroups());
      groups && groups.getType().getDimSize(1) != count)
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

/// That tensors come first and one token last.
static LogicalResult verifyReceived(Operation *op) {
  TypeRange types = op->getResultTypes();
  if (types.empty() || !isa<TokenType>(types.back()))
    return op->emitOpError("must end its results with a token");
  for (auto [i, type] : llvm::enumerate(types.drop_back()))
    if (!isa<RankedTensorType>(type))
      return op->emitOpError() << "result #" << i << " is " << type
                               << ", a tensor is wanted before the last one";
  return success();
}

LogicalResult InfeedOp::verify() {
  // C1 to C3.
  if (failed(verifyReceived(*this)))
    return failure();
  if (!getLayout())
    return success();
  if (getLayout()->size() != getNumResults() - 1)
    return emitOpError() << "has " << getLayout()->size() << " layouts for "
                         << getNumResults() - 1 << " tensors";
  for (auto [layout, type] :
       llvm::zip_equal(*getLayout(), TypeRange(getResultTypes()).drop_back())) {
    SmallVector<int64_t> dims;
    auto order = dyn_cast<ArrayAttr>(layout);
    if (order)
      for (Attribute dim : order)
        if (auto number = dyn_cast<IntegerAttr>(dim))
          dims.push_back(number.getInt());
    llvm::sort(dims);
    int64_t rank = cast<RankedTensorType>(type).getRank();
    if (!order || dims.size() != order.size() ||
        !llvm::equal(dims, llvm::seq<int64_t>(0, rank)))
      return emitOpError() << "has the layout " << layout
                           << ", which does not order the dimensions of "
                           << type;
  }
  return success();
}

/// The types of channels, numbered as in channel_handle.
static StringRef channelTypeName(int64_t type) {
  static const StringRef names[] = {"UNKNOWN", "DEVICE_TO_DEVICE",
                                    "DEVICE_TO_HOST", "HOST_TO_DEVICE"};
  return type >= 0 && type < 4 ? names[type] : "none";
}

/// What send and recv have in common; `hostType` is the channel's type for
/// transfers with the host. That numbers are below that of processes (C4) only
/// the one who runs them can say.
template <typename OpTy>
static LogicalResult verifyTransfer(OpTy op, int64_t hostType) {
  constexpr int64_t deviceToDevice = 1;
  // C1 to C4.
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

LogicalResult SendOp::verify() {
  constexpr int64_t deviceToHost = 2;
  return verifyTransfer(*this, deviceToHost);
}

LogicalResult RecvOp::verify() {
  if (failed(verifyReceived(*this)))
    return failure();
  // The specification's C5 says DEVICE_TO_HOST here as for send; producers
  // write the direction that the values take.
  constexpr int64_t hostToDevice = 3;
  return verifyTransfer(*this, hostToDevice);
}

static LogicalResult verifyReplicaGroups(Operation *op, Attribute groups,
                                         Groups kind) {
  std::string complaint = complaintAboutGroups(groups, kind);
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
  // C2, C4, C5.
  if (failed(
          verifyReplicaGroups(*this, getReplicaGroups(), Groups::OfAllAlike)) ||
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
    if (from.getElementType() != to.getElementType())
      return emitOpError() << "result " << to
                           << " has other elements than the operand " << from;
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
  // C1, C3, C4.
  if (failed(verifyReplicaGroups(*this, getReplicaGroups(), Groups::OfAll)) ||
      failed(verifyGlobalIds(*this)))
    return failure();
  // C5: one reducer for all operands.
  for (Type type : getOperands().getTypes())
    if (failed(verifyReducer(*this, getComputation(), type)))
      return failure();
  return success();
}

LogicalResult CollectiveReduceOp::verify() {
  if (failed(verifyGlobalIds(*this)))
    return failure();
  // C4: one reducer for all operands.
  for (Type type : TypeRange(getOperandTypes()).take_front(getNumResults()))
    if (failed(verifyReducer(*this, getComputation(), type)))
      return failure();
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  // C3, C5, C6.
  if (failed(
          verifyReplicaGroups(*this, getReplicaGroups(), Groups::OfAllAlike)) ||
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
  if (failed(verifyReducer(*this, getComputation(), from)))
    return failure();
  // C9.
  Type combined =
      getElementTypeOrSelf(getComputation().front().getArgument(0).getType());
  if (to.getElementType() != combined)
    return emitOpError() << "result " << to << " of elements that combine to "
                         << combined;
  return success();
}

//===----------------------------------------------------------------------===//
// Asynchronous operations
//===----------------------------------------------------------------------===//

LogicalResult AsyncStartOp::verify() {
  Block &body = getBody().front();
  // C1.
  auto end = body.empty() ? ReturnOp() : dyn_cast<ReturnOp>(body.back());
  if (!end || body.getOperations().size() != 2)
    return emitOpError()
           << "body holds " << body.getOperations().size()
           << " operations; one and a return of its results are wanted";
  Operation &inner = body.front();
  // C2.
  if (!isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp,
           CollectivePermuteOp, DynamicSliceOp, DynamicUpdateSliceOp,
           ReduceScatterOp, SliceOp>(inner))
    return emitOpError() << "begins '" << inner.getName()
                         << "'; only collectives and slices run beside the "
                            "program";
  // C3: by way of the body's arguments, or as they are.
  if (body.getNumArguments() != 0 &&
      !areCompatibleTypes(TypeRange(body.getArgumentTypes()),
                          TypeRange(getInputs().getTypes())))
    return emitOpError("body takes arguments of other types than the "
                       "operands have");
  bool passes = body.getNumArguments() == 0
                    ? llvm::equal(inner.getOperands(), getInputs())
                    : llvm::equal(inner.getOperands(), body.getArguments());
  if (!passes)
    return emitOpError() << "does not pass its operands to '" << inner.getName()
                         << "' as they are";
  // C4.
  if (!llvm::equal(end.getOperands(), inner.getResults()) ||
      !areCompatibleTypes(TypeRange(getType().getTypes()),
                          inner.getResultTypes()))
    return emitOpError() << "gives " << getType() << " of results "
                         << inner.getResultTypes();
  return success();
}

LogicalResult AsyncDoneOp::verify() {
  // C1.
  TypeRange types(getFuture().getType().getTypes());
  if (!areCompatibleTypes(types, getResultTypes()))
    return emitOpError() << "has results " << getResultTypes() << " of "
                         << getFuture().getType();
  return success();
}

} // namespace heddle::stablehlo
