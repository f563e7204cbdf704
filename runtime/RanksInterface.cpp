// The functions of include/heddle/runtime.h for ranks.

#include "runtime/Border.h"
#include "runtime/RankGroup.h"
#include "runtime/format/Collectives.h"
#include "runtime/format/ManifestTables.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::runtime;

struct heddle_ranks {
  std::unique_ptr<RankGroup> group;
};

uint32_t heddle_program_ranks(const heddle_program *program) {
  return program ? program->program->manifest().ranks() : 0;
}

heddle_status heddle_ranks_create(heddle_program *program, size_t entry,
                                  const heddle_ranks_options *given,
                                  heddle_ranks **out_ranks) {
  return guarded([&]() -> heddle_status {
    heddle_ranks_options options;
    if (!program || !out_ranks)
      return invalid(nullPointer);
    if (!readOptions(given, options))
      return invalid(badSize);
    if (entry >= heddle_program_entry_count(program))
      return toStatus({HEDDLE_ENTRY_UNKNOWN,
                       "there is no entry number " + std::to_string(entry)});
    if (options.threads > 4096)
      return invalid("more than 4096 threads");
    auto ranks = std::make_unique<heddle_ranks>();
    if (Error error =
            RankGroup::make(program->program, entry, options, ranks->group))
      return toStatus(error);
    *out_ranks = ranks.release();
    return toStatus({});
  });
}

void heddle_ranks_destroy(heddle_ranks *ranks) { delete ranks; }

size_t heddle_ranks_threads(const heddle_ranks *ranks) {
  return ranks ? ranks->group->threads() : 0;
}

heddle_status heddle_ranks_serve(heddle_ranks *ranks) {
  return guarded([&]() -> heddle_status {
    if (!ranks)
      return invalid(nullPointer);
    return toStatus(ranks->group->serveCalls());
  });
}

//===----------------------------------------------------------------------===//
// Where parts lie
//===----------------------------------------------------------------------===//

size_t heddle_program_mesh_axis_count(const heddle_program *program) {
  return program ? format::length(program->program->manifest().mesh()) : 0;
}

heddle_status heddle_program_mesh_axis(const heddle_program *program,
                                       size_t number, const char **out_name,
                                       uint32_t *out_ranks) {
  return guarded([&]() -> heddle_status {
    if (!program || !out_name || !out_ranks)
      return invalid(nullPointer);
    if (number >= heddle_program_mesh_axis_count(program))
      return invalid("the mesh has no axis of that number");
    const format::MeshAxis &axis = *program->program->manifest().mesh()->Get(
        static_cast<uint32_t>(number));
    *out_name = axis.name() ? axis.name()->c_str() : "";
    *out_ranks = axis.size();
    return toStatus({});
  });
}

/// The part that a rank has of a tensor of an entry.
static heddle_status findPart(const heddle_program *program, size_t entry,
                              bool isInput, size_t index, uint32_t rank,
                              int64_t *outBegin, int64_t *outInside) {
  if (!program || !outBegin || !outInside)
    return invalid(nullPointer);
  if (entry >= heddle_program_entry_count(program))
    return toStatus({HEDDLE_ENTRY_UNKNOWN,
                     "there is no entry number " + std::to_string(entry)});
  const EntrySpec &found = program->program->entries()[entry];
  const std::vector<TensorSpec> &specs = isInput ? found.inputs : found.outputs;
  if (index >= specs.size())
    return invalid(isInput ? "the entry has no input of that number"
                           : "the entry has no output of that number");
  const format::Manifest &manifest = program->program->manifest();
  if (rank >= manifest.ranks())
    return invalid("the program has no rank of that number");
  auto number = static_cast<uint32_t>(index);
  const format::Tensor &tensor = isInput
                                     ? *found.record->inputs()->Get(number)
                                     : *found.record->outputs()->Get(number);
  format::TensorPart part = format::partAt(tensor, specs[index].largestShape,
                                           format::placeOf(manifest, rank));
  std::copy(part.begin.begin(), part.begin.end(), outBegin);
  std::copy(part.inside.begin(), part.inside.end(), outInside);
  return toStatus({});
}

