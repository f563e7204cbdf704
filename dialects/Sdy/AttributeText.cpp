// How the attributes of shardings are written on their own.

#include "dialects/Sdy/ShardingText.h"

using namespace mlir;

namespace heddle::sdy {

/// Between `<` and `>`, for attributes whose text elsewhere has no brackets of
/// this kind around it.
template <typename Attr, typename Parse>
static Attribute parseBracketed(AsmParser &parser, Parse parse) {
  Attr attribute;
  if (parser.parseLess() || parse(parser, attribute) || parser.parseGreater())
    return {};
  return attribute;
}

template <typename Attr, typename Parse>
static Attribute parseWhole(AsmParser &parser, Parse parse) {
  Attr attribute;
  if (parse(parser, attribute))
    return {};
  return attribute;
}

//===----------------------------------------------------------------------===//
// Meshes and axes
//===----------------------------------------------------------------------===//

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  SMLoc place = parser.getCurrentLocation();
  std::string name;
  int64_t size;
  if (parser.parseLess() || parser.parseString(&name) || parser.parseEqual() ||
      parser.parseInteger(size) || parser.parseGreater())
    return {};
  return parser.getChecked<MeshAxisAttr>(
      place, parser.getContext(), StringAttr::get(parser.getContext(), name),
      size);
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getName().getValue() << "\"=" << getSize() << '>';
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  return parseWhole<MeshAttr>(parser, parseMesh);
}

void MeshAttr::print(AsmPrinter &printer) const { printMesh(printer, *this); }

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  return parseBracketed<AxisRefAttr>(parser, parseAxisRef);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer << '<' << text() << '>';
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  return parseBracketed<DimensionShardingAttr>(parser, parseDimension);
}

void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDimension(printer.getStream(), *this);
  printer << '>';
}

Attribute TensorShardingAttr::parse(AsmParser &parser, Type) {
  return parseWhole<TensorShardingAttr>(parser, parseSharding);
}

void TensorShardingAttr::print(AsmPrinter &printer) const {
  printSharding(printer, *this);
}

Attribute TensorShardingPerValueAttr::parse(AsmParser &parser, Type) {
  return parseBracketed<TensorShardingPerValueAttr>(parser, parseShardings);
}

void TensorShardingPerValueAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printShardings(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Lists of axes
//===----------------------------------------------------------------------===//

Attribute ManualAxesAttr::parse(AsmParser &parser, Type) {
  return parseWhole<ManualAxesAttr>(parser, parseManualAxes);
}

void ManualAxesAttr::print(AsmPrinter &printer) const {
  printManualAxes(printer.getStream(), *this);
}

Attribute AxisRefListAttr::parse(AsmParser &parser, Type) {
  return parseWhole<AxisRefListAttr>(parser, parseAxisList);
}

void AxisRefListAttr::print(AsmPrinter &printer) const {
  printAxisList(printer, *this);
}

Attribute ListOfAxisRefListsAttr::parse(AsmParser &parser, Type) {
  return parseWhole<ListOfAxisRefListsAttr>(parser, parseAxesPerDimension);
}

void ListOfAxisRefListsAttr::print(AsmPrinter &printer) const {
  printAxesPerDimension(printer, *this);
}

Attribute AllToAllParamListAttr::parse(AsmParser &parser, Type) {
  return parseWhole<AllToAllParamListAttr>(parser, parseAllToAllParams);
}

void AllToAllParamListAttr::print(AsmPrinter &printer) const {
  printAllToAllParams(printer, *this);
}

Attribute AllToAllParamAttr::parse(AsmParser &parser, Type) {
  SMLoc place = parser.getCurrentLocation();
  AllToAllParamListAttr list;
  if (parser.parseLess() || parseAllToAllParams(parser, list) ||
      parser.parseGreater())
    return {};
  if (list.getParams().size() != 1) {
    parser.emitError(place, "expected one move of axes");
    return {};
  }
  return list.getParams().front();
}

void AllToAllParamAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printAllToAllParams(printer, AllToAllParamListAttr::get(getContext(), *this));
  printer << '>';
}

} // namespace heddle::sdy
