// How sharding rules are written.

#include "dialects/Sdy/ShardingText.h"

using namespace mlir;

namespace heddle::sdy {

//===----------------------------------------------------------------------===//
// Names of factors
//===----------------------------------------------------------------------===//

/// Letters from `i` on; the last one, with a number behind it, stands for all
/// others.
static constexpr int64_t kLetters = 'z' - 'i' + 1;

std::string factorName(int64_t factor) {
  if (factor < kLetters)
    return std::string(1, static_cast<char>('i' + factor));
  return "z_" + std::to_string(factor - kLetters + 1);
}

/// Takes one name from the front of `text`.
static std::optional<int64_t> takeFactor(StringRef &text) {
  if (text.empty() || text.front() < 'i' || text.front() > 'z')
    return std::nullopt;
  int64_t factor = text.front() - 'i';
  text = text.drop_front();
  if (factor == kLetters - 1 && text.consume_front("_")) {
    int64_t number;
    if (text.consumeInteger(10, number) || number < 1 ||
        number > std::numeric_limits<int32_t>::max())
      return std::nullopt;
    factor += number;
  }
  return factor;
}

/// Names without spaces between, such as `jk`.
static ParseResult parseFactors(AsmParser &parser,
                                SmallVectorImpl<int64_t> &factors) {
  SMLoc place = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return parser.emitError(place, "expected a factor, such as i");
  for (StringRef rest = keyword; !rest.empty();) {
    std::optional<int64_t> factor = takeFactor(rest);
    if (!factor)
      return parser.emitError(place) << "'" << keyword
                                     << "' names no factors: they are i to z, "
                                        "z_1, z_2 and so on";
    factors.push_back(*factor);
  }
  return success();
}

static ParseResult parseFactor(AsmParser &parser, int64_t &factor) {
  SMLoc place = parser.getCurrentLocation();
  SmallVector<int64_t> factors;
  if (parseFactors(parser, factors))
    return failure();
  if (factors.size() != 1)
    return parser.emitError(place, "expected one factor");
  factor = factors.front();
  return success();
}

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

static ParseResult parseDimMapping(AsmParser &parser, DimMappingAttr &mapping) {
  SmallVector<int64_t> factors;
  if (parseFactors(parser, factors))
    return failure();
  mapping = DimMappingAttr::get(parser.getContext(), factors);
  return success();
}

static void printDimMapping(raw_ostream &os, DimMappingAttr mapping) {
  for (int64_t factor : mapping.getFactors())
    os << factorName(factor);
}

static ParseResult parseTensorMapping(AsmParser &parser,
                                      TensorMappingAttr &mapping) {
  SmallVector<DimMappingAttr> dims;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseDimMapping(parser, dims.emplace_back());
      }))
    return failure();
  mapping = TensorMappingAttr::get(parser.getContext(), dims);
  return success();
}

static void printTensorMapping(raw_ostream &os, TensorMappingAttr mapping) {
  os << '[';
  llvm::interleaveComma(mapping.getDims(), os,
                        [&](DimMappingAttr dim) { printDimMapping(os, dim); });
  os << ']';
}

static ParseResult parseMappings(AsmParser &parser,
                                 SmallVectorImpl<TensorMappingAttr> &mappings) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
    return parseTensorMapping(parser, mappings.emplace_back());
  });
}

static void printMappings(raw_ostream &os,
                          ArrayRef<TensorMappingAttr> mappings) {
  os << '(';
  llvm::interleaveComma(mappings, os, [&](TensorMappingAttr mapping) {
    printTensorMapping(os, mapping);
  });
  os << ')';
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// `{i=2, j=4}`, in order.
static ParseResult parseSizes(AsmParser &parser,
                              SmallVectorImpl<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::OptionalBraces, [&]() -> ParseResult {
        SMLoc place = parser.getCurrentLocation();
        int64_t factor;
        if (parseFactor(parser, factor))
          return failure();
        if (factor != int64_t(sizes.size()))
          return parser.emitError(place)
                 << "expected the size of factor " << factorName(sizes.size())
                 << ", not of " << factorName(factor);
        return failure(parser.parseEqual() ||
                       parser.parseInteger(sizes.emplace_back()));
      });
}

static ParseResult parseSpecial(AsmParser &parser, StringRef name,
                                SmallVectorImpl<int64_t> &factors) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  return failure(
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
        return parseFactor(parser, factors.emplace_back());
      }));
}

static void printSpecial(raw_ostream &os, StringRef name,
                         ArrayRef<int64_t> factors) {
  if (factors.empty())
    return;
  os << ' ' << name << "={";
  llvm::interleaveComma(factors, os,
                        [&](int64_t factor) { os << factorName(factor); });
  os << '}';
}

Attribute OpShardingRuleAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorMappingAttr> operands, results;
  SmallVector<int64_t> sizes, reduction, replication, permutation, blocked;
  bool isCustom = false;
  if (parser.parseLess() || parseMappings(parser, operands) ||
      parser.parseArrow() || parseMappings(parser, results) ||
      parseSizes(parser, sizes) ||
      parseSpecial(parser, "reduction", reduction) ||
      parseSpecial(parser, "need_replication", replication) ||
      parseSpecial(parser, "permutation", permutation) ||
      parseSpecial(parser, "blocked_propagation", blocked))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("custom"))
      return {};
    isCustom = true;
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), sizes, operands, results, reduction,
             replication, permutation, blocked, isCustom);
}

void OpShardingRuleAttr::print(AsmPrinter &printer) const {
  raw_ostream &os = printer.getStream();
  os << '<';
  printMappings(os, getOperandMappings());
  os << "->";
  printMappings(os, getResultMappings());
  if (!getFactorSizes().empty()) {
    os << " {";
    int64_t factor = 0;
    llvm::interleaveComma(getFactorSizes(), os, [&](int64_t size) {
      os << factorName(factor++) << '=' << size;
    });
    os << '}';
  }
  printSpecial(os, "reduction", getReductionFactors());
  printSpecial(os, "need_replication", getNeedReplicationFactors());
  printSpecial(os, "permutation", getPermutationFactors());
  printSpecial(os, "blocked_propagation", getBlockedPropagationFactors());
  if (getIsCustom())
    os << ", custom";
  os << '>';
}

Attribute DimMappingAttr::parse(AsmParser &parser, Type) {
  DimMappingAttr mapping;
  if (parser.parseLess() || parseDimMapping(parser, mapping) ||
      parser.parseGreater())
    return {};
  return mapping;
}

void DimMappingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDimMapping(printer.getStream(), *this);
  printer << '>';
}

Attribute TensorMappingAttr::parse(AsmParser &parser, Type) {
  TensorMappingAttr mapping;
  if (parser.parseLess() || parseTensorMapping(parser, mapping) ||
      parser.parseGreater())
    return {};
  return mapping;
}

void TensorMappingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printTensorMapping(printer.getStream(), *this);
  printer << '>';
}

} // namespace heddle::sdy
