// Variables that tell the ranks of a group who they are, in tests.

#ifndef HEDDLE_TEST_RUNTIME_VARIABLES_H
#define HEDDLE_TEST_RUNTIME_VARIABLES_H

#include "test/runtime/check.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace heddle::test {

inline const char *const variables[] = {"RANK",
                                        "WORLD_SIZE",
                                        "MASTER_ADDR",
                                        "MASTER_PORT",
                                        "SLURM_PROCID",
                                        "SLURM_NTASKS",
                                        "SLURM_JOB_ID",
                                        "SLURM_STEP_NUM_TASKS",
                                        "SLURM_STEP_NUM_NODES",
                                        "SLURM_STEP_ID",
                                        "SLURM_STEP_NODELIST",
                                        "HEDDLE_RENDEZVOUS",
                                        "HEDDLE_SECRET",
                                        "HEDDLE_SECRET_FILE",
                                        "HEDDLE_JOIN_SECONDS",
                                        "TORCHELASTIC_USE_AGENT_STORE"};

using Pairs = std::vector<std::pair<const char *, const char *>>;

inline void setVariables(const Pairs &pairs) {
  for (const char *variable : variables)
    unsetenv(variable);
  for (auto [name, value] : pairs)
    setenv(name, value, 1);
}

inline void expectText(const std::string &got, const std::string &wanted,
                       int line) {
  if (got.find(wanted) != std::string::npos)
    return;
  std::fprintf(stderr, "line %d: got '%s', wanted '%s'\n", line, got.c_str(),
               wanted.c_str());
  ++failures;
}
#define TEXT(got, wanted) expectText(got, wanted, __LINE__)

} // namespace heddle::test

#endif // HEDDLE_TEST_RUNTIME_VARIABLES_H
