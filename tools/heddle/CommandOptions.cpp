// The options of each command, in groups that commands share.

#include "CommandOptions.h"

#include "heddle/Pipeline/Stages.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace heddle;

/// A number that is none below zero, and not "nan" or "inf", which a check for
/// a range lets through.
static CLI::Validator finiteAndNotNegative() {
  return CLI::Validator(
      [](const std::string &text) -> std::string {
        char *end = nullptr;
        double value = std::strtod(text.c_str(), &end);
        bool good =
            end != text.c_str() && !*end && std::isfinite(value) && value >= 0;
        return good ? "" : "\"" + text + "\" is no number from 0 on";
      },
      "");
}

/// A name that a script left empty is a mistake.
static CLI::Validator named() {
  return CLI::Validator(
      [](const std::string &text) -> std::string {
        return text.empty() ? "the name is empty" : "";
      },
      "");
}

void addCommon(CLI::App &app, CommonOptions &common) {
  app.add_flag("--json", common.json,
               "One JSON document on standard output, of failures too; "
               "errors as JSON lines");
  app.add_flag("-q,--quiet", common.quiet,
               "Results and errors alone: no phases, no progress, no "
               "summary of what was compiled");
  app.add_option("--max-memory", common.maxMemory,
                 "Bound on memory, as 512M or 2G; mapped files do not count")
      ->check([](const std::string &text) {
        return parseBytes(text) ? "" : "\"" + text + "\" is no size";
      });
  app.add_option("--time-limit", common.timeLimitSeconds,
                 "Bound on the whole time, in seconds")
      ->check(finiteAndNotNegative());
}

/// Options that say how a model is read.
static void addReading(CLI::App &app, ModelOptions &model) {
  app.add_option("--shape", model.shapes,
                 "NAME=1x128: fixes an input's shape; 1..8x128: any first "
                 "size up to 8, chosen by each call")
      ->allow_extra_args(false);
  app.add_option("--dim", model.dims,
                 "NAME=8: fixes a dimension; 1..8: each call chooses; "
                 "8..64:8: multiples; a+b: follows")
      ->allow_extra_args(false);
  app.add_option("--bind", model.binds,
                 "NAME|INDEX=@FILE[:TENSOR][^T]: .npz, .npy, .safetensors or "
                 ".gguf: a weight, ^T transposed")
      ->allow_extra_args(false);
  app.add_flag("--check-sizes", model.checksSizes,
               "Reads a model with ranges at some of their sizes, too, and "
               "refuses it where shapes differ");
}

static void addModel(CLI::App &app, ModelOptions &model, const char *what) {
  app.add_option("file", model.path, what)->required();
  addReading(app, model);
}

/// A model, or several that become one artifact.
static void addModels(CLI::App &app, ModelOptions &model) {
  CLI::Option *file =
      app.add_option("file", model.path, "Model: .onnx, .mlir or .mlirbc");
  CLI::Option *entries =
      app.add_option_function<std::vector<std::string>>(
             "--entry",
             [&model](const std::vector<std::string> &texts) {
               for (const std::string &text : texts) {
                 model.entries.emplace_back();
                 std::string wrong = parseEntry(text, model.entries.back());
                 if (!wrong.empty())
                   throw CLI::ValidationError("--entry", wrong);
               }
             },
             "NAME=MODEL[:FUNCTION]: one of several entry points that "
             "share weights and states")
          ->allow_extra_args(false);
  entries->excludes(file);
  addReading(app, model);
}

/// `form` is what stands behind --custom-call.
static void addCustomCalls(CLI::App &app, std::vector<std::string> &list,
                           const char *form) {
  app.add_option("--custom-call", list, form)->allow_extra_args(false);
}
static constexpr char declared[] =
    "NAME: calls of it are calls of a function that is registered where the "
    "artifact is loaded";
static constexpr char provided[] =
    "NAME=LIBRARY.so[:SYMBOL]: the function that calls of NAME call";

