// tcp-settings MODELS: who a process is in a group without MPI, as variables of
// launchers and the options of its caller say.

#include "runtime/tcp/TcpSettings.h"
#include "test/runtime/Variables.h"

using namespace heddle::runtime;
using namespace heddle::test;

/// RANK/COUNT HOST:PORT, or the error.
static std::string settingsOf(const Pairs &pairs,
                              const heddle_group_options &options = {}) {
  setVariables(pairs);
  TcpSettings settings;
  if (Error error = settings.read(options))
    return error.message();
  return std::to_string(settings.rank) + "/" + std::to_string(settings.count) +
         " " + settings.where();
}

static void testTorchrun() {
  TEXT(settingsOf({}), "no launcher started this process: start it with "
                       "torchrun --no-python or srun, or set RANK, ");
  TEXT(settingsOf({{"RANK", "1"}}), "of RANK and WORLD_SIZE only one is set");
  TEXT(settingsOf({{"RANK", "1"}, {"WORLD_SIZE", "4"}}),
       "nobody has said where rank 0 waits for the others: set MASTER_PORT");
  TEXT(settingsOf(
           {{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_PORT", "65536"}}),
       "MASTER_PORT is '65536', and should be a number from 1 to 65535");
  TEXT(settingsOf({{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_PORT", "80x"}}),
       "MASTER_PORT is '80x'");
  TEXT(settingsOf({{"RANK", "4"}, {"WORLD_SIZE", "4"}}),
       "RANK is '4', and should be a number from 0 to 3");
  TEXT(settingsOf({{"RANK", "-1"}, {"WORLD_SIZE", "4"}}), "RANK is '-1'");
  TEXT(settingsOf({{"RANK", "0"}, {"WORLD_SIZE", "1"}}), "0/1 127.0.0.1:0");
  Pairs torchrun = {{"RANK", "3"},
                    {"WORLD_SIZE", "4"},
                    {"MASTER_ADDR", "node1"},
                    {"MASTER_PORT", "29500"},
                    {"SLURM_PROCID", "0"}};
  TEXT(settingsOf(torchrun), "3/4 node1:29500");
  torchrun.push_back({"TORCHELASTIC_USE_AGENT_STORE", "True"});
  TEXT(settingsOf(torchrun), "3/4 node1:29501");
  torchrun.push_back({"HEDDLE_RENDEZVOUS", "[::1]:77"});
  TEXT(settingsOf(torchrun), "3/4 [::1]:77");
  torchrun.back().second = "there";
  TEXT(settingsOf(torchrun), "HEDDLE_RENDEZVOUS is 'there', and should be "
                             "HOST:PORT, as 127.0.0.1:29500 or [::1]:29500");
  torchrun.push_back({"HEDDLE_JOIN_SECONDS", "soon"});
  TEXT(settingsOf(torchrun), "HEDDLE_JOIN_SECONDS is 'soon'");
}

static void testSlurm() {
  Pairs srun = {{"SLURM_PROCID", "2"},
                {"SLURM_NTASKS", "8"},
                {"SLURM_STEP_NUM_TASKS", "4"},
                {"SLURM_JOB_ID", "1000"},
                {"SLURM_STEP_ID", "3"},
                {"SLURM_STEP_NODELIST", "gpu[07-09],login"}};
  // One node: its own address is enough.
  TEXT(settingsOf(srun), "2/4 127.0.0.1:27003");
  srun.push_back({"SLURM_STEP_NUM_NODES", "4"});
  TEXT(settingsOf(srun), "2/4 gpu07:27003");
  srun.push_back({"MASTER_PORT", "29500"});
  srun.push_back({"MASTER_ADDR", "gpu08"});
  TEXT(settingsOf(srun), "2/4 gpu08:29500");
  TEXT(settingsOf({{"SLURM_PROCID", "0"},
                   {"SLURM_NTASKS", "2"},
                   {"SLURM_STEP_NUM_NODES", "2"}}),
       "SLURM_STEP_NODELIST names no node");
  CHECK(firstHost("a") == "a" && firstHost("a,b") == "a");
  CHECK(firstHost("n[7,9-12]") == "n7" &&
        firstHost("r[1-2]-n[03-4].x,y") == "r1-n03.x");
  CHECK(firstHost("n[7") == "n" && firstHost("").empty());
}

/// What is no HOST:PORT is refused whole, and the message names who said it.
static void testRendezvous() {
  Pairs named = {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"HEDDLE_RENDEZVOUS", ""}};
  auto of = [&](const char *text) {
    named.back().second = text;
    return settingsOf(named);
  };
  TEXT(of("127.0.0.1:29500"), "0/2 127.0.0.1:29500");
  TEXT(of("node-1:65535"), "0/2 node-1:65535");
  TEXT(of("[::1]:29500"), "0/2 [::1]:29500");
  TEXT(of("[fe80::2%eth0]:1"), "0/2 [fe80::2%eth0]:1");
  for (const char *wrong :
       {"::1", "::1:29500", "[::1]", "[::1]29500", "[]:29500", ":29500",
        "there:", "there:0", "there:65536", "there:29500x", "there:-1",
        "there: 1", "[::1:29500", "there:99999999999999999999"})
    TEXT(of(wrong), "HEDDLE_RENDEZVOUS is '" + std::string(wrong) +
                        "', and should be HOST:PORT");
  // torchrun takes an address of IPv6 either way.
  for (const char *host : {"::1", "[::1]"})
    TEXT(settingsOf({{"RANK", "0"},
                     {"WORLD_SIZE", "2"},
                     {"MASTER_ADDR", host},
                     {"MASTER_PORT", "7"}}),
         "0/2 [::1]:7");
}

/// What the caller gives comes before variables, whatever is in these.
static void testOptions() {
  Pairs wrong = {{"RANK", "9"},
                 {"WORLD_SIZE", "many"},
                 {"MASTER_PORT", "none"},
                 {"HEDDLE_RENDEZVOUS", "there"}},
        right = {{"RANK", "1"},
                 {"WORLD_SIZE", "3"},
                 {"MASTER_ADDR", "node1"},
                 {"MASTER_PORT", "29500"}};
  heddle_group_options options = {};
  options.rank = 2;
  options.count = 8;
  options.rendezvous = "[::1]:77";
  TEXT(settingsOf(wrong, options), "2/8 [::1]:77");
  TEXT(settingsOf({}, options), "2/8 [::1]:77");
  // Each by itself.
  options.rendezvous = nullptr;
  TEXT(settingsOf(right, options), "2/8 node1:29500");
  TEXT(settingsOf({}, options), "nobody has said where rank 0 waits");
  options.rank = options.count = 0;
  options.rendezvous = "node2:5";
  TEXT(settingsOf(right, options), "1/3 node2:5");
  options.count = 1;
  options.rendezvous = nullptr;
  TEXT(settingsOf(wrong, options), "0/1 ");
}

/// Each that is wrong is refused, and named.
static void testWrongOptions() {
  heddle_group_options options = {};
  options.rank = 4;
  TEXT(settingsOf({}, options),
       "rank is 4, and count, how many processes there "
       "are, is not given");
  options.count = 4;
  TEXT(settingsOf({}, options),
       "rank is 4, and should be a number from 0 to 3");
  options.count = (1 << 20) + 1;
  TEXT(settingsOf({}, options),
       "count is 1048577, and should be a number from 1 to 1048576");
  options.rank = 1;
  options.count = 4;
  for (const char *wrong : {"127.0.0.1", "::1", ""}) {
    options.rendezvous = wrong;
    TEXT(settingsOf({}, options), "rendezvous is '" + std::string(wrong) +
                                      "', and should be HOST:PORT, as "
                                      "127.0.0.1:29500 or [::1]:29500");
  }
  options.rendezvous = "there:1";
  options.secret_file = "";
  TEXT(settingsOf({}, options),
       "secret_file is '', and should be the path of a file");
}

int main(int argc, char **) {
  if (argc != 2)
    return 2;
  testTorchrun();
  testSlurm();
  testRendezvous();
  testOptions();
  testWrongOptions();
  return finish();
}
