//===- LoadedProgram.cpp
//--------------------------------------------------------===//

#include "runtime/LoadedProgram.h"

#include "runtime/Call.h"
#include "runtime/drivers/cpu/Clock.h"
#include "runtime/drivers/cpu/DebugSymbols.h"
#include "runtime/drivers/cpu/Features.h"
#include "runtime/drivers/cpu/FloatEnvironment.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/ManifestVerifier.h"

#include <cstring>
#include <sys/resource.h>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

static uint64_t threadPageFaults() {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<uint64_t>(usage.ru_minflt + usage.ru_majflt);
}

LoadedProgram::~LoadedProgram() { unregisterFromGdb(debugSymbols); }

Error LoadedProgram::loadFile(const char *path,
                              const heddle_load_options &options) {
  uint64_t start = monotonicNs();
  loadReport.page_faults = threadPageFaults();
  if (Error error = reader.open(std::string(path)))
    return error;
  return load(options, start);
}

Error LoadedProgram::loadMemory(const void *data, uint64_t bytes,
                                const heddle_load_options &options) {
  uint64_t start = monotonicNs();
  loadReport.page_faults = threadPageFaults();
  if (Error error = reader.openMemory(data, bytes))
    return error;
  return load(options, start);
}

Error LoadedProgram::load(const heddle_load_options &options,
                          uint64_t startNs) {
  if (Error error = chooseVariant(options.variant))
    return error;
  if (Error error = bindCustomCalls(*chosen, options, boundCalls))
    return error;
  uint64_t verified = monotonicNs();
  if (Error error = placeWeights(options))
    return error;
  uint64_t weightsPlaced = monotonicNs();
  if (Error error = image.load(reader, chosen->code()))
    return error;
  describeEntries();
  if (Error error = runInit())
    return error;
  if (options.flags & HEDDLE_SYMBOLS_PERF)
    writePerfMap(image, *chosen);
  if (options.flags & HEDDLE_SYMBOLS_GDB)
    debugSymbols = registerWithGdb(image, *chosen);

  loadReport.size = sizeof(loadReport);
  loadReport.variant = chosen->name() ? chosen->name()->c_str() : "";
  loadReport.verify_ns = verified - startNs;
  loadReport.weights_ns = weightsPlaced - verified;
  loadReport.code_ns = monotonicNs() - weightsPlaced;
  for (uint32_t i = 0; i < length(manifest().weights()); ++i)
    loadReport.weights_bytes += manifest().weights()->Get(i)->size();
  loadReport.code_bytes = reader.section(chosen->code()).size;
  loadReport.file_bytes = reader.file().size;
  loadReport.flushes_subnormals = manifest().flush_subnormals();
  loadReport.page_faults = threadPageFaults() - loadReport.page_faults;
  return {};
}

/// The first feature of the variant that is missing here; empty if none is.
static std::string missingFeature(const Variant &variant) {
  if (text(variant.architecture()) != hostArchitecture())
    return text(variant.architecture());
  for (uint32_t i = 0; i < length(variant.features()); ++i) {
    std::string feature = text(variant.features()->Get(i));
    if (!cpuHas(feature))
      return feature;
  }
  return {};
}

Error LoadedProgram::chooseVariant(const char *name) {
  std::string offered;
  for (uint32_t i = 0; i < length(manifest().variants()); ++i) {
    const Variant &variant = *manifest().variants()->Get(i);
    std::string missing = missingFeature(variant);
    bool named = name && text(variant.name()) == name;
    if (named && !missing.empty())
      return {HEDDLE_TARGET_MISMATCH, "variant '" + std::string(name) +
                                          "' needs " + missing +
                                          ", which this machine lacks"};
    offered += (offered.empty() ? "'" : ", '") + text(variant.name()) + "'";
    if (!missing.empty())
      offered += " (needs " + missing + ")";
    if (name ? !named : !missing.empty())
      continue;
    if (!chosen || variant.preference() > chosen->preference()) {
      chosen = &variant;
      variantIndex = i;
    }
  }
  if (chosen)
    return {};
  if (name)
    return {HEDDLE_VARIANT_UNKNOWN,
            "there is no variant '" + std::string(name) + "', only " + offered};
  return {HEDDLE_TARGET_MISMATCH, "no variant runs on this machine (" +
                                      std::string(hostArchitecture()) +
                                      "): there is " + offered};
}

