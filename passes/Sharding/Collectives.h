// Writes what devices of a mesh exchange, as operations of StableHLO.

#ifndef HEDDLE_PASSES_SHARDING_COLLECTIVES_H
#define HEDDLE_PASSES_SHARDING_COLLECTIVES_H

#include "passes/Sharding/Layout.h"

#include "dialects/StableHlo/StableHlo.h"

namespace heddle {

/// Writes collectives over axes of one mesh. Their groups name the axes, so
/// that their text does not grow with the number of devices. What joins terms
/// is named by the operation of StableHLO that joins two.
class Collectives {
public:
  Collectives(mlir::OpBuilder &builder, sdy::MeshAttr mesh)
      : builder(builder), mesh(mesh) {}

  /// The parts of the devices along `axes`, one behind the other along `dim`.
  mlir::Value gather(mlir::Value part, int64_t dim,
                     llvm::ArrayRef<sdy::AxisRefAttr> axes, mlir::Location loc);

  /// The device's own part of a dimension, whose size the number of parts
  /// divides.
  mlir::Value slice(mlir::Value part, int64_t dim,
                    llvm::ArrayRef<sdy::AxisRefAttr> axes, mlir::Location loc);

  /// `from` is no longer cut over `axes`, `to` is.
  mlir::Value exchange(mlir::Value part, int64_t from, int64_t to,
                       llvm::ArrayRef<sdy::AxisRefAttr> axes,
                       mlir::Location loc);

  /// Whole parts go from device to device, in pairs (from, to).
  mlir::Value permute(mlir::Value part,
                      llvm::ArrayRef<std::pair<int64_t, int64_t>> pairs,
                      mlir::Location loc);

  /// The terms of the devices along `axes`, joined.
  mlir::Value reduce(mlir::Value part, mlir::OperationName by,
                     llvm::ArrayRef<sdy::AxisRefAttr> axes, mlir::Location loc);

  /// The same, of which each device keeps its part of `dim`.
  mlir::Value reduceScatter(mlir::Value part, mlir::OperationName by,
                            int64_t dim, llvm::ArrayRef<sdy::AxisRefAttr> axes,
                            mlir::Location loc);

  /// Grows or cuts a dimension at its end; what is new is zero.
  mlir::Value resize(mlir::Value part, int64_t dim, int64_t size,
                     mlir::Location loc);

  /// The part with everything beyond `size` of the whole dimension replaced by
  /// `fill`, a scalar; `axes` are those over which the dimension is cut.
  mlir::Value fillBeyond(mlir::Value part, int64_t dim, int64_t size,
                         llvm::ArrayRef<sdy::AxisRefAttr> axes,
                         mlir::Attribute fill, mlir::Location loc);

  /// Which part along `axes` this device has, as a tensor<i32>.
  mlir::Value partIndex(llvm::ArrayRef<sdy::AxisRefAttr> axes,
                        mlir::Location loc);

  /// Where the parts of this device begin along a dimension that is cut into
  /// parts of `size`, as a tensor<i32>.
  mlir::Value partBegin(llvm::ArrayRef<sdy::AxisRefAttr> axes, int64_t size,
                        mlir::Location loc);

  /// Whether the device has the first part along `axes`, as a tensor<i1>.
  mlir::Value isFirst(llvm::ArrayRef<sdy::AxisRefAttr> axes,
                      mlir::Location loc);

  /// Applies the joining operation to two tensors of one type.
  mlir::Value join(mlir::OperationName by, mlir::Value lhs, mlir::Value rhs,
                   mlir::Location loc);

private:
  mlir::Attribute groupsAlong(llvm::ArrayRef<sdy::AxisRefAttr> axes);
  /// How `axes` cut a dimension.
  mlir::DenseI64ArrayAttr cutsAlong(int64_t dim,
                                    llvm::ArrayRef<sdy::AxisRefAttr> axes);
  stablehlo::ChannelHandleAttr channel();
  void addJoining(mlir::Region &region, mlir::Type element,
                  mlir::OperationName by, mlir::Location loc);
  /// The place of this device on the mesh, as a tensor<i32>.
  mlir::Value position(mlir::Location loc);

  mlir::OpBuilder &builder;
  sdy::MeshAttr mesh;
};

} // namespace heddle

#endif // HEDDLE_PASSES_SHARDING_COLLECTIVES_H