/// Names between commas. One that is empty stays: whoever knows the names
/// refuses it.
static void addNames(CLI::App &app, const char *option,
                     std::vector<std::string> &names, const char *text) {
  app.add_option_function<std::vector<std::string>>(
         option,
         [&names](const std::vector<std::string> &lists) {
           for (const std::string &list : lists)
             for (size_t begin = 0; begin <= list.size();) {
               size_t end = std::min(list.find(',', begin), list.size());
               names.push_back(list.substr(begin, end - begin));
               begin = end + 1;
             }
         },
         text)
      ->allow_extra_args(false);
}

static void addMesh(CLI::App &app, ModelOptions &model) {
  app.add_option_function<std::string>(
      "--mesh",
      [&model](const std::string &text) {
        model.mesh = text == "none" ? "" : text;
      },
      "data=4,model=2: partitions a program over its mesh of these axes; "
      "default: none");
  app.add_option("--shard", model.shards,
                 "NAME=[{\"data\"}, {}], or a file of lines NAME: [...]: how a "
                 "value of an ONNX model lies")
      ->allow_extra_args(false);
}

static void addBuild(CLI::App &app, ModelOptions &model, BuildOptions &build) {
  app.add_option("--state", model.states,
                 "INPUT=OUTPUT: a state: a call finds in INPUT what the last "
                 "left in OUTPUT; a_*=b_*: many")
      ->allow_extra_args(false);
  app.add_option("--precision", build.precision,
                 "bf16, f16, auto: what products of f32 multiply; w8a16, "
                 "w4a16: their weights, by blocks");
  app.add_flag("--flush-subnormals", build.flushSubnormals,
               "Numbers below the smallest normal one become zeros, which is "
               "faster where there are many");
  addNames(app, "-t,--target", build.targets,
           "native (default) or names from `heddle targets`, by commas");
  addNames(app, "--place", build.placement.devices,
           "Devices that share the work, by commas: cpu, sim, sim:1; "
           "default: the cpu alone");
  app.add_option("--place-rule", build.placement.rules,
                 "NODES=DEVICE: nodes whose names match run there; * and ? are "
                 "any characters")
      ->allow_extra_args(false);
  app.add_option("--place-by", build.placement.by,
                 "How the rest is spread: parts (the default), first (with "
                 "rules), alternate, random:SEED");
  app.add_flag("--device-tensors", build.placement.tensors,
               "Inputs and outputs lie on the devices that alone use them, not "
               "in the process's memory");
  app.add_flag(
      "--no-host", build.noHost,
      "Refuses what a target's devices have no kernel for, in place of "
      "leaving it to the cpu");
}

static void addBudget(CLI::App &app, ErrorBudget &budget) {
  app.add_option("--max-error", budget.maxError,
                 "Of --precision auto: the error that results may have against "
                 "f32's");
  app.add_option("--calibration", budget.calibration,
                 "Inputs to measure it on: FILE.npz of arrays [samples, ...], "
                 "or a folder of samples")
      ->check(named());
  app.add_option("--error-metric", budget.metric,
                 "rel-l2 (default), max-abs, cosine, kl or top1");
  app.add_option("--precision-policy", budget.policy,
                 "File of lines PATTERN TYPE [pin], as in * w8a8: types of "
                 "nodes by name")
      ->check(named());
}

static void addStages(CLI::App &app, BuildOptions &build) {
  app.add_option("--dump-after", build.dumpAfter,
                 "STAGE[=FILE]: writes the IR after a stage")
      ->allow_extra_args(false);
  app.add_option("--stop-after", build.stopAfter,
                 "Stops after a stage and writes the IR; further targets' to "
                 "OUTPUT.1.mlir and so on");
  app.add_option("--start-from", build.startFrom,
                 "The file is IR as it is after this stage");
  // For heddle's own tests: no line in the help.
  app.add_option("--fail-after", build.failAfter)->group("");
  app.footer("Stages: " + listStages() + ".");
}

