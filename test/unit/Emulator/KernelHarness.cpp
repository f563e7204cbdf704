// Puts small pieces of PTX into kernels and runs them.

#include "test/unit/Emulator/KernelHarness.h"

#include "test/emulator/machine/Variables.h"

#include "gtest/gtest.h"

#include <cstdlib>

namespace heddle::emulator {

Fault KernelRun::run(const std::string &text) {
  ParseError error;
  if (!parseModule(text, loaded.module, error))
    return {FaultKind::IllegalInstruction,
            "line " + std::to_string(error.line) + ": " + error.message};
  if (Fault fault = placeVariables(loaded, memory))
    return fault;
  const Function *function = loaded.module.function(entry);
  Program program;
  program.capability = capability;
  if (!decodeKernel(loaded, *function, program, error))
    return {FaultKind::IllegalInstruction,
            "line " + std::to_string(error.line) + ": " + error.message};
  config.params.resize(program.paramBytes);
  // Other orders of warps and of late work.
  if (const char *seed = std::getenv("HEDDLE_EMULATOR_SEED"))
    config.seed += std::strtoull(seed, nullptr, 10);
  config.findRaces = findRaces;
  Launch launch(program, memory, config);
  Fault fault = launch.run();
  executed = launch.instructions();
  return fault;
}

std::string kernel(const std::string &params, const std::string &body) {
  return ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(" +
         params + ")\n{\n" + body + "\n}\n";
}

std::vector<uint64_t> compute(const std::string &body,
                              const std::vector<std::string> &types,
                              const std::vector<std::vector<uint64_t>> &inputs,
                              const std::string &type) {
  std::string params = ".param .u64 out", text;
  std::string names = "abc";
  KernelRun run;
  size_t count = inputs[0].size();
  Allocation *out = run.buffer(std::vector<uint64_t>(count));
  run.param(out->address);
  text += ".reg .b32 %t; .reg .b64 %p, %at; .reg .pred %q, %q2;\n"
          ".reg .b32 %r<8>; .reg .b64 %d<8>; .reg .b16 %h<8>;\n"
          "mov.u32 %t, %tid.x; mul.wide.u32 %at, %t, 8;\n";
  for (size_t i = 0; i < inputs.size(); ++i) {
    run.param(run.buffer(inputs[i])->address);
    std::string name(1, names[i]);
    params += ", .param .u64 " + name;
    text += ".reg ." + types[i] + " %" + name + "; ld.param.u64 %p, [" + name +
            "]; add.s64 %p, %p, %at; ld.global." + types[i] + " %" + name +
            ", [%p];\n";
  }
  text += ".reg ." + type + " %out;\n" + body +
          "\nld.param.u64 %p, [out]; add.s64 %p, %p, %at; st.global." + type +
          " [%p], %out; ret;";
  run.config.block = {uint32_t(count), 1, 1};
  Fault fault = run.run(kernel(params, text));
  EXPECT_EQ(fault.message, "");
  std::vector<uint64_t> result(count);
  std::memcpy(result.data(), out->data, count * 8);
  return result;
}

} // namespace heddle::emulator
