// heddle: compiles models and runs them. This file is the command line only;
// what the commands do is in lib/Driver.

#include "heddle/Driver/Commands.h"
#include "heddle/Driver/Document.h"
#include "heddle/Driver/Limits.h"
#include "heddle/Pipeline/Stages.h"
#include "heddle/Support/Suggestion.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>

using namespace heddle;

namespace {
/// All options of all commands: each command fills its own.
struct Options {
  CheckCommand check;
  CompileCommand compile;
  RunCommand run;
  CompareCommand compare;
  BenchCommand bench;
  InspectCommand inspect;
  VerifyCommand verify;
  ExplainCommand explain;
  TestCommand test;
  CommonOptions plain;
};
} // namespace

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

static void addCommon(CLI::App &app, CommonOptions &common) {
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

static std::vector<std::string> commandNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

/// What is wrong with arguments that nothing took, and what was meant.
static std::string explainExtras(const CLI::App &app, int argc, char **argv) {
  std::vector<CLI::App *> chosen = app.get_subcommands();
  if (chosen.empty()) {
    for (int i = 1; i < argc; ++i)
      if (argv[i][0] != '-')
        return "there is no command \"" + std::string(argv[i]) + "\"" +
               suggest(argv[i], commandNames(app));
    return "a command is missing before " + std::string(argv[1]);
  }
  const CLI::App &command = *chosen.front();
  std::vector<std::string> extras = app.remaining(/*recurse=*/true), known;
  for (const CLI::Option *option : command.get_options())
    for (const std::string &name : option->get_lnames())
      known.push_back("--" + name);
  for (const std::string &extra : extras)
    if (extra.size() > 1 && extra.front() == '-') {
      std::string name = extra.substr(0, extra.find('='));
      return "`heddle " + command.get_name() + "` has no option " + name +
             suggest(name, known);
    }
  return "`heddle " + command.get_name() + "` takes no further argument: " +
         (extras.empty() ? std::string() : "\"" + extras.front() + "\"");
}

static void addModel(CLI::App &app, ModelOptions &model, const char *what) {
  app.add_option("file", model.path, what)->required();
  app.add_option("--shape", model.shapes,
                 "NAME=1x128: fixes an input's shape; 1..8x128: any first "
                 "size up to 8, chosen by each call")
      ->allow_extra_args(false);
  app.add_option("--dim", model.dims,
                 "NAME=8: fixes a named dimension; NAME=1..8: each call "
                 "chooses its size")
      ->allow_extra_args(false);
  app.add_option("--bind", model.binds,
                 "NAME|INDEX=@FILE.npz|.safetensors: an argument's weights")
      ->allow_extra_args(false);
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

static void addBuild(CLI::App &app, BuildOptions &build) {
  app.add_flag("--flush-subnormals", build.flushSubnormals,
               "Numbers below the smallest normal one become zeros, which is "
               "faster where there are many");
  app.add_option("-t,--target", build.targets,
                 "native (default) or names from `heddle targets`, by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--place", build.placement.devices,
                 "Devices that share the work, by commas: cpu, sim, sim:1; "
                 "default: the cpu alone")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--place-rule", build.placement.rules,
                 "NODES=DEVICE: nodes whose names match run there; * and ? are "
                 "any characters")
      ->allow_extra_args(false);
  app.add_option("--place-by", build.placement.by,
                 "How the rest is spread: parts (the default), first (with "
                 "rules), alternate, random:SEED");
}

static void addStages(CLI::App &app, BuildOptions &build) {
  app.add_option("--dump-after", build.dumpAfter,
                 "STAGE[=FILE]: writes the IR after a stage")
      ->allow_extra_args(false);
  app.add_option("--stop-after", build.stopAfter,
                 "Stops after a stage and writes the IR");
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

static void addExecution(CLI::App &app, unsigned &threads,
                         std::string &variant) {
  app.add_option("--threads", threads,
                 "Threads; default: what this process "
                 "may use");
  app.add_option("--variant", variant, "Runs this target's code, not the best");
}

/// Adds a command; `act` runs it once the command line is understood.
static CLI::App *addCommand(CLI::App &app, const char *name, const char *text,
                            CommonOptions &common,
                            const CommonOptions *&chosen) {
  CLI::App *command = app.add_subcommand(name, text);
  addCommon(*command, common);
  command->callback([&] { chosen = &common; });
  return command;
}

int main(int argc, char **argv) {
  Options options;
  const CommonOptions *chosen = nullptr;
  // Known before the rest is understood, so that what is wrong with the rest is
  // said in a document, too.
  bool json = false;
  for (int i = 1; i < argc; ++i)
    json |= std::string(argv[i]) == "--json";
  openStandardStreams();
  if (json)
    reserveDocument();
  setCrashReport(argc, argv, json);

  CLI::App app("heddle compiles a model ahead of time into one file, and runs "
               "it.",
               "heddle");
  app.require_subcommand(0, 1);
  bool version = false;
  app.add_flag("--version", version, "Prints the version");
  app.add_flag("--json", options.plain.json, "With --version: as JSON");

  CheckCommand &check = options.check;
  CLI::App *command = addCommand(
      app, "check", "Says whether a model would compile, with every obstacle",
      check.common, chosen);
  addModel(*command, check.model, "Model: .onnx, .mlir or .mlirbc");
  addCustomCalls(*command, check.model.customCalls, declared);
  addBuild(*command, check.build);

  CompileCommand &compile = options.compile;
  command = addCommand(app, "compile", "Compiles a model into an artifact",
                       compile.common, chosen);
  addModel(*command, compile.model, "Model: .onnx, .mlir or .mlirbc");
  addCustomCalls(*command, compile.model.customCalls, declared);
  addBuild(*command, compile.build);
  command->add_option("-o,--output", compile.output,
                      "Artifact; default: the model's stem with .heddle");
  command->add_flag("--force", compile.force,
                    "Replaces the output even if it is not an artifact");
  addStages(*command, compile.build);

  RunCommand &run = options.run;
  command = addCommand(app, "run",
                       "Runs an artifact, or a model compiled in "
                       "memory",
                       run.common, chosen);
  addModel(*command, run.model, "Artifact or model");
  addCustomCalls(*command, run.model.customCalls, provided);
  addBuild(*command, run.build);
  addFeed(*command, run.feed);
  addExecution(*command, run.threads, run.variant);
  command->add_option("--entry", run.entry,
                      "Entry point; default: the only "
                      "one, or main");
  command->add_option("--output", run.output,
                      "Folder for one .npy per output; without it a summary "
                      "of each is printed");

  CompareCommand &compare = options.compare;
  command = addCommand(app, "compare",
                       "Compares a model's numbers with a "
                       "reference",
                       compare.common, chosen);
  addModel(*command, compare.model, "Model");
  addCustomCalls(*command, compare.model.customCalls, provided);
  command->add_option("artifact", compare.artifact,
                      "The compiled model; default: compiles now");
  addBuild(*command, compare.build);
  addFeed(*command, compare.feed);
  command->add_option("--against", compare.against,
                      "reference (default), onnxruntime, or a file of "
                      "expected outputs");
  command->add_option("--rtol", compare.relativeTolerance, "Relative tolerance")
      ->check(finiteAndNotNegative());
  command->add_option("--atol", compare.absoluteTolerance, "Absolute tolerance")
      ->check(finiteAndNotNegative());
  command->add_flag("--stages", compare.stages,
                    "Interprets every stage, to find the one that differs");
  command->add_flag("--bisect", compare.bisect,
                    "Interprets after every pass, to find the one that "
                    "differs");
  command
      ->add_option("--stage-file", compare.stageFiles,
                   "STAGE=FILE: takes IR from a file for what a stage makes")
      ->allow_extra_args(false);
  command->add_flag("--layers", compare.layers,
                    "Finds the first node whose value differs");
  command->add_flag("--reduce", compare.reduce,
                    "Writes the smallest piece that differs, its inputs "
                    "beside it as .npz");
  command->add_option("-o,--output", compare.reduced,
                      "Where --reduce writes; default: the model's stem with "
                      ".reduced.mlir");
  command->add_option("--threads", compare.threads, "Threads");

  BenchCommand &bench = options.bench;
  command = addCommand(app, "bench",
                       "Measures load, first call and steady "
                       "calls",
                       bench.common, chosen);
  addModel(*command, bench.model, "Artifact or model");
  addCustomCalls(*command, bench.model.customCalls, provided);
  addBuild(*command, bench.build);
  addFeed(*command, bench.feed);
  addExecution(*command, bench.threads, bench.variant);
  command->add_option("--entry", bench.entry, "Entry point");
  command->add_option("--seconds", bench.seconds, "How long calls are repeated")
      ->check(finiteAndNotNegative());

  InspectCommand &inspect = options.inspect;
  command = addCommand(app, "inspect", "Shows what is in an artifact or model",
                       inspect.common, chosen);
  addModel(*command, inspect.model, "Artifact or model; nothing is executed");
  command
      ->add_option("--show", inspect.show,
                   "weights, kernels, plan, nodes or records in full")
      ->check(
          CLI::IsMember({"weights", "kernels", "plan", "nodes", "records"}));

  VerifyCommand &verify = options.verify;
  command = addCommand(app, "verify", "Checks an artifact, every hash included",
                       verify.common, chosen);
  command->add_option("file", verify.path, "Artifact")->required();

  ExplainCommand &explain = options.explain;
  command = addCommand(app, "explain", "Explains an error code", explain.common,
                       chosen);
  command->add_option("code", explain.code,
                      "HDL-0203; without it all are "
                      "listed");

  TestCommand &test = options.test;
  command = addCommand(app, "test", "Runs programs that check themselves",
                       test.common, chosen);
  command->add_option("files", test.files, "StableHLO files")->required();
  addCustomCalls(*command, test.customCalls, provided);
  command->add_flag("--interpret", test.interpret,
                    "In the reference interpreter, without compiling");
  command->add_option("-t,--target", test.targets,
                      "What is compiled for; default: native");
  command->add_option("-j,--jobs", test.jobs,
                      "Processes; default: one per processor");
  command
      ->add_option("--file-time-limit", test.secondsPerFile,
                   "Seconds after which a file has failed; 0: no bound")
      ->check(finiteAndNotNegative());
  command->add_flag("--list", test.list,
                    "Names the functions that would run, without running them");
  command->add_flag("--show-skipped", test.showSkipped,
                    "Says of each skipped file why");

  addCommand(app, "targets",
             "Lists what can be compiled "
             "for",
             options.plain, chosen);
  addCommand(app, "devices", "Lists what this machine has", options.plain,
             chosen);
  addCommand(app, "version", "Prints the version", options.plain, chosen);
  std::string topic;
  CLI::App *help = app.add_subcommand("help", "Shows a command's options");
  help->add_option("command", topic, "Command");
  help->add_flag("--json", options.plain.json, "One JSON document");

  // Last, because commands inherit it.
  app.footer("`heddle help COMMAND` shows a command's options. Exit codes: 0 "
             "ok, 1 bad input, 2 usage,\n3 unsupported, 4 check failed, 5 "
             "target mismatch, 6 resource limit, 7 artifact\nrejected, 70 "
             "internal error. With --json each of these ends in a document: "
             "\"status\", \"exit_code\"\nand, after an error, \"error\".");
  // Once a command is chosen, the help of all is its own.
  const std::string overview = app.help();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    std::vector<CLI::App *> about = app.get_subcommands();
    options.plain.json = json;
    return about.empty() ? runHelp(options.plain, "", overview)
                         : runHelp(options.plain, about.front()->get_name(),
                                   about.front()->help("heddle"));
  } catch (const CLI::ExtrasError &) {
    options.plain.json = json;
    return reportUsage(options.plain, explainExtras(app, argc, argv));
  } catch (const CLI::ParseError &error) {
    options.plain.json = json;
    return reportUsage(options.plain, error.what());
  }
  if (version)
    return runVersion(options.plain);
  if (app.get_subcommands().empty()) {
    // What is missing is an error; that there is something to read is not.
    options.plain.json = json;
    if (json)
      return reportUsage(options.plain, "a command is missing");
    runHelp(options.plain, "", overview);
    return 2;
  }
  if (help->parsed()) {
    const CLI::App *about = &app;
    for (const CLI::App *candidate : app.get_subcommands({}))
      if (candidate->get_name() == topic)
        about = candidate;
    if (!topic.empty() && about == &app)
      return reportUsage(options.plain, "there is no command \"" + topic +
                                            "\"" +
                                            suggest(topic, commandNames(app)));
    return runHelp(options.plain, topic,
                   about == &app ? overview : about->help("heddle"));
  }

  applyLimits(*chosen);
  const std::pair<const char *, std::function<int()>> actions[] = {
      {"check", [&] { return runCheck(check); }},
      {"compile", [&] { return runCompile(compile); }},
      {"run", [&] { return runRun(run); }},
      {"compare", [&] { return runCompare(compare); }},
      {"bench", [&] { return runBench(bench); }},
      {"inspect", [&] { return runInspect(inspect); }},
      {"verify", [&] { return runVerify(verify); }},
      {"explain", [&] { return runExplain(explain); }},
      {"test", [&] { return runTest(test); }},
      {"targets", [&] { return runTargets(options.plain); }},
      {"devices", [&] { return runDevices(options.plain); }},
      {"version", [&] { return runVersion(options.plain); }}};
  for (const auto &[name, act] : actions)
    if (app.got_subcommand(name))
      return act();
  return int(2);
}
