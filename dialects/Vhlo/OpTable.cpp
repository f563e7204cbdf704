// Names, versions and attributes are facts of the format; see OpTable.h for
// what the columns mean.

#include "dialects/Vhlo/OpTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace heddle::vhlo {

using A = AttributeRow;
using F = Form;
using D = Default;

static constexpr Version kNone{0, 0, 0};
static constexpr Version kFirst = kOldest;

// Attributes that several operations have.
static const A kDimension[] = {{"dimension"}};
static const A kDimensions[] = {{"dimensions", F::Dims}};
static const A kAccuracy[] = {
    {"result_accuracy", F::Same, D::Accuracy, /*firstRevision=*/2}};
static const A kPrecision[] = {{"precision_config", F::Same, D::Precisions}};
static const A kEinsum[] = {{"einsum_config"}};
static const A kBatchNorm[] = {{"epsilon"}, {"feature_index"}};

// The others, in the order of the table.
static const A kAllGather[] = {{"all_gather_dim"},
                               {"replica_groups"},
                               {"use_global_device_ids", F::Unit, D::False}};
static const A kAllReduce[] = {{"replica_groups"},
                               {"use_global_device_ids", F::Unit, D::False}};
static const A kAllToAll[] = {{"split_dimension"},
                              {"concat_dimension"},
                              {"split_count"},
                              {"replica_groups"}};
static const A kBroadcast[] = {{"broadcast_sizes", F::Dims}};
static const A kBroadcastInDim[] = {{"broadcast_dimensions", F::Dims}};
static const A kCall[] = {{"callee", F::Symbol}};
static const A kCholesky[] = {{"lower", F::Same, D::False}};
static const A kCollectiveBroadcast[] = {
    {"replica_groups"},
    {"has_dynamic_root", F::Unit, D::False, /*firstRevision=*/2}};
static const A kCollectiveReduce[] = {
    {"replica_groups"},
    {"use_global_device_ids", F::Unit, D::False},
    {"has_dynamic_root", F::Unit, D::False}};
static const A kCollectivePermute[] = {{"source_target_pairs"}};
static const A kCompare[] = {{"comparison_direction"},
                             {"compare_type", F::Same, D::NoComparisonType}};
static const A kComposite[] = {
    {"name"},
    {"composite_attributes", F::Same, D::EmptyDictionary},
    {"decomposition", F::Symbol},
    {"version", F::Same, D::ZeroI32}};
static const A kConstant[] = {{"value"}};
static const A kConvolutionAttributes[] = {
    {"window_strides", F::Dims, D::Ones},
    {"padding", F::Same, D::ZeroPairs},
    {"lhs_dilation", F::Dims, D::Ones},
    {"rhs_dilation", F::Dims, D::Ones},
    {"window_reversal", F::Bools, D::Falses},
    {"feature_group_count"},
    {"batch_group_count"},
    {"precision_config", F::Same, D::Precisions}};
// The first revision had an attribute beside the operand, and ignored it.
static const A kDynamicConvAttributes[] = {
    {"window_strides", F::Dims, D::Ones},
    {"padding", F::Same, D::ZeroPairs, 1, /*lastRevision=*/1},
    {"lhs_dilation", F::Dims, D::Ones},
    {"rhs_dilation", F::Dims, D::Ones},
    {"window_reversal", F::Bools, D::Falses},
    {"feature_group_count"},
    {"batch_group_count"},
    {"precision_config", F::Same, D::Precisions}};
static const A kCrossReplicaSum[] = {{"replica_groups"}};
static const A kCustomCall[] = {
    {"call_target_name"},
    {"has_side_effect", F::Same, D::False},
    {"backend_config", F::Same, D::BackendConfig},
    {"api_version", F::ApiVersion, D::OriginalApi},
    {"called_computations", F::Symbols, D::EmptyArray},
    {"operand_layouts", F::Same, D::EmptyArray},
    {"result_layouts", F::Same, D::EmptyArray},
    {"output_operand_aliases", F::Same, D::EmptyArray},
    {"result_tilings", F::Same, D::EmptyArray, /*firstRevision=*/2}};
static const A kDynamicBroadcast[] = {
    {"broadcast_dimensions", F::Dims},
    {"known_expanding_dimensions", F::Dims, D::EmptyDims},
    {"known_nonexpanding_dimensions", F::Dims, D::EmptyDims}};
