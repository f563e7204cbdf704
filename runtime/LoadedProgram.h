// A loaded artifact.

#ifndef HEDDLE_RUNTIME_LOADEDPROGRAM_H
#define HEDDLE_RUNTIME_LOADEDPROGRAM_H

#include "runtime/CustomCalls.h"
#include "runtime/Memory.h"
#include "runtime/PlanMemory.h"
#include "runtime/ProgramDevice.h"
#include "runtime/drivers/cpu/Pool.h"
#include "runtime/format/ArtifactReader.h"
#include "runtime/format/Devices.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace heddle::runtime {

/// An input or output of an entry, as calls are checked against it.
struct TensorSpec {
  std::string name;
  format::DataType dtype;
  std::vector<uint32_t> shape;       ///< Of its memory, as expressions.
  std::vector<int64_t> leastShape;   ///< With the least extents;
  std::vector<int64_t> largestShape; ///< and with the largest.
  int64_t largestBytes;
  uint32_t alignment;
  uint32_t alias; ///< For an output: the input it may replace, or none.
  uint32_t device = format::hostDevice; ///< Where it lies.
  std::string deviceName = {};
  /// Of the tensor that ranks have parts of; empty where each has all of it.
  std::vector<int64_t> whole = {};
  /// How that lies over the mesh; empty in a program of one rank.
  std::string sharding = {};
};

/// A state, as the host makes and fills it.
struct StateSpec {
  std::string name;
  format::DataType dtype;
  std::vector<int64_t> shape; ///< With the largest extents.
  int64_t bytes;
  int64_t longest;    ///< What its length can be at most; -1: it has none.
  uint32_t symbol;    ///< That has the length; or none.
  uint32_t dimension; ///< That the length counts; or none.
  uint32_t device;
  heddle_driver_space space;
  std::string deviceName;
};

struct EntrySpec {
  const format::Entry *record;
  std::string name;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  std::vector<const format::StateUse *> states;
  /// In the order of their guards; the last has none.
  std::vector<const format::Program *> programs;
};

/// What was loaded; shared by its contexts, and read only once loaded.
class LoadedProgram {
public:
  LoadedProgram() = default;
  ~LoadedProgram();

  Error loadFile(const char *path, const heddle_load_options &options);
  Error loadMemory(const void *data, uint64_t bytes,
                   const heddle_load_options &options);

  const format::Manifest &manifest() const { return reader.manifest(); }
  const format::Header &header() const { return reader.header(); }
  const format::Variant &variant() const { return *chosen; }
  const format::Plan &plan() const { return reader.plan(variantIndex); }
  /// By their numbers in the variant; the first is the host.
  const ProgramDevices &devices() const { return opened; }
  const ProgramDevice &host() const { return *opened[format::hostDevice]; }
  /// By kernel.
  const std::vector<BoundCall> &customCalls() const { return boundCalls; }
  const std::vector<EntrySpec> &entries() const { return specs; }
  const std::vector<StateSpec> &states() const { return stateSpecs; }
  const std::vector<const char *> &weights() const { return weightData; }
  /// Where the plan's persistent memories start.
  const std::vector<char *> &persistent() const { return persistentStarts; }
  const heddle_load_report &report() const { return loadReport; }

  /// Whether extents are known at the call only.
  bool dynamic() const { return !symbolMaxima.empty(); }
  const std::vector<int64_t> &symbols() const { return symbolMaxima; }
  const std::vector<int64_t> &leastSymbols() const { return symbolMinima; }

  /// The pool that contexts share which bring none; made at first use.
  Error sharedPool(std::shared_ptr<Pool> &pool);

private:
  Error load(const heddle_load_options &options, uint64_t startNs);
  Error chooseVariant(const heddle_load_options &options);
  Error checkPrecision(const heddle_load_options &options);
  Error placeWeights(const heddle_load_options &options);
  Error openDevices();
  Error loadCode(ProgramDevice &device, format::DeviceKind kind);
  void describeEntries();
  void describeStates();
  Error placeTensors();
  Error runInit();

  format::ArtifactReader reader;
  const format::Variant *chosen = nullptr;
  uint32_t variantIndex = 0;
  ProgramDevices opened;
  std::vector<BoundCall> boundCalls;
  std::vector<EntrySpec> specs;
  std::vector<StateSpec> stateSpecs;
  std::vector<const char *> weightData;
  std::vector<Region> weightMemory; ///< Copies in huge pages.
  PlanMemory persistentMemory;
  DeviceMemory hostPersistent;
  std::vector<char *> persistentStarts;
  std::vector<int64_t> symbolMaxima, symbolMinima;
  heddle_load_report loadReport = {};
  void *debugSymbols = nullptr; ///< What gdb was told.

  /// Owned. There is no lock here, which a child of fork would find held.
  std::atomic<std::shared_ptr<Pool> *> pool{nullptr};
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_LOADEDPROGRAM_H
