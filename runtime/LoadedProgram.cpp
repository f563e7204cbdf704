// Loads an artifact: checks, chooses a variant, maps weights, makes devices
// ready.

#include "runtime/LoadedProgram.h"

#include "runtime/Call.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/Clock.h"
#include "runtime/drivers/cpu/CpuDriver.h"
#include "runtime/drivers/cpu/DebugSymbols.h"
#include "runtime/drivers/cpu/Features.h"
#include "runtime/drivers/cpu/FloatEnvironment.h"
#include "runtime/format/Collectives.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/RecordKeys.h"
#include "runtime/format/TensorMemory.h"

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

LoadedProgram::~LoadedProgram() {
  unregisterFromGdb(debugSymbols);
  delete pool.load();
}

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
  if (Error error = chooseVariant(options))
    return error;
  if (Error error = checkPrecision(options))
    return error;
  if (Error error = bindCustomCalls(*chosen, options, boundCalls))
    return error;
  uint64_t verified = monotonicNs();
  if (Error error = placeWeights(options))
    return error;
  uint64_t weightsPlaced = monotonicNs();
  if (Error error = openDevices())
    return error;
  describeEntries();
  if (Error error = placeTensors())
    return error;
  describeStates();
  if (Error error = runInit())
    return error;
  if (options.flags & HEDDLE_SYMBOLS_PERF)
    writePerfMap(codeImage(host().image()), *chosen);
  if (options.flags & HEDDLE_SYMBOLS_GDB)
    debugSymbols = registerWithGdb(codeImage(host().image()), *chosen);

  loadReport.size = sizeof(loadReport);
  loadReport.variant = chosen->name() ? chosen->name()->c_str() : "";
  loadReport.verify_ns = verified - startNs;
  loadReport.weights_ns = weightsPlaced - verified;
  loadReport.code_ns = monotonicNs() - weightsPlaced;
  for (uint32_t i = 0; i < length(manifest().weights()); ++i)
    loadReport.weights_bytes += manifest().weights()->Get(i)->size();
  loadReport.code_bytes =
      reader.section(chosen->images()->Get(0)->section()).size;
  loadReport.file_bytes = reader.file().size;
  loadReport.flushes_subnormals = manifest().flush_subnormals();
  loadReport.page_faults = threadPageFaults() - loadReport.page_faults;
  return {};
}

/// What the image needs that is missing here; empty if nothing is.
static std::string missingFeature(const Image &image) {
  if (text(image.architecture()) != hostArchitecture())
    return text(image.architecture());
  for (uint32_t i = 0; i < length(image.features()); ++i) {
    std::string feature = text(image.features()->Get(i));
    if (!cpuHas(feature))
      return feature;
  }
  return {};
}

/// Which code for `device`, which is there, it does not run; empty if it runs
/// all of it.
static Error findMissingCode(const Variant &variant,
                             const format::Device &device,
                             const heddle_driver &driver,
                             std::string &missing) {
  for (uint32_t i = 0; driver.runs && i < length(variant.images()); ++i) {
    const Image &image = *variant.images()->Get(i);
    if (image.device() != device.kind())
      continue;
    heddle_status why;
    int32_t code =
        driver.runs(device.ordinal(), text(image.architecture()).c_str(), &why);
    if (code == HEDDLE_TARGET_MISMATCH)
      missing = "a device for its code (" + std::string(why.message) + ")";
    else if (code)
      return told(code, why);
  }
  return {};
}

/// Which of the variant's devices is missing here; empty if none is. What a
/// driver says of its kind is told once, in `reasons`.
static Error findMissingDevice(const Variant &variant, std::string &missing,
                               std::string &reasons) {
  for (uint32_t i = 1; i < length(variant.devices()); ++i) {
    const format::Device &device = *variant.devices()->Get(i);
    std::string what = "the device '" + deviceName(variant, i) + "'";
    const heddle_driver *driver =
        findDriver(static_cast<uint32_t>(device.kind()));
    if (!driver) {
      missing = what + ", for which this library has no driver,";
      return {};
    }
    heddle_status why;
    why.code = HEDDLE_OK;
    why.message[0] = '\0';
    uint32_t count = driver->device_count(&why);
    if (why.code == HEDDLE_OUT_OF_MEMORY)
      return told(why.code, why);
    if (device.ordinal() < count) {
      if (Error error = findMissingCode(variant, device, *driver, missing);
          error || !missing.empty())
        return error;
      continue;
    }
    missing = what + " (of '" + driver->name + "' there are " +
              std::to_string(count) + ")";
    if (*why.message && reasons.find(why.message) == std::string::npos)
      reasons += std::string(why.message) + "; ";
    return {};
  }
  return {};
}