static const A kDynamicGather[] = {{"indices_are_sorted", F::Same, D::False}};
static const A kDynamicSlice[] = {{"slice_sizes", F::Dims}};
static const A kFft[] = {{"fft_type"}, {"fft_length", F::Dims}};
static const A kFunc[] = {{"sym_name"},
                          {"function_type"},
                          {"sym_visibility", F::Same, D::EmptyString},
                          {"arg_attrs", F::Same, D::EmptyArray},
                          {"res_attrs", F::Same, D::EmptyArray}};
static const A kGatherAttributes[] = {
    {"slice_sizes", F::Dims}, {"indices_are_sorted", F::Same, D::False}};
static const A kGetTupleElement[] = {{"index"}};
static const A kInfeed[] = {{"infeed_config", F::Same, D::EmptyString},
                            {"layout", F::Same, D::EmptyArray}};
static const A kIota[] = {{"iota_dimension"}};
static const A kOutfeed[] = {{"outfeed_config", F::Same, D::EmptyString}};
static const A kPad[] = {{"edge_padding_low", F::Dims},
                         {"edge_padding_high", F::Dims},
                         {"interior_padding", F::Dims}};
static const A kReducePrecision[] = {{"exponent_bits"}, {"mantissa_bits"}};
static const A kReduceScatter[] = {
    {"scatter_dimension"},
    {"replica_groups"},
    {"use_global_device_ids", F::Unit, D::False}};
static const A kReduceWindow[] = {{"window_dimensions", F::Dims},
                                  {"window_strides", F::Dims, D::Ones},
                                  {"base_dilations", F::Dims, D::Ones},
                                  {"window_dilations", F::Dims, D::Ones},
                                  {"padding", F::Same, D::ZeroPairs}};
static const A kRngBitGenerator[] = {{"rng_algorithm"}};
static const A kRng[] = {{"rng_distribution"}};
static const A kScatterAttributes[] = {
    {"indices_are_sorted", F::Same, D::False},
    {"unique_indices", F::Same, D::False}};
static const A kSelectAndScatter[] = {{"window_dimensions", F::Dims},
                                      {"window_strides", F::Dims, D::Ones},
                                      {"padding", F::Same, D::ZeroPairs}};
static const A kSlice[] = {{"start_indices", F::Dims},
                           {"limit_indices", F::Dims},
                           {"strides", F::Dims}};
static const A kSort[] = {{"dimension", F::Same, D::MinusOne},
                          {"is_stable", F::Same, D::False}};
static const A kTorchIndexSelect[] = {{"dim"}, {"batch_dims"}};
static const A kTransfer[] = {
    {"is_host_transfer", F::Same, D::False},
    {"source_target_pairs", F::Same, D::EmptyDims, /*firstRevision=*/2}};
static const A kTranspose[] = {{"permutation", F::Dims}};
static const A kTriangularSolve[] = {
    {"left_side"}, {"lower"}, {"unit_diagonal"}, {"transpose_a"}};

static const StructRow *const kCollective[] = {&kChannelId};
static const StructRow *const kPointToPoint[] = {&kChannel};
static const StructRow *const kDot[] = {&kDotDimensions, &kDotAlgorithm};
static const StructRow *const kConvolutions[] = {&kConvolution};
static const StructRow *const kGathers[] = {&kGather};
static const StructRow *const kScatters[] = {&kScatter};

