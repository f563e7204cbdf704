// How the parts of shardings are written.

#include "dialects/Sdy/ShardingText.h"

using namespace mlir;

namespace heddle::sdy {

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

static ParseResult parseName(AsmParser &parser, StringAttr &name) {
  std::string text;
  if (failed(parser.parseOptionalString(&text)))
    return parser.emitError(parser.getCurrentLocation(),
                            "expected the name of an axis in quotes");
  name = StringAttr::get(parser.getContext(), text);
  return success();
}

ParseResult parseAxisRef(AsmParser &parser, AxisRefAttr &axis) {
  StringAttr name;
  if (parseName(parser, name))
    return failure();
  int64_t preSize = 1, size = 0;
  if (succeeded(parser.parseOptionalColon())) {
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseLParen() || parser.parseInteger(preSize) ||
        parser.parseRParen() || parser.parseInteger(size))
      return failure();
    if (size < 1)
      return parser.emitError(place) << "a part of axis " << name
                                     << " has size " << size << ": at least 2 "
                                     << "is wanted";
  }
  axis = AxisRefAttr::get(parser.getContext(), name, preSize, size);
  return success();
}

void printAxisRef(raw_ostream &os, AxisRefAttr axis) {
  os << '"' << axis.getName().getValue() << '"';
  if (!axis.isWhole())
    os << ":(" << axis.getPreSize() << ')' << axis.getSize();
}

ParseResult parseAxes(AsmParser &parser, SmallVectorImpl<AxisRefAttr> &axes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
    return parseAxisRef(parser, axes.emplace_back());
  });
}

void printAxes(raw_ostream &os, ArrayRef<AxisRefAttr> axes) {
  os << '{';
  llvm::interleaveComma(axes, os,
                        [&](AxisRefAttr axis) { printAxisRef(os, axis); });
  os << '}';
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// `p` and a number, without zeros in front.
static ParseResult parsePriority(AsmParser &parser,
                                 std::optional<int64_t> &priority) {
  SMLoc place = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return success();
  StringRef digits = keyword;
  int64_t number;
  if (!digits.consume_front("p") || digits.empty() ||
      !llvm::all_of(digits, llvm::isDigit))
    return parser.emitError(place)
           << "expected a priority such as p1, not " << keyword;
  if (digits.size() > 1 && digits.front() == '0')
    return parser.emitError(place)
           << "priority " << keyword << " begins with a zero";
  if (digits.getAsInteger(10, number))
    return parser.emitError(place) << "priority " << keyword << " is too large";
  priority = number;
  return success();
}

ParseResult parseDimension(AsmParser &parser, DimensionShardingAttr &sharding) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  std::optional<int64_t> priority;
  if (parser.parseLBrace())
    return failure();
  if (failed(parser.parseOptionalRBrace())) {
    do {
      if (succeeded(parser.parseOptionalQuestion())) {
        isClosed = false;
        break;
      }
      if (parseAxisRef(parser, axes.emplace_back()))
        return failure();
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRBrace())
      return failure();
  }
  if (parsePriority(parser, priority))
    return failure();
  sharding =
      DimensionShardingAttr::get(parser.getContext(), axes, isClosed, priority);
  return success();
}

void printDimension(raw_ostream &os, DimensionShardingAttr sharding) {
  os << '{';
  llvm::interleaveComma(sharding.getAxes(), os,
                        [&](AxisRefAttr axis) { printAxisRef(os, axis); });
  if (!sharding.getIsClosed())
    os << (sharding.getAxes().empty() ? "?" : ", ?");
  os << '}';
  if (sharding.getPriority())
    os << 'p' << *sharding.getPriority();
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

ParseResult parseMesh(AsmParser &parser, MeshAttr &mesh) {
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> devices;
  auto parseAxis = [&]() -> ParseResult {
    StringAttr name;
    int64_t size;
    SMLoc place = parser.getCurrentLocation();
    if (parseName(parser, name) || parser.parseEqual() ||
        parser.parseInteger(size))
      return failure();
    axes.push_back(parser.getChecked<MeshAxisAttr>(place, parser.getContext(),
                                                   name, size));
    return success(axes.back() != nullptr);
  };
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis))
    return failure();
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("device_ids") || parser.parseEqual() ||
       parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
         return parser.parseInteger(devices.emplace_back());
       })))
    return failure();
  if (parser.parseGreater())
    return failure();
  mesh = parser.getChecked<MeshAttr>(place, parser.getContext(), ArrayRef(axes),
                                     ArrayRef(devices));
  return success(mesh != nullptr);
}

