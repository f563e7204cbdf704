// Modules of PTX and launches of their kernels in the emulated driver.

#include "test/emulator/cuda/Device.h"
#include "test/emulator/machine/Variables.h"

#include <cstdio>
#include <cstring>

using namespace heddle::emulator;

namespace {

/// Whether code for `target` runs on the device.
bool suits(const std::string &target, unsigned capability) {
  unsigned number = 0;
  char suffix = 0;
  if (std::sscanf(target.c_str(), "sm_%u%c", &number, &suffix) < 1)
    return false;
  return suffix == 'a' ? number == capability : number <= capability;
}

int load(const char *call, DriverModule **module, const void *image, char *log,
         size_t logBytes) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  int code = kSuccess;
  Context *context = driver.current(call, code);
  if (!context)
    return code;
  auto refuse = [&](int number, const std::string &what) {
    if (log && logBytes)
      std::snprintf(log, logBytes, "%s", what.c_str());
    return driver.error(call, number, what);
  };
  auto *text = static_cast<const char *>(image);
  if (!std::memcmp(text, "\177ELF", 4) ||
      !std::memcmp(text, "\x50\xed\x55\xba", 4))
    return refuse(kNoBinary,
                  "the image is machine code: the emulator runs PTX");
  auto made = std::make_unique<DriverModule>();
  made->context = context;
  ParseError error;
  auto where = [&] {
    return "line " + std::to_string(error.line) + ": " + error.message;
  };
  if (!parseModule(text, made->loaded.module, error))
    return refuse(kInvalidPtx, where());
  const std::string &target = made->loaded.module.target;
  if (!suits(target, driver.capability()))
    return refuse(kNoBinary, "the PTX is for " + target +
                                 ", the device is sm_" +
                                 std::to_string(driver.capability()));
  if (Fault fault = placeVariables(made->loaded, driver.memory))
    return refuse(kOutOfMemory, fault.message);
  for (const Function &function : made->loaded.module.functions) {
    if (!function.isEntry || function.isExtern)
      continue;
    auto program = std::make_unique<Program>();
    program->capability = driver.capability();
    if (!decodeKernel(made->loaded, function, *program, error)) {
      releaseVariables(made->loaded, driver.memory);
      return refuse(kInvalidPtx, where());
    }
    made->loaded.programs[function.name] = std::move(program);
  }
  *module = made.get();
  driver.modules[*module] = std::move(made);
  return kSuccess;
}

} // namespace

HEDDLE_EXPORT int cuModuleLoadDataEx(DriverModule **module, const void *image,
                                     unsigned count, int *options,
                                     void **values) {
  char *log = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 5)
      log = static_cast<char *>(values[i]);
    if (options[i] == 6)
      bytes = reinterpret_cast<size_t>(values[i]);
  }
  return load("cuModuleLoadDataEx", module, image, log, bytes);
}

HEDDLE_EXPORT int cuModuleLoadData(DriverModule **module, const void *image) {
  return load("cuModuleLoadData", module, image, nullptr, 0);
}

HEDDLE_EXPORT int cuModuleUnload(DriverModule *module) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  if (!driver.modules.count(module))
    return driver.error("cuModuleUnload", kInvalidHandle,
                        "this is no module, or was unloaded");
  driver.drain(nullptr);
  releaseVariables(module->loaded, driver.memory);
  for (auto at = driver.functions.begin(); at != driver.functions.end();)
    at = at->first->module == module ? driver.functions.erase(at)
                                     : std::next(at);
  driver.modules.erase(module);
  return kSuccess;
}

HEDDLE_EXPORT int cuModuleGetFunction(DriverFunction **function,
                                      DriverModule *module, const char *name) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  if (!driver.modules.count(module))
    return driver.error("cuModuleGetFunction", kInvalidHandle,
                        "this is no module, or was unloaded");
  auto found = module->loaded.programs.find(name);
  if (found == module->loaded.programs.end())
    return driver.error("cuModuleGetFunction", kNotFound,
                        "the module has no kernel " + std::string(name));
  auto made = std::make_unique<DriverFunction>();
  made->module = module;
  made->program = found->second.get();
  *function = made.get();
  driver.functions[*function] = std::move(made);
  return kSuccess;
}

HEDDLE_EXPORT int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes,
                                       DriverModule *module, const char *name) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  const Variable *variable = driver.modules.count(module)
                                 ? module->loaded.module.variable(name)
                                 : nullptr;
  if (!variable || variable->space == Space::Shared)
    return driver.error("cuModuleGetGlobal_v2", kNotFound, name);
  if (address)
    *address = module->loaded.addresses[name];
  if (bytes)
    *bytes = variable->bytes;
  return kSuccess;
}