static const OpRow kRows[] = {
    {"abs", kFirst, kNone, {}},
    {"add", kFirst, kNone, {}},
    {"after_all", kFirst, kNone, {}},
    {"all_gather",
     kFirst,
     {1, 5, 0},
     kAllGather,
     kCollective,
     Limit::OneOperand},
    {"all_reduce",
     kFirst,
     {1, 5, 0},
     kAllReduce,
     kCollective,
     Limit::OneOperand},
    {"all_to_all",
     kFirst,
     {1, 5, 0},
     kAllToAll,
     kCollective,
     Limit::OneOperand},
    {"and", kFirst, kNone, {}},
    {"async_done", {1, 15, 0}, kNone, {}},
    {"async_start", {1, 15, 0}, kNone, {}},
    {"atan2", kFirst, kNone, {}},
    {"batch_norm_grad", kFirst, kNone, kBatchNorm},
    {"batch_norm_inference", kFirst, kNone, kBatchNorm},
    {"batch_norm_training", kFirst, kNone, kBatchNorm},
    {"bitcast_convert", kFirst, kNone, {}},
    {"broadcast", kFirst, kNone, kBroadcast},
    {"broadcast_in_dim", kFirst, kNone, kBroadcastInDim},
    {"call", kFirst, kNone, kCall},
    {"case", kFirst, kNone, {}},
    {"cbrt", kFirst, {1, 10, 0}, kAccuracy},
    {"ceil", kFirst, kNone, {}},
    {"cholesky", kFirst, kNone, kCholesky},
    {"clamp", kFirst, kNone, {}},
    {"collective_broadcast",
     {0, 16, 0},
     {1, 20, 0},
     kCollectiveBroadcast,
     kCollective,
     Limit::OneOperand},
    {"collective_permute", kFirst, kNone, kCollectivePermute, kCollective},
    {"collective_reduce", {1, 19, 0}, kNone, kCollectiveReduce, kCollective},
    {"compare", kFirst, kNone, kCompare},
    {"complex", kFirst, kNone, {}},
    {"composite", {0, 19, 0}, {1, 14, 0}, kComposite, {}, Limit::NoRegions},
    {"concatenate", kFirst, kNone, kDimension},
    {"constant", kFirst, kNone, kConstant},
    {"convert", kFirst, kNone, {}},
    {"convolution", kFirst, kNone, kConvolutionAttributes, kConvolutions},
    {"cosine", kFirst, {1, 10, 0}, kAccuracy},
    {"count_leading_zeros", kFirst, kNone, {}},
    {"create_token", kFirst, kNone, {}},
    {"cross-replica-sum", kFirst, kNone, kCrossReplicaSum},
    {"custom_call", kFirst, {1, 18, 0}, kCustomCall},
    {"divide", kFirst, kNone, {}},
    {"dot", kFirst, kNone, kPrecision},
    {"dot_general", kFirst, {1, 6, 0}, kPrecision, kDot},
    {"dynamic_broadcast_in_dim", kFirst, kNone, kDynamicBroadcast},
    {"dynamic_conv", kFirst, {0, 20, 0}, kDynamicConvAttributes, kConvolutions},
    {"dynamic_gather", kFirst, {1, 1, 0}, kDynamicGather, kGathers},
    {"dynamic_iota", kFirst, kNone, kIota},
    {"dynamic_pad", kFirst, kNone, {}},
    {"dynamic_reshape", kFirst, kNone, {}},
    {"dynamic_slice", kFirst, kNone, kDynamicSlice},
    {"dynamic_update_slice", kFirst, kNone, {}},
    {"einsum", kFirst, kNone, kEinsum},
    {"exponential", kFirst, {1, 9, 0}, kAccuracy},
    {"exponential_minus_one", kFirst, {1, 10, 0}, kAccuracy},
    {"fft", kFirst, kNone, kFft},
    {"floor", kFirst, kNone, {}},
    {"func", kFirst, kNone, kFunc},
    {"gather", kFirst, {1, 1, 0}, kGatherAttributes, kGathers},
    {"get_dimension_size", kFirst, kNone, kDimension},
    {"get_tuple_element", kFirst, kNone, kGetTupleElement},
    {"if", kFirst, kNone, {}},
    {"imag", kFirst, kNone, {}},
    {"infeed", kFirst, kNone, kInfeed},
    {"iota", kFirst, kNone, kIota},
    {"is_finite", kFirst, kNone, {}},
    {"log", kFirst, {1, 10, 0}, kAccuracy},
    {"log_plus_one", kFirst, {1, 10, 0}, kAccuracy},
    {"logistic", kFirst, {1, 10, 0}, kAccuracy},
    {"map", kFirst, kNone, kDimensions},
    {"maximum", kFirst, kNone, {}},
    {"minimum", kFirst, kNone, {}},
    {"multiply", kFirst, kNone, {}},
    {"negate", kFirst, kNone, {}},
    {"not", kFirst, kNone, {}},
    {"optimization_barrier", kFirst, kNone, {}},
    {"or", kFirst, kNone, {}},
    {"outfeed", kFirst, kNone, kOutfeed},
    {"pad", kFirst, kNone, kPad},
    {"partition_id", kFirst, kNone, {}},
    {"popcnt", kFirst, kNone, {}},
    {"power", kFirst, kNone, {}},
    {"real", kFirst, kNone, {}},
    {"real_dynamic_slice", kFirst, kNone, {}},
    {"recv", kFirst, {1, 12, 0}, kTransfer, kPointToPoint},
    {"reduce", kFirst, kNone, kDimensions},
    {"reduce_precision", kFirst, kNone, kReducePrecision},
    {"reduce_scatter", kFirst, kNone, kReduceScatter, kCollective},
    {"reduce_window", kFirst, kNone, kReduceWindow},
    {"remainder", kFirst, kNone, {}},
    {"replica_id", kFirst, kNone, {}},
    {"reshape", kFirst, kNone, {}},
    {"return", kFirst, kNone, {}},
    {"reverse", kFirst, kNone, kDimensions},
    {"rng", kFirst, kNone, kRng},
    {"rng_bit_generator", kFirst, kNone, kRngBitGenerator},
    {"round_nearest_afz", kFirst, kNone, {}},
    {"round_nearest_even", kFirst, kNone, {}},
    {"rsqrt", kFirst, {1, 10, 0}, kAccuracy},
    {"scatter", kFirst, {1, 1, 0}, kScatterAttributes, kScatters},
    {"select", kFirst, kNone, {}},
    {"select_and_scatter", kFirst, kNone, kSelectAndScatter},
    {"send", kFirst, {1, 12, 0}, kTransfer, kPointToPoint},
    {"set_dimension_size", kFirst, kNone, kDimension},
    {"shift_left", kFirst, kNone, {}},
    {"shift_right_arithmetic", kFirst, kNone, {}},
    {"shift_right_logical", kFirst, kNone, {}},
    {"sign", kFirst, kNone, {}},
    {"sine", kFirst, {1, 10, 0}, kAccuracy},
    {"slice", kFirst, kNone, kSlice},
    {"sort", kFirst, kNone, kSort},
    {"sqrt", kFirst, {1, 10, 0}, kAccuracy},
    {"subtract", kFirst, kNone, {}},
    {"tan", {1, 4, 0}, {1, 10, 0}, kAccuracy},
    {"tanh", kFirst, {1, 10, 0}, kAccuracy},
    {"torch_index_select", kFirst, kNone, kTorchIndexSelect},
    {"transpose", kFirst, kNone, kTranspose},
    {"triangular_solve", kFirst, kNone, kTriangularSolve},
    {"tuple", kFirst, kNone, {}},
    {"unary_einsum", kFirst, kNone, kEinsum},
    {"uniform_dequantize", kFirst, kNone, {}},
    {"uniform_quantize", kFirst, kNone, {}},
    {"while", kFirst, kNone, {}},
    {"xor", kFirst, kNone, {}},
};