void printMesh(AsmPrinter &printer, MeshAttr mesh) {
  raw_ostream &os = printer.getStream();
  os << "<[";
  llvm::interleaveComma(mesh.getAxes(), os, [&](MeshAxisAttr axis) {
    os << '"' << axis.getName().getValue() << "\"=" << axis.getSize();
  });
  os << ']';
  if (!mesh.getDeviceIds().empty()) {
    os << ", device_ids=[";
    llvm::interleaveComma(mesh.getDeviceIds(), os);
    os << ']';
  }
  os << '>';
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

/// Nothing, or `max` and the like.
static ParseResult parseReductionKind(AsmParser &parser, ReductionAttr &kind) {
  SMLoc place = parser.getCurrentLocation();
  StringRef keyword;
  Reduction value = Reduction::Sum;
  if (succeeded(parser.parseOptionalKeyword(&keyword))) {
    std::optional<Reduction> known = symbolizeReduction(keyword);
    if (!known)
      return parser.emitError(place)
             << "expected sum, max or min, not " << keyword;
    value = *known;
  }
  kind = ReductionAttr::get(parser.getContext(), value);
  return success();
}

static ParseResult parseMeshOrRef(AsmParser &parser, Attribute &meshOrRef) {
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    MeshAttr mesh;
    if (parseMesh(parser, mesh))
      return failure();
    meshOrRef = mesh;
    return success();
  }
  StringAttr name;
  if (failed(parser.parseOptionalSymbolName(name)))
    return parser.emitError(parser.getCurrentLocation(),
                            "expected the name of a mesh, such as @mesh, or a "
                            "mesh such as mesh<[\"x\"=2]>");
  meshOrRef = FlatSymbolRefAttr::get(name);
  return success();
}

/// What follows the dimensions, each at most once, in this order.
static ParseResult parseOtherAxes(AsmParser &parser,
                                  SmallVectorImpl<AxisRefAttr> &replicated,
                                  SmallVectorImpl<AxisRefAttr> &unreduced,
                                  Reduction &reduction) {
  auto parseNonEmpty = [&](SmallVectorImpl<AxisRefAttr> &axes) -> ParseResult {
    SMLoc place = parser.getCurrentLocation();
    if (parseAxes(parser, axes))
      return failure();
    if (axes.empty())
      return parser.emitError(place, "expected at least one axis");
    return success();
  };
  int found = 0;
  while (succeeded(parser.parseOptionalComma())) {
    if (found < 1 && succeeded(parser.parseOptionalKeyword("replicated"))) {
      found = 1;
      if (parser.parseEqual() || parseNonEmpty(replicated))
        return failure();
      continue;
    }
    if (found < 2 && succeeded(parser.parseOptionalKeyword("unreduced"))) {
      found = 2;
      ReductionAttr kind;
      if (parser.parseEqual() || parseReductionKind(parser, kind) ||
          parseNonEmpty(unreduced))
        return failure();
      reduction = kind.getValue();
      continue;
    }
    return parser.emitError(parser.getCurrentLocation())
           << "expected "
           << (found == 0   ? "replicated= or unreduced="
               : found == 1 ? "unreduced="
                            : "the end of the sharding");
  }
  return success();
}

ParseResult parseSharding(AsmParser &parser, TensorShardingAttr &sharding) {
  Attribute meshOrRef;
  SmallVector<DimensionShardingAttr> dimensions;
  SmallVector<AxisRefAttr> replicated, unreduced;
  Reduction reduction = Reduction::Sum;
  // Within lists the attribute can stand with its name as well.
  Attribute named;
  OptionalParseResult hasName = parser.parseOptionalAttribute(named);
  if (hasName.has_value()) {
    sharding = dyn_cast_or_null<TensorShardingAttr>(named);
    if (failed(*hasName) || sharding)
      return *hasName;
    return parser.emitError(parser.getCurrentLocation())
           << "expected a sharding of a tensor";
  }
  if (parser.parseLess() || parseMeshOrRef(parser, meshOrRef) ||
      parser.parseComma() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parseDimension(parser, dimensions.emplace_back()); }) ||
      parseOtherAxes(parser, replicated, unreduced, reduction) ||
      parser.parseGreater())
    return failure();
  sharding = TensorShardingAttr::get(parser.getContext(), meshOrRef, dimensions,
                                     replicated, unreduced, reduction);
  return success();
}

void printSharding(AsmPrinter &printer, TensorShardingAttr sharding) {
  raw_ostream &os = printer.getStream();
  os << '<';
  if (auto mesh = dyn_cast<MeshAttr>(sharding.getMeshOrRef())) {
    os << "mesh";
    printMesh(printer, mesh);
  } else {
    printer.printSymbolName(sharding.meshName().getValue());
  }
  os << ", [";
  llvm::interleaveComma(
      sharding.getDimShardings(), os,
      [&](DimensionShardingAttr dim) { printDimension(os, dim); });
  os << ']';
  if (!sharding.getReplicatedAxes().empty()) {
    os << ", replicated=";
    printAxes(os, sharding.getReplicatedAxes());
  }
  if (!sharding.getUnreducedAxes().empty()) {
    os << ", unreduced=";
    if (sharding.getReduction() != Reduction::Sum)
      os << stringifyReduction(sharding.getReduction());
    printAxes(os, sharding.getUnreducedAxes());
  }
  os << '>';
}

ParseResult parseShardings(AsmParser &parser,
                           TensorShardingPerValueAttr &shardings) {
  SmallVector<TensorShardingAttr> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseSharding(parser, list.emplace_back());
      }))
    return failure();
  shardings = TensorShardingPerValueAttr::get(parser.getContext(), list);
  return success();
}

