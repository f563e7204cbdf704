// Text of the attributes of CHLO.

#include "dialects/Chlo/Chlo.h"

#include "dialects/StableHlo/AssemblyFormat.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/Chlo/ChloEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Chlo/ChloAttributes.cpp.inc"

using namespace mlir;

namespace heddle::chlo {

void ChloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Chlo/ChloAttributes.cpp.inc"
      >();
}

static constexpr StringLiteral raggedFields[] = {
    "lhs_batching_dimensions",    "rhs_batching_dimensions",
    "lhs_contracting_dimensions", "rhs_contracting_dimensions",
    "lhs_ragged_dimensions",      "rhs_group_dimensions"};

/// `<name = [dims], ...>` in any order; what is left out is empty.
Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> dims[std::size(raggedFields)];
  auto parseField = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    auto found = llvm::find(raggedFields, name);
    if (found == std::end(raggedFields))
      return parser.emitError(loc) << "unknown field '" << name << "'";
    FailureOr<SmallVector<int64_t>> list = stablehlo::parseDims(parser);
    if (failed(list))
      return failure();
    dims[found - std::begin(raggedFields)] = std::move(*list);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  return get(parser.getContext(), dims[0], dims[1], dims[2], dims[3], dims[4],
             dims[5]);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  ArrayRef<int64_t> dims[] = {
      getLhsBatchingDimensions(),    getRhsBatchingDimensions(),
      getLhsContractingDimensions(), getRhsContractingDimensions(),
      getLhsRaggedDimensions(),      getRhsGroupDimensions()};
  printer << "<";
  bool first = true;
  for (auto [name, list] : llvm::zip_equal(raggedFields, dims)) {
    if (list.empty())
      continue;
    printer << (first ? "" : ", ") << name << " = ";
    stablehlo::printDims(printer, list);
    first = false;
  }
  printer << ">";
}

} // namespace heddle::chlo