heddle_status heddle_program_input_part(const heddle_program *program,
                                        size_t entry, size_t index,
                                        uint32_t rank, int64_t *out_begin,
                                        int64_t *out_inside) {
  return guarded([&] {
    return findPart(program, entry, /*isInput=*/true, index, rank, out_begin,
                    out_inside);
  });
}

heddle_status heddle_program_output_part(const heddle_program *program,
                                         size_t entry, size_t index,
                                         uint32_t rank, int64_t *out_begin,
                                         int64_t *out_inside) {
  return guarded([&] {
    return findPart(program, entry, /*isInput=*/false, index, rank, out_begin,
                    out_inside);
  });
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

using Item = RankTensorList::Item;

static heddle_status callRanks(heddle_ranks *ranks,
                               const RankTensorList &inputs,
                               const RankTensorList &outputs,
                               const heddle_call_options *given) {
  heddle_call_options options;
  if (!ranks || (inputs.count && !inputs.list) ||
      (outputs.count && !outputs.list))
    return invalid(nullPointer);
  if (Error error = readCallOptions(given, options))
    return toStatus(error);
  return toStatus(ranks->group->call(inputs, outputs, options));
}

static RankTensorList wholes(const heddle_tensor *const *list, size_t count) {
  return {list, count, [](const void *list, size_t index) -> Item {
            auto *tensors = static_cast<const heddle_tensor *const *>(list);
            return {tensors[index], nullptr};
          }};
}

heddle_status
heddle_ranks_call(heddle_ranks *ranks, const heddle_tensor *const *inputs,
                  size_t input_count, const heddle_tensor *const *outputs,
                  size_t output_count, const heddle_call_options *options) {
  return guarded([&] {
    return callRanks(ranks, wholes(inputs, input_count),
                     wholes(outputs, output_count), options);
  });
}

/// That a tensor of a list is none, or has both forms.
static Error checkForms(const heddle_parted_tensor *const *list, size_t count,
                        const char *kind) {
  for (size_t i = 0; list && i < count; ++i) {
    heddle_parted_tensor tensor;
    const char *problem = nullptr;
    if (!list[i])
      problem = nullPointer;
    else if (!readOptions(list[i], tensor))
      problem = badSize;
    else if (!tensor.whole == !tensor.parts)
      problem = "either whole or parts is wanted";
    if (problem)
      return {HEDDLE_ARGUMENT_INVALID, std::string(kind) + " number " +
                                           std::to_string(i) + ": " + problem};
  }
  return {};
}

static RankTensorList parted(const heddle_parted_tensor *const *list,
                             size_t count) {
  return {list, count, [](const void *list, size_t index) -> Item {
            auto *all = static_cast<const heddle_parted_tensor *const *>(list);
            heddle_parted_tensor tensor = {};
            readOptions(all[index], tensor);
            return {tensor.whole, tensor.parts};
          }};
}

heddle_status heddle_ranks_call_parts(
    heddle_ranks *ranks, const heddle_parted_tensor *const *inputs,
    size_t input_count, const heddle_parted_tensor *const *outputs,
    size_t output_count, const heddle_call_options *options) {
  return guarded([&]() -> heddle_status {
    if (Error error = checkForms(inputs, input_count, "input"))
      return toStatus(error);
    if (Error error = checkForms(outputs, output_count, "output"))
      return toStatus(error);
    return callRanks(ranks, parted(inputs, input_count),
                     parted(outputs, output_count), options);
  });
}

heddle_status
heddle_ranks_call_own(heddle_ranks *ranks, const heddle_tensor *const *inputs,
                      size_t input_count, const heddle_tensor *const *outputs,
                      size_t output_count, const heddle_call_options *given) {
  return guarded([&]() -> heddle_status {
    heddle_call_options options;
    if (!ranks || (input_count && !inputs) || (output_count && !outputs))
      return invalid(nullPointer);
    if (Error error = readCallOptions(given, options))
      return toStatus(error);
    return toStatus(ranks->group->callOwn(inputs, input_count, outputs,
                                          output_count, options));
  });
}
