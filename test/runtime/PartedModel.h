// Programs that several ranks run together, made by hand, and their calls.

#ifndef HEDDLE_TEST_RUNTIME_PARTEDMODEL_H
#define HEDDLE_TEST_RUNTIME_PARTEDMODEL_H

#include "test/runtime/ModelParts.h"
#include "test/runtime/check.h"

#include <algorithm>
#include <unistd.h>

namespace heddle::test {
using namespace format;

using Bytes = std::vector<char>;

/// Elements of a rank's input and output of a collective, of which the smaller
/// has `pieces`.
struct CollectiveSizes {
  int64_t in, out;

  CollectiveSizes(CollectiveKind kind, uint32_t groupSize, int64_t pieces)
      : in(pieces), out(pieces) {
    if (kind == CollectiveKind::all_gather)
      out *= groupSize;
    if (kind == CollectiveKind::reduce_scatter ||
        kind == CollectiveKind::all_to_all)
      in *= groupSize;
    if (kind == CollectiveKind::all_to_all)
      out = in;
  }
};

/// A program of several ranks with one input and one output, both cut along
/// their only dimension: rank r has part r.
struct Parted {
  Model model;
  uint32_t ranks, input, output;

  Parted(uint32_t ranks, DataType dtype, int64_t in, int64_t out)
      : ranks(ranks) {
    model.manifest.required_features = {"ranks"};
    model.manifest.ranks = ranks;
    EntryT &entry = model.entry("main");
    entry.inputs.push_back(cut("x", dtype, in));
    entry.outputs.push_back(cut("y", dtype, out));
    int64_t bytes = heddle_dtype_bytes(heddle_dtype(dtype));
    input = model.buffer(BufferKind::input, 0, in * bytes);
    output = model.buffer(BufferKind::output, 0, out * bytes);
    model.program().body = model.block();
  }

  std::unique_ptr<TensorT> cut(const char *name, DataType dtype, int64_t part) {
    auto result = tensor(model, name, dtype, {part});
    result->whole = {part * ranks};
    result->cuts = {Cut(0, ranks, 1)};
    return result;
  }

  CollectiveT collective(CollectiveKind kind, DataType dtype,
                         const std::vector<uint32_t> &groups, uint32_t size,
                         ReductionKind reduction = ReductionKind::sum) {
    CollectiveT made;
    made.kind = kind;
    made.reduction = reduction;
    made.dtype = dtype;
    made.source = bound(input, Access::read);
    made.target = bound(output, Access::write);
    for (uint32_t rank : groups)
      made.group.push_back(model.constant(rank));
    made.group_size = size;
    return made;
  }

  std::unique_ptr<Binding> bound(uint32_t buffer, Access access) {
    return std::make_unique<Binding>(model.bind(buffer, access));
  }

  /// Writes the rank's number to a buffer.
  void rank(uint32_t target) {
    RankT made;
    made.target = bound(target, Access::write);
    model.command().action.Set(std::move(made));
  }

  /// Writes the program and loads it. `folder` is that of the test models.
  heddle_program *load(const std::string &folder,
                       const heddle_custom_call *call = nullptr) const {
    static const KernelImage image =
        KernelImage::read(folder + "/../kernels.elf");
    std::string path =
        folder + "/ranks-" + std::to_string(getpid()) + ".heddle";
    Error error = model.write(image, path);
    if (error) {
      std::fprintf(stderr, "%s\n", error.message().c_str());
      std::exit(1);
    }
    heddle_load_options options = {};
    options.size = sizeof(options);
    options.custom_calls = &call;
    options.custom_call_count = call ? 1 : 0;
    heddle_program *program = nullptr;
    OK(heddle_program_load_file(path.c_str(), &options, &program));
    unlink(path.c_str());
    return program;
  }
};

/// Four ranks of which each calls "trouble" with its number, and then sum what
/// that gives, each with so many of its neighbours.
inline Parted troubledModel(uint32_t groupSize = 4) {
  Parted parted(4, DataType::i32, 1, 1);
  Model &model = parted.model;
  model.arena(128);
  uint32_t number = model.buffer(BufferKind::arena, 0, 4),
           checked = model.buffer(BufferKind::arena, 0, 4, 64);
  CustomCallT called;
  called.has_side_effect = true;
  called.operands.push_back(tensor(model, "", DataType::i32, {}));
  called.results.push_back(tensor(model, "", DataType::i32, {}));
  uint32_t kernel = model.customCall("trouble", std::move(called));
  parted.rank(number);
  model.launch(
      kernel,
      {model.bind(number, Access::read), model.bind(checked, Access::write)},
      {}, 1);
  CollectiveT sum = parted.collective(CollectiveKind::all_reduce, DataType::i32,
                                      {0, 1, 2, 3}, groupSize);
  sum.source = parted.bound(checked, Access::read);
  model.command().action.Set(std::move(sum));
  return parted;
}

/// Three ranks of which the first goes another way than the others, which sum
/// their inputs: past that, or to a collective of its own.
inline Parted partingModel(const CollectiveKind *elsewhere) {
  Parted parted(3, DataType::i32, 1, 1);
  Model &model = parted.model;
  model.arena(64);
  uint32_t number = model.buffer(BufferKind::arena, 0, 4);
  parted.rank(number);
  BranchT branch;
  branch.selector = parted.bound(number, Access::read);
  branch.blocks = {1, 2};
  model.command().action.Set(std::move(branch));
  model.block();
  if (elsewhere)
    model.command().action.Set(
        parted.collective(*elsewhere, DataType::i32, {0, 1, 2}, 3));
  else
    copyWhole(model, parted.input, parted.output, 0);
  model.block();
  model.command().action.Set(parted.collective(CollectiveKind::all_reduce,
                                               DataType::i32, {0, 1, 2}, 3));
  return parted;
}

inline heddle_status callRanks(heddle_ranks *ranks, heddle_dtype dtype,
                               Bytes &in, Bytes &out,
                               const heddle_call_options *options = nullptr) {
  int64_t bytes = int64_t(heddle_dtype_bytes(dtype));
  int64_t inShape = int64_t(in.size()) / bytes,
          outShape = int64_t(out.size()) / bytes;
  heddle_tensor x = make_tensor(in.data(), dtype, 1, &inShape),
                y = make_tensor(out.data(), dtype, 1, &outShape);
  const heddle_tensor *inputs[] = {&x}, *outputs[] = {&y};
  return heddle_ranks_call(ranks, inputs, 1, outputs, 1, options);
}

/// What ranks are made of: as heddle_ranks_options says it.
inline const char *rankEngine = nullptr;

inline heddle_ranks *makeRanks(heddle_program *program) {
  heddle_ranks_options options = {};
  options.size = sizeof(options);
  options.engine = rankEngine;
  heddle_ranks *ranks = nullptr;
  OK(heddle_ranks_create(program, 0, &options, &ranks));
  return ranks;
}

template <typename T> Bytes toBytes(const std::vector<T> &values) {
  auto *data = reinterpret_cast<const char *>(values.data());
  return Bytes(data, data + values.size() * sizeof(T));
}

template <typename T> std::vector<T> fromBytes(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy_n(bytes.data(), bytes.size(),
              reinterpret_cast<char *>(values.data()));
  return values;
}
} // namespace heddle::test

#endif // HEDDLE_TEST_RUNTIME_PARTEDMODEL_H