/// What the variant's code for this processor needs that is missing here; empty
/// if nothing is.
static std::string missingFeature(const Variant &variant) {
  for (uint32_t i = 0; i < length(variant.images()); ++i)
    if (const Image &image = *variant.images()->Get(i);
        image.format() == CodeFormat::elf)
      if (std::string missing = missingFeature(image); !missing.empty())
        return missing;
  return {};
}

/// The kind of devices that a variant is for: the cpu where it has no other.
static std::string mainKind(const Variant &variant) {
  uint32_t main = length(variant.devices()) > 1 ? 1 : 0;
  return EnumNameDeviceKind(variant.devices()->Get(main)->kind());
}

/// The place of the variant's kind of devices in a list of kinds by commas;
/// nothing if it is not there. Without a list all are in one place.
static bool findPlace(const char *kinds, const Variant &variant,
                      size_t &place) {
  place = 0;
  if (!kinds)
    return true;
  std::string rest = kinds, own = mainKind(variant);
  for (size_t begin = 0; begin <= rest.size(); ++place) {
    size_t end = std::min(rest.find(',', begin), rest.size());
    if (rest.compare(begin, end - begin, own) == 0)
      return true;
    begin = end + 1;
  }
  return false;
}

Error LoadedProgram::chooseVariant(const heddle_load_options &options) {
  const char *name = options.variant;
  size_t chosenPlace = 0;
  std::string offered, reasons;
  // The code of what would run but for a device is that of the error.
  heddle_code code = HEDDLE_TARGET_MISMATCH;
  for (uint32_t i = 0; i < length(manifest().variants()); ++i) {
    const Variant &variant = *manifest().variants()->Get(i);
    std::string missing = reader.skipped(i);
    heddle_code kind = HEDDLE_TARGET_MISMATCH;
    if (missing.empty())
      missing = missingFeature(variant);
    if (missing.empty()) {
      if (Error error = findMissingDevice(variant, missing, reasons))
        return error;
      if (!missing.empty())
        code = kind = HEDDLE_DEVICE_MISSING;
    }
    bool named = name && text(variant.name()) == name;
    if (named && !missing.empty())
      return {kind, reasons + "variant '" + std::string(name) + "' needs " +
                        missing + ", which this machine lacks"};
    offered += (offered.empty() ? "'" : ", '") + text(variant.name()) + "'";
    if (!missing.empty())
      offered += " (needs " + missing + ")";
    size_t place;
    if (!findPlace(options.devices, variant, place) ||
        (name ? !named : !missing.empty()))
      continue;
    if (!chosen || place < chosenPlace ||
        (place == chosenPlace && variant.preference() > chosen->preference())) {
      chosen = &variant;
      chosenPlace = place;
      variantIndex = i;
    }
  }
  if (chosen)
    return {};
  if (options.devices)
    return {HEDDLE_DEVICE_MISSING,
            reasons + "there is no code for '" + std::string(options.devices) +
                "' that runs on this machine: there is " + offered};
  if (name)
    return {HEDDLE_VARIANT_UNKNOWN,
            "there is no variant '" + std::string(name) + "', only " + offered};
  return {code, reasons + "no variant runs on this machine (" +
                    std::string(hostArchitecture()) + "): there is " + offered};
}

/// The text that has this key; empty without one.
static const char *
valueOf(const flatbuffers::Vector<flatbuffers::Offset<format::KeyValue>> *pairs,
        const char *key) {
  for (uint32_t i = 0; i < length(pairs); ++i)
    if (const format::KeyValue &pair = *pairs->Get(i);
        pair.value() && text(pair.key()) == key)
      return pair.value()->c_str();
  return "";
}