HEDDLE_EXPORT int cuFuncSetAttribute(DriverFunction *function, int attribute,
                                     int value) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  if (!driver.functions.count(function))
    return driver.error("cuFuncSetAttribute", kInvalidHandle, "no function");
  if (attribute != 8) // the most dynamic shared memory
    return driver.error("cuFuncSetAttribute", kNotSupported,
                        "attribute " + std::to_string(attribute) +
                            " is not emulated");
  if (value < 0 || value > driver.sharedLimit())
    return driver.error("cuFuncSetAttribute", kInvalidValue,
                        std::to_string(value) + " bytes of shared memory");
  function->maxDynamicShared = value;
  return kSuccess;
}

/// What is wrong with the sizes of a launch, or nothing.
static std::string checkSizes(const Driver &driver,
                              const DriverFunction &function,
                              const LaunchConfig &config) {
  const Function &kernel = *function.program->function;
  const auto &g = config.grid, &b = config.block;
  if (!g[0] || !g[1] || !g[2] || !b[0] || !b[1] || !b[2])
    return "an extent of the grid or block is 0";
  if (g[0] > 0x7fffffff || g[1] > 65535 || g[2] > 65535)
    return "the grid is too large";
  uint64_t threads = uint64_t(b[0]) * b[1] * b[2];
  if (threads > 1024 || b[2] > 64)
    return "a block of " + std::to_string(threads) + " threads";
  const auto &required = kernel.requiredThreads;
  if (required[0] && b != required)
    return "the kernel requires another block (.reqntid)";
  const auto &most = kernel.maxThreads;
  if (most[0] && threads > uint64_t(most[0]) * most[1] * most[2])
    return "more threads than .maxntid";
  if (kernel.maxRegisters && kernel.maxRegisters * threads > 65536)
    return "more registers than there are";
  int shared = int(config.dynamicShared);
  if (shared > function.maxDynamicShared)
    return std::to_string(shared) + " bytes of dynamic shared memory; " +
           std::to_string(function.maxDynamicShared) + " are allowed";
  int fixed =
      int(function.program->dynamicStart - function.program->sharedStart);
  if (fixed + shared > driver.sharedLimit())
    return "more shared memory than there is";
  return {};
}

HEDDLE_EXPORT int cuLaunchKernel(DriverFunction *function, unsigned gridX,
                                 unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY,
                                 unsigned blockZ, unsigned sharedBytes,
                                 Stream *given, void **params, void **extra) {
  constexpr const char *kCall = "cuLaunchKernel";
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  int code = kSuccess;
  Context *context = driver.current(kCall, code);
  if (!context)
    return code;
  if (!driver.functions.count(function))
    return driver.error(kCall, kInvalidHandle, "no function, or unloaded");
  if (function->module->context != context)
    return driver.error(kCall, kInvalidContext,
                        "the kernel is of another context");
  Stream *stream = driver.stream(kCall, given, context, code);
  if (!stream)
    return code;
  const Program &program = *function->program;
  LaunchConfig config;
  config.grid = {gridX, gridY, gridZ};
  config.block = {blockX, blockY, blockZ};
  config.dynamicShared = sharedBytes;
  std::string wrong = checkSizes(driver, *function, config);
  if (!wrong.empty())
    return driver.error(kCall, kInvalidValue, program.name + ": " + wrong);
  const auto &cluster = program.function->clusterSize;
  if (cluster[0])
    config.cluster = cluster;
  for (unsigned i = 0; i < 3; ++i)
    if (config.grid[i] % config.cluster[i])
      return driver.error(kCall, kInvalidValue,
                          "the grid is no multiple of the cluster");
  config.params.resize(program.paramBytes);
  const auto &declared = program.function->params;
  if (params) {
    for (size_t i = 0; i < declared.size(); ++i)
      std::memcpy(config.params.data() + program.paramOffsets[i], params[i],
                  declared[i].bytes);
  } else if (extra && program.paramBytes) {
    const void *buffer = nullptr;
    size_t bytes = 0;
    for (void **at = extra; *at; at += 2) {
      if (reinterpret_cast<uintptr_t>(at[0]) == 1)
        buffer = at[1];
      else
        bytes = *static_cast<size_t *>(at[1]);
    }
    if (!buffer || bytes != program.paramBytes)
      return driver.error(kCall, kInvalidValue,
                          "parameters of " + std::to_string(bytes) +
                              " bytes; the kernel takes " +
                              std::to_string(program.paramBytes));
    std::memcpy(config.params.data(), buffer, bytes);
  } else if (!declared.empty()) {
    return driver.error(kCall, kInvalidValue, "no parameters");
  }
  config.findRaces = driver.findRaces;
  config.seed = driver.seed + driver.nextSequence;
  driver.submit(*stream, [&driver, &program, config] {
    return Launch(program, driver.memory, config).run();
  });
  return kSuccess;
}