Error LoadedProgram::placeWeights(const heddle_load_options &options) {
  if (options.flags & HEDDLE_VERIFY_WEIGHTS)
    if (Error error = reader.verifyWeights())
      return error;
  // A section at a time, so that weights keep their places in it.
  std::vector<const char *> sections(length(manifest().sections()));
  for (uint32_t i = 0; i < sections.size(); ++i) {
    format::Bytes bytes = reader.section(i);
    sections[i] = bytes.data;
    if (manifest().sections()->Get(i)->kind() != SectionKind::weights)
      continue;
    if (options.flags & HEDDLE_WEIGHTS_HUGE) {
      Region region;
      if (Error error = region.allocate(bytes.size, false, "the weights"))
        return error;
      if (bytes.size)
        std::memcpy(region.data(), bytes.data, bytes.size);
      sections[i] = region.data();
      weightMemory.push_back(std::move(region));
    } else if (options.flags & HEDDLE_WEIGHTS_PREFAULT) {
      prefault(bytes.data, bytes.size, /*forWriting=*/false);
    } else if (!(options.flags & HEDDLE_WEIGHTS_LAZY)) {
      prefaultCached(bytes.data, bytes.size);
    }
  }
  for (uint32_t i = 0; i < length(manifest().weights()); ++i) {
    const Weight &weight = *manifest().weights()->Get(i);
    weightData.push_back(sections[weight.section()] + weight.offset());
  }
  return {};
}

void LoadedProgram::describeEntries() {
  for (uint32_t i = 0; i < length(manifest().symbols()); ++i) {
    const Symbol &symbol = *manifest().symbols()->Get(i);
    largestSymbols.push_back(symbol.maximum() / symbol.multiple() *
                             symbol.multiple());
  }
  std::vector<int64_t> least, largest;
  // Evaluated before, when the manifest was verified; for the largest symbols
  // an overflow leaves extents of -1, which no tensor has.
  Error fits = evaluate(manifest().expressions(), leastSymbols(manifest()),
                        HEDDLE_MANIFEST_INVALID, least);
  if (!fits)
    fits = evaluate(manifest().expressions(), largestSymbols,
                    HEDDLE_MANIFEST_INVALID, largest);
  largest.resize(least.size(), -1);

  auto describe = [&](const Tensor &tensor) {
    TensorSpec spec = {text(tensor.name()), tensor.dtype(), {}, {}, {}, 0,
                       tensor.alignment(),  tensor.alias()};
    if (!spec.alignment)
      spec.alignment = static_cast<uint32_t>(
          heddle_dtype_bytes(static_cast<heddle_dtype>(tensor.dtype())));
    for (uint32_t i = 0; i < length(tensor.shape()); ++i) {
      uint32_t expression = tensor.shape()->Get(i);
      spec.shape.push_back(expression);
      spec.leastShape.push_back(least[expression]);
      spec.largestShape.push_back(largest[expression]);
    }
    spec.largestBytes = tensorBytes(tensor, largest);
    return spec;
  };
  for (uint32_t i = 0; i < length(manifest().entries()); ++i) {
    const Entry &entry = *manifest().entries()->Get(i);
    EntrySpec spec;
    spec.name = text(entry.name());
    for (uint32_t j = 0; j < length(entry.inputs()); ++j)
      spec.inputs.push_back(describe(*entry.inputs()->Get(j)));
    for (uint32_t j = 0; j < length(entry.outputs()); ++j)
      spec.outputs.push_back(describe(*entry.outputs()->Get(j)));
    for (uint32_t j = 0; j < length(plan().programs()); ++j)
      if (plan().programs()->Get(j)->entry() == i)
        spec.program = plan().programs()->Get(j);
    specs.push_back(std::move(spec));
  }
}

Error LoadedProgram::runInit() {
  std::vector<int64_t> values, unused;
  if (Error error = evaluate(plan().expressions(), leastSymbols(manifest()),
                             HEDDLE_PLAN_INVALID, values))
    return error;
  if (plan().persistent() != none)
    if (Error error = persistentMemory.allocate(
            static_cast<size_t>(values[plan().persistent()]), true,
            "persistent memory"))
      return error;
  const format::Program *init = plan().init();
  if (!init)
    return {};
  uint64_t scratch = scratchBytes(*init, *chosen);
  auto arena = alignUp(static_cast<uint64_t>(values[init->arena()]), pageBytes);
  Region memory;
  if (Error error = memory.allocate(arena + scratch, false, "loading"))
    return error;
  Steps steps;
  steps.prepare(*init, manifest(), *chosen, {image, boundCalls},
                {values, unused}, 0,
                {memory.data(), persistentMemory.data(), &weightData});
  heddle_call_options options = {};
  bool flush = manifest().flush_subnormals();
  FloatEnvironment environment(flush);
  Call call(steps, memory.data() + arena, scratch, options, /*alone=*/true,
            flush);
  call.runAlone();
  return {};
}

Error LoadedProgram::sharedPool(std::shared_ptr<Pool> &result) {
  std::lock_guard<std::mutex> lock(poolMutex);
  if (!pool) {
    auto created = std::make_shared<Pool>(Pool::Options());
    if (Error error = created->start())
      return error;
    pool = std::move(created);
  }
  result = pool;
  return {};
}