static void addFeed(CLI::App &app, FeedOptions &feed) {
  app.add_option("--input", feed.inputs,
                 "NAME=@FILE.npy, random:SEED, zeros, ones or a number; "
                 "positions count as names")
      ->allow_extra_args(false);
  app.add_option("--inputs", feed.collections,
                 "FILE.npz, FILE.safetensors, folder of .npy, or ONNX test "
                 "data folder")
      ->allow_extra_args(false);
}

static void addExecution(CLI::App &app, CallCommand &command) {
  addMesh(app, command.model);
  app.add_option("--devices", command.ranks,
                 "How many devices run a partitioned program together; must be "
                 "those it was partitioned for")
      ->check(CLI::Range(1, 1 << 20).description(""));
  app.add_option("--engine", command.engine,
                 "threads (default), processes, or a launcher's: mpi (mpirun), "
                 "tcp (torchrun, srun, a shell)")
      ->check(CLI::IsMember({"threads", "processes", "mpi", "tcp"})
                  .description(""));
  app.add_option("--mpi-library", command.mpiLibrary,
                 "With --engine mpi: openmpi, mpich or a file; default: the "
                 "launcher's");
  app.add_option("--threads", command.threads,
                 "Threads; default: what this process "
                 "may use");
  app.add_option("--variant", command.variant,
                 "Runs this target's code, not the best");
  app.add_option("--device", command.devices,
                 "Kinds of devices by commas, as cuda,cpu: runs the code for "
                 "the first that this machine has");
}

void addOptions(CLI::App &app, CheckCommand &command) {
  addModels(app, command.model);
  addCustomCalls(app, command.model.customCalls, declared);
  addBuild(app, command.model, command.build);
}

void addOptions(CLI::App &app, CompileCommand &command) {
  addModels(app, command.model);
  addCustomCalls(app, command.model.customCalls, declared);
  addBuild(app, command.model, command.build);
  addMesh(app, command.model);
  app.add_option("-o,--output", command.output,
                 "Artifact, or IR with --stop-after; default: the model's stem "
                 "and .heddle")
      ->check(named());
  app.add_flag("--force", command.force,
               "Replaces the output even if it is no artifact, or by IR");
  addBudget(app, command.build.budget);
  addStages(app, command.build);
}

/// Who a process is without MPI, where no launcher says it.
static void addPlaceInGroup(CLI::App &app, CallCommand &command) {
  app.add_option(
      "--rank", command.rank,
      "With --engine tcp: which of --devices processes this is, from "
      "0; default: the launcher's");
  app.add_option("--rendezvous", command.rendezvous,
                 "With --engine tcp: HOST:PORT where rank 0 waits for the "
                 "others; default: the launcher's");
  app.add_option("--secret-file", command.secretFile,
                 "With --engine tcp: what holds the secret of all; default: "
                 "HEDDLE_SECRET(_FILE), or none");
}

void addOptions(CLI::App &app, RunCommand &command) {
  addModel(app, command.model, "Artifact or model");
  addCustomCalls(app, command.model.customCalls, provided);
  addBuild(app, command.model, command.build);
  addFeed(app, command.feed);
  addExecution(app, command);
  addPlaceInGroup(app, command);
  app.add_option("--entry", command.entry,
                 "Entry point; default: main, or the first");
  app.add_option("--output", command.output,
                 "Folder for one .npy per output; without it a summary "
                 "of each is printed")
      ->check(named());
}

