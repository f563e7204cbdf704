// heddle: compiles models and runs them. This file is the table of commands and
// what is wrong with a command line; what the commands do is in lib/Commands.

#include "CommandOptions.h"

#include "heddle/Driver/Document.h"
#include "heddle/Support/StandardStreams.h"
#include "heddle/Support/Suggestion.h"

#include <functional>
#include <string>
#include <vector>

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

/// A row of the table.
struct Command {
  const char *name, *text;
  CommonOptions *common;
  std::function<void(CLI::App &)> addOptions;
  std::function<int()> run;
};
} // namespace

template <typename Own>
static Command withOptions(const char *name, const char *text, Own &own,
                           int (*run)(const Own &)) {
  return {name, text, &own.common,
          [&own](CLI::App &app) { addOptions(app, own); },
          [&own, run] { return run(own); }};
}

static Command plain(const char *name, const char *text, CommonOptions &common,
                     int (*run)(const CommonOptions &)) {
  return {name, text, &common, [](CLI::App &) {},
          [&common, run] { return run(common); }};
}

static std::vector<Command> allCommands(Options &options) {
  return {
      withOptions("check",
                  "Says whether a model would compile, with every obstacle",
                  options.check, runCheck),
      withOptions("compile", "Compiles a model into an artifact",
                  options.compile, runCompile),
      withOptions("run", "Runs an artifact, or a model compiled in memory",
                  options.run, runRun),
      withOptions("compare", "Compares a model's numbers with a reference",
                  options.compare, runCompare),
      withOptions("bench", "Measures load, first call and steady calls",
                  options.bench, runBench),
      withOptions("inspect", "Shows what is in an artifact or model",
                  options.inspect, runInspect),
      withOptions("verify", "Checks an artifact, every hash included",
                  options.verify, runVerify),
      withOptions("explain", "Explains an error code", options.explain,
                  runExplain),
      withOptions("test", "Runs programs that check themselves", options.test,
                  runTest),
      plain("targets", "Lists what can be compiled for", options.plain,
            runTargets),
      plain("devices", "Lists what this machine has", options.plain,
            runDevices),
      plain("version", "Prints the version", options.plain, runVersion),
  };
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

int main(int argc, char **argv) {
  Options options;
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

  std::vector<Command> commands = allCommands(options);
  for (Command &command : commands) {
    CLI::App *added = app.add_subcommand(command.name, command.text);
    addCommon(*added, *command.common);
    command.addOptions(*added);
  }
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

  for (const Command &command : commands)
    if (app.got_subcommand(command.name)) {
      applyLimits(*command.common);
      return command.run();
    }
  return 2;
}