/// Reports in what the program computes, and refuses it where too little is
/// known of the errors of that.
Error LoadedProgram::checkPrecision(const heddle_load_options &options) {
  loadReport.precision = valueOf(manifest().provenance(), format::precisionKey);
  loadReport.precision_tiers =
      valueOf(manifest().records(), format::precisionTiersKey);
  if (!options.precision_tier)
    return {};
  std::string wanted = options.precision_tier;
  if (wanted != "E" && wanted != "V")
    return {HEDDLE_ARGUMENT_INVALID,
            "precision_tier is '" + wanted + "'; E or V is wanted"};
  std::string precision = loadReport.precision,
              tiers = loadReport.precision_tiers;
  if (precision.empty() || tiers.find(wanted) != std::string::npos)
    return {};
  return {HEDDLE_PRECISION_TIER,
          "the program computes with " + precision +
              ", and its errors are not known in tier " + wanted +
              ", only in " + (tiers.empty() ? "none" : tiers) +
              ": compile it with --precision auto, or without --precision"};
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
      if (Error error = prefault(bytes.data, bytes.size, /*forWriting=*/false,
                                 "the weights"))
        return error;
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

Error LoadedProgram::openDevices() {
  for (uint32_t i = 0; i < length(chosen->devices()); ++i) {
    const format::Device &device = *chosen->devices()->Get(i);
    opened.push_back(std::make_unique<ProgramDevice>());
    if (Error error = opened.back()->open(
            *findDriver(static_cast<uint32_t>(device.kind())),
            device.ordinal()))
      return error;
    if (Error error = loadCode(*opened.back(), device.kind()))
      return error;
  }
  return {};
}

/// A kind of device that only copies has no code.
Error LoadedProgram::loadCode(ProgramDevice &device, DeviceKind kind) {
  for (uint32_t i = 0; i < length(chosen->images()); ++i) {
    if (chosen->images()->Get(i)->device() != kind)
      continue;
    format::Bytes bytes = reader.section(chosen->images()->Get(i)->section());
    heddle_driver_code code = {};
    code.data = bytes.data;
    code.bytes = bytes.size;
    code.file = reader.descriptor();
    code.file_offset = static_cast<uint64_t>(bytes.data - reader.file().data);
    code.flush_subnormals = manifest().flush_subnormals();
    return device.loadCode(code, *chosen, i);
  }
  return {};
}

/// Which device's memory the tensors of each entry are in.
Error LoadedProgram::placeTensors() {
  for (EntrySpec &entry : specs) {
    for (TensorSpec &spec : entry.inputs)
      spec.deviceName = deviceName(*chosen, hostDevice);
    for (TensorSpec &spec : entry.outputs)
      spec.deviceName = deviceName(*chosen, hostDevice);
    for (const format::Program *program : entry.programs)
      for (uint32_t i = 0; i < length(program->buffers()); ++i) {
        const Buffer &buffer = *program->buffers()->Get(i);
        bool isInput = buffer.kind() == BufferKind::input;
        if (!isInput && buffer.kind() != BufferKind::output)
          continue;
        if (buffer.space() != MemorySpace::host &&
            buffer.space() != MemorySpace::device)
          return {HEDDLE_FEATURE_UNSUPPORTED,
                  std::string("takes tensors in ") +
                      EnumNameMemorySpace(buffer.space()) +
                      " memory, which this runtime cannot do"};
        TensorSpec &spec =
            (isInput ? entry.inputs : entry.outputs)[buffer.index()];
        spec.device = buffer.device();
        spec.deviceName = deviceName(*chosen, buffer.device());
      }
    // One memory for both, of which the plan may name but one.
    for (TensorSpec &output : entry.outputs) {
      if (output.alias == none)
        continue;
      TensorSpec &input = entry.inputs[output.alias];
      TensorSpec &from = input.device == hostDevice ? output : input;
      input.device = output.device = from.device;
      input.deviceName = output.deviceName = std::string(from.deviceName);
    }
  }
  return {};
}

void LoadedProgram::describeEntries() {
  symbolMaxima = largestSymbols(manifest());
  symbolMinima = format::leastSymbols(manifest());
  std::vector<int64_t> least, largest;
  // Evaluated before, when the manifest was verified; for the largest symbols
  // an overflow leaves extents of -1, which no tensor has.
  Error fits = evaluate(manifest().expressions(), symbolMinima,
                        HEDDLE_MANIFEST_INVALID, least);
  if (!fits)
    fits = evaluate(manifest().expressions(), symbolMaxima,
                    HEDDLE_MANIFEST_INVALID, largest);
  largest.resize(least.size(), -1);
  std::vector<ValueRange> ranges = expressionRanges(manifest());

  auto describe = [&](const Tensor &tensor) {
    TensorSpec spec = {text(tensor.name()), tensor.dtype(), {}, {}, {}, 0,
                       tensor.alignment(),  tensor.alias()};
    if (!spec.alignment)
      spec.alignment = static_cast<uint32_t>(
          heddle_dtype_bytes(static_cast<heddle_dtype>(tensor.dtype())));
    for (uint32_t i = 0; i < length(tensor.shape()); ++i) {
      uint32_t room = memoryShape(tensor)->Get(i);
      spec.shape.push_back(room);
      spec.leastShape.push_back(ranges[tensor.shape()->Get(i)].least);
      spec.largestShape.push_back(fits ? -1 : ranges[room].greatest);
    }
    spec.largestBytes = tensorBytes(tensor, largest);
    if (tensor.whole())
      spec.whole.assign(tensor.whole()->begin(), tensor.whole()->end());
    if (manifest().ranks() > 1)
      spec.sharding = shardingText(manifest(), tensor);
    return spec;
  };
  for (uint32_t i = 0; i < length(manifest().entries()); ++i) {
    const Entry &entry = *manifest().entries()->Get(i);
    EntrySpec spec;
    spec.record = &entry;
    spec.name = text(entry.name());
    for (uint32_t j = 0; j < length(entry.inputs()); ++j)
      spec.inputs.push_back(describe(*entry.inputs()->Get(j)));
    for (uint32_t j = 0; j < length(entry.outputs()); ++j)
      spec.outputs.push_back(describe(*entry.outputs()->Get(j)));
    for (uint32_t j = 0; j < length(entry.states()); ++j)
      spec.states.push_back(entry.states()->Get(j));
    specs.push_back(std::move(spec));
  }
  for (uint32_t i = 0; i < length(plan().programs()); ++i)
    specs[plan().programs()->Get(i)->entry()].programs.push_back(
        plan().programs()->Get(i));
}

void LoadedProgram::describeStates() {
  std::vector<int64_t> bytes = stateBytes(manifest()), largest;
  // The verifier has seen that these fit.
  if (evaluate(manifest().expressions(), symbolMaxima, HEDDLE_MANIFEST_INVALID,
               largest))
    return;
  for (uint32_t i = 0; i < length(manifest().states()); ++i) {
    const format::State &state = *manifest().states()->Get(i);
    const Home &home = *plan().states()->Get(i);
    StateSpec spec = {text(state.name()),
                      state.dtype(),
                      {},
                      bytes[i],
                      -1,
                      state.length(),
                      state.dimension(),
                      home.device(),
                      static_cast<heddle_driver_space>(home.space()),
                      deviceName(*chosen, home.device())};
    for (uint32_t j = 0; j < length(state.shape()); ++j)
      spec.shape.push_back(largest[state.shape()->Get(j)]);
    if (spec.symbol != none)
      spec.longest = spec.dimension == none
                         ? manifest().symbols()->Get(spec.symbol)->maximum()
                         : spec.shape[spec.dimension];
    stateSpecs.push_back(std::move(spec));
  }
}

Error LoadedProgram::runInit() {
  std::vector<int64_t> values, unused;
  if (Error error = evaluate(plan().expressions(), symbolMinima,
                             HEDDLE_PLAN_INVALID, values))
    return error;
  if (Error error = persistentMemory.want(plan().persistent(), values))
    return error;
  if (Error error = hostPersistent.allocate(host().device(), HEDDLE_SPACE_HOST,
                                            persistentMemory.hostBytes(),
                                            "persistent memory"))
    return error;
  if (Error error = persistentMemory.allocate(opened, hostPersistent.data()))
    return error;
  if (Error error =
          persistentMemory.find(plan().persistent(), values, persistentStarts))
    return error;
  const format::Program *init = plan().init();
  if (!init)
    return {};
  uint64_t scratch = scratchBytes(*init, *chosen, values);
  PlanMemory arenas;
  if (Error error = arenas.want(init->arenas(), values))
    return error;
  DeviceMemory memory;
  if (Error error = memory.allocate(host().device(), HEDDLE_SPACE_HOST,
                                    arenas.hostBytes() + scratch, "loading"))
    return error;
  std::vector<char *> starts;
  if (Error error = arenas.allocate(opened, memory.data()))
    return error;
  if (Error error = arenas.find(init->arenas(), values, starts))
    return error;
  DeviceQueues queues;
  if (Error error = queues.create(plan(), opened))
    return error;
  Steps steps;
  if (Error error = steps.prepare(*init, *this, {values, unused}, nullptr,
                                  starts, queues))
    return error;
  heddle_call_options options = {};
  bool flush = manifest().flush_subnormals();
  FloatEnvironment environment(flush);
  Call call(steps, cpuDriver, memory.data() + arenas.hostBytes(), scratch,
            options, /*alone=*/true, flush);
  call.runAlone();
  if (call.failed())
    queues.drain();
  return call.outcome();
}

Error LoadedProgram::sharedPool(std::shared_ptr<Pool> &result) {
  std::shared_ptr<Pool> *shared = pool.load(std::memory_order_acquire);
  if (!shared) {
    auto created = std::make_unique<std::shared_ptr<Pool>>(
        std::make_shared<Pool>(Pool::Options()));
    if (Error error = (*created)->start())
      return error;
    // Of several that come at once, one's stays and the others' end.
    if (pool.compare_exchange_strong(shared, created.get()))
      shared = created.release();
  }
  result = *shared;
  return {};
}