void addOptions(CLI::App &app, CompareCommand &command) {
  addModel(app, command.model, "Model");
  addCustomCalls(app, command.model.customCalls, provided);
  app.add_option("artifact", command.artifact,
                 "The compiled model; default: compiles now");
  addBuild(app, command.model, command.build);
  addMesh(app, command.model);
  addFeed(app, command.feed);
  app.add_option("--against", command.against,
                 "reference (default), onnxruntime, or a file of "
                 "expected outputs");
  app.add_option("--rtol", command.relativeTolerance, "Relative tolerance")
      ->check(finiteAndNotNegative());
  app.add_option("--atol", command.absoluteTolerance, "Absolute tolerance")
      ->check(finiteAndNotNegative());
  app.add_flag("--stages", command.stages,
               "Interprets every stage, to find the one that differs");
  app.add_flag("--bisect", command.bisect,
               "Interprets after every pass, to find the one that "
               "differs");
  app.add_option("--stage-file", command.stageFiles,
                 "STAGE=FILE: takes IR from a file for what a stage makes")
      ->allow_extra_args(false);
  app.add_flag("--layers", command.layers,
               "Finds the first node whose value differs");
  app.add_flag("--reduce", command.reduce,
               "Writes the smallest piece that differs, its inputs "
               "beside it as .npz");
  app.add_option("-o,--output", command.reduced,
                 "Where --reduce writes; default: the model's stem with "
                 ".reduced.mlir");
  app.add_option("--threads", command.threads, "Threads");
}

void addOptions(CLI::App &app, BenchCommand &command) {
  addModel(app, command.model, "Artifact or model");
  addCustomCalls(app, command.model.customCalls, provided);
  addBuild(app, command.model, command.build);
  addFeed(app, command.feed);
  addExecution(app, command);
  app.add_option("--entry", command.entry,
                 "Entry point; default: main, or the first");
  app.add_option("--seconds", command.seconds, "How long calls are repeated")
      ->check(finiteAndNotNegative());
  addNames(app, "--vs", command.peers,
           "onnxruntime,openvino,openvino-bf16,heddle-python: run an ONNX "
           "model by turns with heddle");
  app.add_option("--vs-model", command.peerModel,
                 "FILE.onnx: what they run; default: the same model");
  app.add_option("--plot", command.plot,
                 "FILE.svg: a picture of the times of all rounds")
      ->check(named());
}

void addOptions(CLI::App &app, InspectCommand &command) {
  addModel(app, command.model, "Artifact or model; nothing is executed");
  app.add_option("--show", command.show,
                 "weights, kernels, plan, nodes or records in full")
      ->check(
          CLI::IsMember({"weights", "kernels", "plan", "nodes", "records"}));
  app.add_option("--entry", command.entry, "One entry point, instead of all");
  app.add_option("--kernel", command.kernel,
                 "A node: how the kernels that compute it are made, and why");
  app.add_flag_callback(
         "--sharding", [&command] { command.show = "sharding"; },
         "How an artifact's tensors lie over its mesh, and what its devices "
         "give each other")
      ->excludes("--show")
      ->excludes("--entry")
      ->excludes("--kernel");
  app.add_flag_callback(
         "--precision", [&command] { command.show = "precision"; },
         "What is known of the errors of an artifact in mixed precision, and "
         "its types")
      ->excludes("--show")
      ->excludes("--entry")
      ->excludes("--kernel")
      ->excludes("--sharding");
}

void addOptions(CLI::App &app, VerifyCommand &command) {
  app.add_option("file", command.path, "Artifact")->required();
}

void addOptions(CLI::App &app, ExplainCommand &command) {
  app.add_option("code", command.code,
                 "HDL-0203; without it all are "
                 "listed");
}

void addOptions(CLI::App &app, TestCommand &command) {
  app.add_option("files", command.files, "StableHLO files")->required();
  addCustomCalls(app, command.customCalls, provided);
  app.add_flag("--interpret", command.interpret,
               "In the reference interpreter, without compiling");
  addNames(app, "-t,--target", command.targets,
           "What is compiled for; default: native");
  app.add_option("-j,--jobs", command.jobs,
                 "Processes; default: one per processor");
  app.add_option("--file-time-limit", command.secondsPerFile,
                 "Seconds after which a file has failed; 0: no bound")
      ->check(finiteAndNotNegative());
  app.add_flag("--list", command.list,
               "Names the functions that would run, without running them");
  app.add_flag("--show-skipped", command.showSkipped,
               "Says of each skipped file why");
}