llvm::ArrayRef<OpRow> opRows() { return kRows; }

const OpRow *findOpRow(llvm::StringRef name) {
  static const llvm::StringMap<const OpRow *> byName = [] {
    llvm::StringMap<const OpRow *> map;
    for (const OpRow &row : kRows)
      map[row.name] = &row;
    return map;
  }();
  auto [dialect, rest] = name.split('.');
  bool ofFunc = rest == "func" || rest == "call";
  if (dialect == "func" ? !ofFunc && rest != "return"
                        : dialect != "stablehlo" || ofFunc)
    return nullptr;
  return byName.lookup(rest);
}

llvm::SmallVector<const AttributeRow *> attributesOf(const OpRow &row,
                                                     unsigned revision) {
  llvm::SmallVector<const AttributeRow *> attributes;
  auto add = [&](llvm::ArrayRef<AttributeRow> rows) {
    for (const AttributeRow &attribute : rows)
      if (attribute.isIn(revision))
        attributes.push_back(&attribute);
  };
  add(row.attributes);
  for (const StructRow *structure : row.structures)
    add(structure->fields);
  llvm::sort(attributes, [](const AttributeRow *a, const AttributeRow *b) {
    return a->name < b->name;
  });
  return attributes;
}

} // namespace heddle::vhlo