void printShardings(AsmPrinter &printer, TensorShardingPerValueAttr shardings) {
  printer << '[';
  llvm::interleaveComma(
      shardings.getShardings(), printer.getStream(),
      [&](TensorShardingAttr sharding) { printSharding(printer, sharding); });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Lists of axes
//===----------------------------------------------------------------------===//

ParseResult parseManualAxes(AsmParser &parser, ManualAxesAttr &axes) {
  SmallVector<StringAttr> names;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
        return parseName(parser, names.emplace_back());
      }))
    return failure();
  axes = ManualAxesAttr::get(parser.getContext(), names);
  return success();
}

void printManualAxes(raw_ostream &os, ManualAxesAttr axes) {
  os << '{';
  llvm::interleaveComma(axes.getAxes(), os, [&](StringAttr name) {
    os << '"' << name.getValue() << '"';
  });
  os << '}';
}

ParseResult parseAxisList(AsmParser &parser, AxisRefListAttr &axes) {
  SmallVector<AxisRefAttr> list;
  if (parseAxes(parser, list))
    return failure();
  axes = AxisRefListAttr::get(parser.getContext(), list);
  return success();
}

void printAxisList(AsmPrinter &printer, AxisRefListAttr axes) {
  printAxes(printer.getStream(), axes.getAxes());
}

ParseResult parseAxesPerDimension(AsmParser &parser,
                                  ListOfAxisRefListsAttr &lists) {
  SmallVector<AxisRefListAttr> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseAxisList(parser, list.emplace_back());
      }))
    return failure();
  lists = ListOfAxisRefListsAttr::get(parser.getContext(), list);
  return success();
}

void printAxesPerDimension(AsmPrinter &printer, ListOfAxisRefListsAttr lists) {
  printer << '[';
  llvm::interleaveComma(
      lists.getLists(), printer.getStream(),
      [&](AxisRefListAttr axes) { printAxisList(printer, axes); });
  printer << ']';
}

ParseResult parseAllToAllParams(AsmParser &parser,
                                AllToAllParamListAttr &params) {
  SmallVector<AllToAllParamAttr> list;
  auto parseOne = [&]() -> ParseResult {
    SmallVector<AxisRefAttr> axes;
    int64_t source, target;
    if (parseAxes(parser, axes) || parser.parseColon() ||
        parser.parseInteger(source) || parser.parseArrow() ||
        parser.parseInteger(target))
      return failure();
    list.push_back(
        AllToAllParamAttr::get(parser.getContext(), axes, source, target));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  params = AllToAllParamListAttr::get(parser.getContext(), list);
  return success();
}

void printAllToAllParams(AsmPrinter &printer, AllToAllParamListAttr params) {
  raw_ostream &os = printer.getStream();
  os << '[';
  llvm::interleaveComma(params.getParams(), os, [&](AllToAllParamAttr param) {
    printAxes(os, param.getAxes());
    os << ": " << param.getSourceDim() << "->" << param.getTargetDim();
  });
  os << ']';
}

//===----------------------------------------------------------------------===//
// Reductions with their axes
//===----------------------------------------------------------------------===//

static void printKind(AsmPrinter &printer, ReductionAttr kind) {
  if (kind && kind.getValue() != Reduction::Sum)
    printer << stringifyReduction(kind.getValue()) << ' ';
}

ParseResult parseReducedAxes(AsmParser &parser, ReductionAttr &kind,
                             AxisRefListAttr &axes) {
  return failure(parseReductionKind(parser, kind) ||
                 parseAxisList(parser, axes));
}

void printReducedAxes(AsmPrinter &printer, Operation *, ReductionAttr kind,
                      AxisRefListAttr axes) {
  printKind(printer, kind);
  printAxisList(printer, axes);
}

ParseResult parseReducedAxes(AsmParser &parser, ReductionAttr &kind,
                             ListOfAxisRefListsAttr &lists) {
  return failure(parseReductionKind(parser, kind) ||
                 parseAxesPerDimension(parser, lists));
}

void printReducedAxes(AsmPrinter &printer, Operation *, ReductionAttr kind,
                      ListOfAxisRefListsAttr lists) {
  printKind(printer, kind);
  printAxesPerDimension(printer, lists);
}

//===----------------------------------------------------------------------===//
// Computations
//===----------------------------------------------------------------------===//

ParseResult parseComputation(OpAsmParser &parser, OperationState &result,
                             ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                             SMLoc place) {
  SmallVector<OpAsmParser::Argument> arguments;
  FunctionType type;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseRegion(*result.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), place,
                             result.operands))
    return failure();
  result.addTypes(type.getResults());
  return success();
}

void printComputation(OpAsmPrinter &printer, Operation *op,
                      ArrayRef<StringRef> told) {
  Region &body = op->getRegion(0);
  printer << " (";
  llvm::interleaveComma(
      body.getArguments(), printer,
      [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict(op->getAttrs(), told);
  printer << " : ";
  printer.printFunctionalType(op);
}

} // namespace heddle::sdy
