// How the parts of shardings are written, in attributes and operations alike.
//
// Names of functions and their order of parameters are those that custom
// directives of assembly formats want.

#ifndef HEDDLE_DIALECTS_SDY_SHARDINGTEXT_H
#define HEDDLE_DIALECTS_SDY_SHARDINGTEXT_H

#include "dialects/Sdy/Sdy.h"

namespace heddle::sdy {

/// `"x"` or `"x":(2)4`.
mlir::ParseResult parseAxisRef(mlir::AsmParser &parser, AxisRefAttr &axis);
void printAxisRef(llvm::raw_ostream &os, AxisRefAttr axis);

/// `{"x", "y":(1)2}`.
mlir::ParseResult parseAxes(mlir::AsmParser &parser,
                            llvm::SmallVectorImpl<AxisRefAttr> &axes);
void printAxes(llvm::raw_ostream &os, llvm::ArrayRef<AxisRefAttr> axes);

/// `{"x", ?}p1`.
mlir::ParseResult parseDimension(mlir::AsmParser &parser,
                                 DimensionShardingAttr &sharding);
void printDimension(llvm::raw_ostream &os, DimensionShardingAttr sharding);

/// `<["x"=2], device_ids=[1, 0]>`.
mlir::ParseResult parseMesh(mlir::AsmParser &parser, MeshAttr &mesh);
void printMesh(mlir::AsmPrinter &printer, MeshAttr mesh);
inline void printMesh(mlir::AsmPrinter &printer, mlir::Operation *,
                      MeshAttr mesh) {
  printMesh(printer, mesh);
}

/// `<@mesh, [{"x"}, {?}], replicated={"y"}>`.
mlir::ParseResult parseSharding(mlir::AsmParser &parser,
                                TensorShardingAttr &sharding);
void printSharding(mlir::AsmPrinter &printer, TensorShardingAttr sharding);
inline void printSharding(mlir::AsmPrinter &printer, mlir::Operation *,
                          TensorShardingAttr sharding) {
  printSharding(printer, sharding);
}

/// `[<@mesh, [{"x"}]>, <@mesh, [{}]>]`.
mlir::ParseResult parseShardings(mlir::AsmParser &parser,
                                 TensorShardingPerValueAttr &shardings);
void printShardings(mlir::AsmPrinter &printer,
                    TensorShardingPerValueAttr shardings);

/// `{"x", "y"}`, names only.
mlir::ParseResult parseManualAxes(mlir::AsmParser &parser,
                                  ManualAxesAttr &axes);
void printManualAxes(llvm::raw_ostream &os, ManualAxesAttr axes);

/// `{"x"}` as an attribute.
mlir::ParseResult parseAxisList(mlir::AsmParser &parser, AxisRefListAttr &axes);
void printAxisList(mlir::AsmPrinter &printer, AxisRefListAttr axes);
inline void printAxisList(mlir::AsmPrinter &printer, mlir::Operation *,
                          AxisRefListAttr axes) {
  printAxisList(printer, axes);
}

/// `[{"x"}, {}]`.
mlir::ParseResult parseAxesPerDimension(mlir::AsmParser &parser,
                                        ListOfAxisRefListsAttr &lists);
void printAxesPerDimension(mlir::AsmPrinter &printer,
                           ListOfAxisRefListsAttr lists);
inline void printAxesPerDimension(mlir::AsmPrinter &printer, mlir::Operation *,
                                  ListOfAxisRefListsAttr lists) {
  printAxesPerDimension(printer, lists);
}

/// `[{"x"}: 0->1]`.
mlir::ParseResult parseAllToAllParams(mlir::AsmParser &parser,
                                      AllToAllParamListAttr &params);
void printAllToAllParams(mlir::AsmPrinter &printer,
                         AllToAllParamListAttr params);
inline void printAllToAllParams(mlir::AsmPrinter &printer, mlir::Operation *,
                                AllToAllParamListAttr params) {
  printAllToAllParams(printer, params);
}

/// `{"x"}`, or `max {"x"}`.
mlir::ParseResult parseReducedAxes(mlir::AsmParser &parser, ReductionAttr &kind,
                                   AxisRefListAttr &axes);
void printReducedAxes(mlir::AsmPrinter &printer, mlir::Operation *,
                      ReductionAttr kind, AxisRefListAttr axes);

/// `[{"x"}, {}]`, or `max [{"x"}, {}]`.
mlir::ParseResult parseReducedAxes(mlir::AsmParser &parser, ReductionAttr &kind,
                                   ListOfAxisRefListsAttr &lists);
void printReducedAxes(mlir::AsmPrinter &printer, mlir::Operation *,
                      ReductionAttr kind, ListOfAxisRefListsAttr lists);

/// What follows the shardings of a computation: its arguments, its body,
/// attributes and the type of what it takes and gives.
mlir::ParseResult
parseComputation(mlir::OpAsmParser &parser, mlir::OperationState &result,
                 llvm::ArrayRef<mlir::OpAsmParser::UnresolvedOperand> operands,
                 llvm::SMLoc place);
/// `told` are the attributes that are written before.
void printComputation(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      llvm::ArrayRef<llvm::StringRef> told);

/// The name of a factor: `i` to `z`, then `z_1`, `z_2`.
std::string factorName(int64_t factor);

} // namespace heddle::sdy

#endif // HEDDLE_DIALECTS_SDY_SHARDINGTEXT_H
