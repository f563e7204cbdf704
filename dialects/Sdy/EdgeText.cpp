// How the edges are written along which axes went.

#include "dialects/Sdy/ShardingText.h"

using namespace mlir;

namespace heddle::sdy {

//===----------------------------------------------------------------------===//
// Values of an operation
//===----------------------------------------------------------------------===//

/// `operand-0` or `result-1`.
static ParseResult parseEnd(AsmParser &parser, EdgeValueRefAttr &end) {
  SMLoc place = parser.getCurrentLocation();
  StringRef keyword;
  int64_t index;
  std::optional<EdgeEnd> kind;
  if (succeeded(parser.parseOptionalKeyword(&keyword)))
    kind = symbolizeEdgeEnd(keyword);
  if (!kind)
    return parser.emitError(place,
                            "expected a value, such as operand-0 or result-1");
  if (parser.parseMinus() || parser.parseInteger(index))
    return failure();
  end = EdgeValueRefAttr::get(parser.getContext(), *kind, index);
  return success();
}

static void printEnd(raw_ostream &os, EdgeValueRefAttr end) {
  os << stringifyEdgeEnd(end.getEnd()) << '-' << end.getIndex();
}

//===----------------------------------------------------------------------===//
// Axes and steps
//===----------------------------------------------------------------------===//

/// `{"y" = operand-1 -> [operand-0, result-0]}`, within `<...>` without braces.
static ParseResult parseAxis(AsmParser &parser, PropagatedAxisAttr &axis) {
  AxisRefAttr name;
  EdgeValueRefAttr source;
  SmallVector<EdgeValueRefAttr> targets;
  if (parseAxisRef(parser, name) || parser.parseEqual() ||
      parseEnd(parser, source) || parser.parseArrow() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseEnd(parser, targets.emplace_back());
      }))
    return failure();
  axis = PropagatedAxisAttr::get(parser.getContext(), name, source, targets);
  return success();
}

static void printAxis(raw_ostream &os, PropagatedAxisAttr axis) {
  printAxisRef(os, axis.getAxis());
  os << " = ";
  printEnd(os, axis.getSource());
  os << " -> [";
  llvm::interleaveComma(axis.getTargets(), os,
                        [&](EdgeValueRefAttr target) { printEnd(os, target); });
  os << ']';
}

/// `step-2 = [{...}, {...}]`.
static ParseResult parseStep(AsmParser &parser, PropagationStepAttr &step) {
  int64_t index;
  SmallVector<PropagatedAxisAttr> axes;
  if (parser.parseKeyword("step") || parser.parseMinus() ||
      parser.parseInteger(index) || parser.parseEqual() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            return failure(parser.parseLBrace() ||
                           parseAxis(parser, axes.emplace_back()) ||
                           parser.parseRBrace());
          }))
    return failure();
  step = PropagationStepAttr::get(parser.getContext(), index, axes);
  return success();
}

static void printStep(raw_ostream &os, PropagationStepAttr step) {
  os << "step-" << step.getIndex() << " = [";
  llvm::interleaveComma(step.getAxes(), os, [&](PropagatedAxisAttr axis) {
    os << '{';
    printAxis(os, axis);
    os << '}';
  });
  os << ']';
}

//===----------------------------------------------------------------------===//
// The attributes
//===----------------------------------------------------------------------===//

Attribute EdgeValueRefAttr::parse(AsmParser &parser, Type) {
  EdgeValueRefAttr end;
  if (parser.parseLess() || parseEnd(parser, end) || parser.parseGreater())
    return {};
  return end;
}

void EdgeValueRefAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printEnd(printer.getStream(), *this);
  printer << '>';
}

Attribute PropagatedAxisAttr::parse(AsmParser &parser, Type) {
  PropagatedAxisAttr axis;
  if (parser.parseLess() || parseAxis(parser, axis) || parser.parseGreater())
    return {};
  return axis;
}

void PropagatedAxisAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printAxis(printer.getStream(), *this);
  printer << '>';
}

Attribute PropagationStepAttr::parse(AsmParser &parser, Type) {
  PropagationStepAttr step;
  if (parser.parseLess() || parseStep(parser, step) || parser.parseGreater())
    return {};
  return step;
}

void PropagationStepAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printStep(printer.getStream(), *this);
  printer << '>';
}

Attribute PropagationEdgesAttr::parse(AsmParser &parser, Type) {
  SMLoc place = parser.getCurrentLocation();
  SmallVector<PropagationStepAttr> steps;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&]() -> ParseResult {
            return failure(parser.parseLBrace() ||
                           parseStep(parser, steps.emplace_back()) ||
                           parser.parseRBrace());
          }) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<PropagationEdgesAttr>(place, parser.getContext(),
                                                 ArrayRef(steps));
}

void PropagationEdgesAttr::print(AsmPrinter &printer) const {
  raw_ostream &os = printer.getStream();
  os << "<[";
  llvm::interleaveComma(getSteps(), os, [&](PropagationStepAttr step) {
    os << '{';
    printStep(os, step);
    os << '}';
  });
  os << "]>";
}

LogicalResult
PropagationEdgesAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                             ArrayRef<PropagationStepAttr> steps) {
  llvm::SmallDenseSet<int64_t> indices;
  for (PropagationStepAttr step : steps) {
    if (step.getIndex() < 0)
      return emitError() << "step " << step.getIndex() << " is negative";
    if (!indices.insert(step.getIndex()).second)
      return emitError() << "step " << step.getIndex() << " is there twice";
    for (PropagatedAxisAttr axis : step.getAxes()) {
      llvm::SmallDenseSet<EdgeValueRefAttr> targets;
      for (EdgeValueRefAttr target : axis.getTargets()) {
        if (target == axis.getSource())
          return emitError()
                 << "in step " << step.getIndex() << ", axis "
                 << axis.getAxis().text() << " goes from a value to itself";
        if (!targets.insert(target).second)
          return emitError()
                 << "in step " << step.getIndex() << ", axis "
                 << axis.getAxis().text() << " goes twice to one value";
      }
    }
  }
  return success();
}

} // namespace heddle::sdy
