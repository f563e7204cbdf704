// Questions about what a target's kernels take, and the answers as an
// attribute.

#include "heddle/Target/DispatchFacts.h"

#include "dialects/Kernel/Packing.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <tuple>

using namespace mlir;

namespace heddle {

bool KernelTypes::operator==(const KernelTypes &other) const {
  return std::tie(family, lhs, rhs, accumulator, factors) ==
         std::tie(other.family, other.lhs, other.rhs, other.accumulator,
                  other.factors);
}

bool PackingFacts::operator==(const PackingFacts &other) const {
  return std::tie(matrix, filter, quads, filterQuads, pairs, filterPairs,
                  leastChannels) ==
         std::tie(other.matrix, other.filter, other.quads, other.filterQuads,
                  other.pairs, other.filterPairs, other.leastChannels);
}

bool FusionFacts::operator==(const FusionFacts &other) const {
  return std::tie(maximumInputs, maximumCost, maximumRecomputed, maximumParts,
                  maximumRowOperations) ==
         std::tie(other.maximumInputs, other.maximumCost,
                  other.maximumRecomputed, other.maximumParts,
                  other.maximumRowOperations);
}

bool DilationFacts::operator==(const DilationFacts &other) const {
  return std::tie(leastProducts, leastChannels, maximumPhases) ==
         std::tie(other.leastProducts, other.leastChannels,
                  other.maximumPhases);
}

bool DispatchFacts::operator==(const DispatchFacts &other) const {
  return kernels == other.kernels &&
         quantizedProducts == other.quantizedProducts &&
         composites == other.composites &&
         narrowElements == other.narrowElements &&
         attentionOptions == other.attentionOptions &&
         readsWorthWidening == other.readsWorthWidening &&
         packing == other.packing && fusion == other.fusion &&
         dilation == other.dilation;
}

/// Nothing if one of the types is no element's.
static std::optional<KernelTypes> typesOf(KernelFamily family, Type lhs,
                                          Type rhs, Type accumulator) {
  std::optional<ElementKind> left = elementKind(lhs), right = elementKind(rhs),
                             sum = elementKind(accumulator);
  if (!left || !right || !sum)
    return std::nullopt;
  return KernelTypes{family, *left, *right, *sum};
}

bool DispatchFacts::isLegal(KernelFamily family, Type lhs, Type rhs,
                            Type accumulator, StringRef factors) const {
  std::optional<KernelTypes> types = typesOf(family, lhs, rhs, accumulator);
  if (types)
    types->factors = factors.str();
  return types && llvm::is_contained(kernels, *types);
}

bool DispatchFacts::roundsFactors(KernelFamily family, Type lhs, Type rhs,
                                  Type accumulator) const {
  std::optional<KernelTypes> types = typesOf(family, lhs, rhs, accumulator);
  return types && llvm::any_of(kernels, [&](const KernelTypes &kernel) {
           types->factors = kernel.factors;
           return !kernel.factors.empty() && kernel == *types;
         });
}

bool DispatchFacts::multipliesStored(KernelFamily family, Type lhs,
                                     Type rhs) const {
  std::optional<KernelTypes> types =
      typesOf(family, lhs, rhs, IntegerType::get(lhs.getContext(), 32));
  return types && llvm::is_contained(quantizedProducts, *types);
}

/// Floats of a byte or less, and integers of less than a byte, which count as
/// signed in lowered programs.
static bool isNarrow(ElementKind kind) {
  return isNarrowSigned(kind) ||
         (elementClass(kind) == ElementClass::Float && bitWidth(kind) <= 8);
}

bool DispatchFacts::holds(Type element) const {
  std::optional<ElementKind> kind = elementKind(element);
  return !kind || !isNarrow(*kind) || llvm::is_contained(narrowElements, *kind);
}

static constexpr llvm::StringLiteral familyNames[] = {
    "contraction", "convolution", "attention"};

static constexpr llvm::StringLiteral optionNames[] = {"lengths", "window",
                                                      "sink", "log_sum_exp"};

namespace {
/// A number of the facts and its name.
struct Number {
  StringRef key;
  int64_t &value;
};
} // namespace

static SmallVector<Number> numbersOf(DispatchFacts &facts) {
  return {{"reads_worth_widening", facts.readsWorthWidening},
          {"least_channels", facts.packing.leastChannels},
          {"maximum_inputs", facts.fusion.maximumInputs},
          {"maximum_cost", facts.fusion.maximumCost},
          {"maximum_recomputed", facts.fusion.maximumRecomputed},
          {"maximum_parts", facts.fusion.maximumParts},
          {"maximum_row_operations", facts.fusion.maximumRowOperations},
          {"split_products", facts.dilation.leastProducts},
          {"split_channels", facts.dilation.leastChannels},
          {"split_phases", facts.dilation.maximumPhases}};
}

/// "contraction bf16 bf16 f32": a family, lhs, rhs and accumulator, and then
/// what is multiplied, if something else is.
static std::string text(const KernelTypes &types) {
  return (familyNames[static_cast<unsigned>(types.family)] + " " +
          elementName(types.lhs) + " " + elementName(types.rhs) + " " +
          elementName(types.accumulator) + (types.factors.empty() ? "" : " ") +
          types.factors)
      .str();
}

static std::optional<ElementKind> parseElement(StringRef name) {
  for (unsigned number = 0; number < kElementKinds; ++number)
    if (elementName(ElementKind(number)) == name)
      return ElementKind(number);
  return std::nullopt;
}

/// "tf32" or "bf16x3": a float type, and how many products of its parts.
static bool isFactors(StringRef word) {
  auto [name, count] = word.split('x');
  uint64_t products = 0;
  if (word.contains('x') && (count.getAsInteger(10, products) || products < 2))
    return false;
  return name == "tf32" || name == elementName(ElementKind::BF16) ||
         name == elementName(ElementKind::F16);
}

static std::optional<KernelTypes> parseTypes(StringRef text) {
  SmallVector<StringRef> words;
  text.split(words, ' ');
  const auto *family = llvm::find(familyNames, words.front());
  if (words.size() < 4 || words.size() > 5 || family == std::end(familyNames))
    return std::nullopt;
  std::string factors;
  if (words.size() == 5) {
    factors = words.pop_back_val().str();
    if (!isFactors(factors))
      return std::nullopt;
  }
  ElementKind kinds[3];
  for (auto [kind, word] : llvm::zip_equal(kinds, llvm::drop_begin(words))) {
    std::optional<ElementKind> known = parseElement(word);
    if (!known)
      return std::nullopt;
    kind = *known;
  }
  return KernelTypes{KernelFamily(family - familyNames), kinds[0], kinds[1],
                     kinds[2], std::move(factors)};
}

DictionaryAttr DispatchFacts::toAttr(MLIRContext *context) const {
  Builder b(context);
  DispatchFacts copy = *this;
  NamedAttrList list;
  for (const Number &number : numbersOf(copy))
    list.set(number.key, b.getI64IntegerAttr(number.value));
  auto texts = [&](ArrayRef<KernelTypes> rows) {
    return b.getArrayAttr(
        llvm::map_to_vector(rows, [&](const KernelTypes &types) -> Attribute {
          return b.getStringAttr(text(types));
        }));
  };
  list.set("kernels", texts(kernels));
  list.set("quantized_products", texts(quantizedProducts));
  SmallVector<StringRef> names(composites.begin(), composites.end());
  list.set("composites", b.getStrArrayAttr(names));
  SmallVector<StringRef> elements;
  for (ElementKind kind : narrowElements)
    elements.push_back(elementName(kind));
  list.set("narrow_elements", b.getStrArrayAttr(elements));
  SmallVector<StringRef> options;
  for (AttentionOption option : attentionOptions)
    options.push_back(optionNames[static_cast<unsigned>(option)]);
  list.set("attention_options", b.getStrArrayAttr(options));
  list.set("matrix_packing", b.getStringAttr(packing.matrix));
  list.set("filter_packing", b.getStringAttr(packing.filter));
  list.set("quad_packing", b.getStringAttr(packing.quads));
  list.set("filter_quad_packing", b.getStringAttr(packing.filterQuads));
  list.set("pair_packing", b.getStringAttr(packing.pairs));
  list.set("filter_pair_packing", b.getStringAttr(packing.filterPairs));
  return list.getDictionary(context);
}

/// The rows of a list; nothing if one is none.
static std::optional<std::vector<KernelTypes>> parseRows(Attribute list) {
  auto texts = dyn_cast_or_null<ArrayAttr>(list);
  if (!texts)
    return std::nullopt;
  std::vector<KernelTypes> rows;
  for (Attribute attr : texts) {
    auto text = dyn_cast<StringAttr>(attr);
    std::optional<KernelTypes> types =
        text ? parseTypes(text.getValue()) : std::nullopt;
    if (!types)
      return std::nullopt;
    rows.push_back(std::move(*types));
  }
  return rows;
}

/// Whether all layouts are there: none, or of a matrix and of a filter of one
/// group.
static bool readPacking(DictionaryAttr dictionary, PackingFacts &packing) {
  auto read = [&](StringRef key, std::string &layout, bool isFilter) {
    auto text = dictionary.getAs<StringAttr>(key);
    if (!text)
      return false;
    layout = text.str();
    return layout.empty() || (isFilter ? kernel::filterGroups(layout) == 1
                                       : kernel::isMatrixPacking(layout));
  };
  return read("matrix_packing", packing.matrix, /*isFilter=*/false) &&
         read("filter_packing", packing.filter, /*isFilter=*/true) &&
         read("quad_packing", packing.quads, /*isFilter=*/false) &&
         read("filter_quad_packing", packing.filterQuads, /*isFilter=*/true) &&
         read("pair_packing", packing.pairs, /*isFilter=*/false) &&
         read("filter_pair_packing", packing.filterPairs, /*isFilter=*/true);
}

std::optional<DispatchFacts>
DispatchFacts::fromAttr(DictionaryAttr dictionary) {
  DispatchFacts facts;
  for (const Number &number : numbersOf(facts)) {
    auto value = dictionary.getAs<IntegerAttr>(number.key);
    if (!value || !value.getType().isInteger(64) || value.getInt() <= 0)
      return std::nullopt;
    number.value = value.getInt();
  }
  auto kernels = parseRows(dictionary.get("kernels"));
  auto quantized = parseRows(dictionary.get("quantized_products"));
  // What is multiplied fast is multiplied at all.
  if (!kernels || !quantized || !readPacking(dictionary, facts.packing) ||
      !llvm::all_of(*quantized, [&](const KernelTypes &types) {
        return llvm::is_contained(*kernels, types);
      }))
    return std::nullopt;
  facts.kernels = std::move(*kernels);
  facts.quantizedProducts = std::move(*quantized);
  auto elements = dictionary.getAs<ArrayAttr>("narrow_elements");
  if (!elements)
    return std::nullopt;
  for (Attribute attr : elements) {
    auto name = dyn_cast<StringAttr>(attr);
    std::optional<ElementKind> kind =
        name ? parseElement(name.getValue()) : std::nullopt;
    if (!kind || !isNarrow(*kind))
      return std::nullopt;
    facts.narrowElements.push_back(*kind);
  }
  auto options = dictionary.getAs<ArrayAttr>("attention_options");
  auto composites = dictionary.getAs<ArrayAttr>("composites");
  if (!options || !composites)
    return std::nullopt;
  for (Attribute attr : composites) {
    auto name = dyn_cast<StringAttr>(attr);
    if (!name)
      return std::nullopt;
    facts.composites.push_back(name.str());
  }
  for (Attribute attr : options) {
    auto name = dyn_cast<StringAttr>(attr);
    const auto *option =
        name ? llvm::find(optionNames, name.getValue()) : std::end(optionNames);
    if (option == std::end(optionNames))
      return std::nullopt;
    facts.attentionOptions.push_back(AttentionOption(option - optionNames));
  }
  return facts;
}

} // namespace heddle
