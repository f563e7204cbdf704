// Runs the one program that all devices of a mesh have, on tensors that are cut
// into parts for them.

#ifndef HEDDLE_REFERENCE_PARTITIONS_H
#define HEDDLE_REFERENCE_PARTITIONS_H

#include "dialects/Sdy/Sdy.h"
#include "heddle/Reference/Interpreter.h"

namespace heddle {

/// What one device takes or gives.
using DeviceTensors = llvm::SmallVector<HostTensor>;

/// Runs a function on as many devices as there are lists of arguments: each is
/// a partition, with a thread of its own. Results are those of each device.
llvm::FailureOr<std::vector<DeviceTensors>>
interpretPartitions(mlir::func::FuncOp function,
                    llvm::ArrayRef<DeviceTensors> arguments,
                    const InterpreterOptions &options = {});

/// The part of a tensor that the device at a position of the mesh has. Where
/// parts are rounded up, elements beyond the tensor are such as show when they
/// are used: NaN, or all bits set. A null sharding gives all of it.
HostTensor partOf(const HostTensor &whole, sdy::TensorShardingAttr sharding,
                  sdy::MeshAttr mesh, int64_t position);

/// The tensor of type `whole` whose parts, one for each position of the mesh,
/// are given; nothing where devices that have the same part differ in it.
std::optional<HostTensor> joinParts(llvm::ArrayRef<HostTensor> parts,
                                    mlir::RankedTensorType whole,
                                    sdy::TensorShardingAttr sharding,
                                    sdy::MeshAttr mesh);

/// Runs a partitioned function on whole tensors: cuts them as its arguments say
/// (`heddle.whole` and `sdy.sharding`), runs it on all devices of the mesh that
/// these name, on one device where none does, and joins the results. What goes
/// wrong is reported.
llvm::FailureOr<DeviceTensors>
interpretPartitioned(mlir::func::FuncOp function,
                     llvm::ArrayRef<HostTensor> arguments,
                     const InterpreterOptions &options = {});

} // namespace heddle

#endif // HEDDLE_REFERENCE_PARTITIONS_H
