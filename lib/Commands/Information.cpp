// Commands that read no model: explain, targets, devices, version.

#include "heddle/Commands/InformationCommands.h"

#include "dialects/Plan/DeviceNames.h"
#include "heddle/Driver/ArtifactQueries.h"
#include "heddle/Driver/Session.h"
#include "heddle/Driver/Targets.h"
#include "heddle/runtime.h"
#include "runtime/format/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"
#include "llvm/TargetParser/Host.h"

#include <cstdlib>
#include <thread>

using namespace mlir;
using namespace heddle;

static StringRef exitMeaning(ExitCode code) {
  switch (code) {
  case ExitCode::Ok:
    return "ok";
  case ExitCode::BadInput:
    return "bad input";
  case ExitCode::Usage:
    return "usage";
  case ExitCode::Unsupported:
    return "unsupported";
  case ExitCode::CheckFailed:
    return "a comparison or check failed";
  case ExitCode::TargetMismatch:
    return "target mismatch";
  case ExitCode::ResourceLimit:
    return "resource limit";
  case ExitCode::ArtifactRejected:
    return "artifact rejected";
  case ExitCode::Internal:
    return "internal error";
  }
  return "";
}

static llvm::json::Object toJson(const ErrorInfo &info) {
  return llvm::json::Object{{"code", errorName(info.code)},
                            {"meaning", info.meaning},
                            {"help", info.help},
                            {"exit_code", int(info.exit)}};
}

int heddle::runExplain(const ExplainCommand &command) {
  Session session(command.common, "");
  if (command.code.empty()) {
    llvm::json::Array all;
    for (const ErrorInfo &info : allErrors()) {
      session.text() << errorName(info.code) << "  " << info.meaning << "\n";
      all.push_back(toJson(info));
    }
    return session.finish(llvm::json::Object{{"errors", std::move(all)}});
  }
  std::optional<ErrorCode> code = parseErrorName(command.code);
  if (!code)
    return session.fail(ErrorCode::BadCommandLine,
                        "there is no error \"" + command.code +
                            "\"; `heddle explain` lists all");
  const ErrorInfo &info = errorInfo(*code);
  session.text() << errorName(*code) << ": " << info.meaning << "\n\n"
                 << info.help << "\n\nExit code " << int(info.exit) << ": "
                 << exitMeaning(info.exit) << ".\n";
  return session.finish(toJson(info));
}

int heddle::runTargets(const CommonOptions &common) {
  Session session(common, "");
  llvm::json::Array list;
  session.text() << "native: the best of these that this machine runs\n";
  for (const std::shared_ptr<const Target> &target : targets()) {
    LoaderNeeds needs = target->loaderNeeds();
    bool runs = runsHere(needs);
    std::string names = target->name().str();
    for (const std::string &alias : target->aliases())
      names += ", " + alias;
    session.text() << llvm::left_justify(names, 26) << target->describe()
                   << (runs ? ", runs here" : "") << "\n";
    list.push_back(llvm::json::Object{{"name", target->name()},
                                      {"aliases", target->aliases().vec()},
                                      {"kind", target->kind()},
                                      {"architecture", needs.architecture},
                                      {"features", needs.features},
                                      {"description", target->describe()},
                                      {"runs_here", runs}});
  }
  return session.finish(llvm::json::Object{{"targets", std::move(list)}});
}

static constexpr llvm::StringLiteral kSimulated = "sim";

/// What text says of a kind's devices beside their names.
static StringRef wordsFor(StringRef kind) {
  return llvm::StringSwitch<StringRef>(kind)
      .Case("cuda", "NVIDIA, ")
      .Case(kSimulated, "simulated, ")
      .Default("");
}

/// The devices of one kind, as far as there are any.
static heddle_status listDevices(Session &session, llvm::json::Array &list,
                                 StringRef kind) {
  size_t count = 0;
  heddle_status status = heddle_device_count(kind.str().c_str(), &count);
  for (size_t i = 0; !status.code && i < count; ++i) {
    std::string name = kind.str() + ":" + std::to_string(i);
    heddle_device *device = nullptr;
    status = heddle_device_open(name.c_str(), &device);
    if (status.code)
      break;
    heddle_device_info info{};
    info.size = sizeof info;
    status = heddle_device_describe(device, &info);
    session.text() << name << ": " << wordsFor(kind)
                   << formatBytes(info.memory_bytes) << " of memory\n";
    list.push_back(
        llvm::json::Object{{"kind", kind},
                           {"name", name},
                           {"memory_bytes", int64_t(info.memory_bytes)}});
    heddle_device_close(device);
  }
  return status;
}

/// What is there beside processors. False after an error.
static bool listAccelerators(Session &session, llvm::json::Array &list) {
  // Simulated devices are a test aid, and no part of a machine that nobody has
  // asked for them.
  const char *asked = std::getenv("HEDDLE_SIM");
  bool simulates = asked && *asked;
  for (size_t i = 0; const char *name = heddle_device_kind(i); ++i) {
    StringRef kind = name;
    if (kind == plan::kCpu || (kind == kSimulated && !simulates))
      continue;
    heddle_status status = listDevices(session, list, kind);
    // Most machines have none.
    if (status.code == HEDDLE_DEVICE_MISSING && kind != kSimulated) {
      session.text() << kind << ": none (" << status.message << ")\n";
      continue;
    }
    if (status.code) {
      session.diagnostics.report(
          toErrorCode(format::Error(heddle_code(status.code), "")),
          status.message);
      return false;
    }
  }
  return true;
}

int heddle::runDevices(const CommonOptions &common) {
  Session session(common, "");
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> features;
  for (auto &entry : host)
    if (entry.second)
      features.push_back(entry.first().str());
  llvm::sort(features);
  unsigned processors = std::thread::hardware_concurrency();
  session.text() << "cpu: " << llvm::sys::getHostCPUName() << ", " << processors
                 << " processors\n  " << llvm::join(features, " ") << "\n";
  llvm::json::Array list{
      llvm::json::Object{{"kind", "cpu"},
                         {"name", llvm::sys::getHostCPUName()},
                         {"processors", int64_t(processors)},
                         {"features", features}}};
  if (!listAccelerators(session, list))
    return session.fail();
  return session.finish(llvm::json::Object{{"devices", std::move(list)}});
}

int heddle::runVersion(const CommonOptions &common) {
  Session session(common, "");
  session.text() << "heddle " HEDDLE_VERSION " (LLVM " LLVM_VERSION_STRING
                    ")\n";
  return session.finish(llvm::json::Object{{"heddle", HEDDLE_VERSION},
                                           {"llvm", LLVM_VERSION_STRING}});
}

int heddle::runHelp(const CommonOptions &common, const std::string &command,
                    const std::string &help) {
  Session session(common, "");
  session.text() << help;
  return session.finish(
      llvm::json::Object{{"command", command}, {"help", help}});
}
