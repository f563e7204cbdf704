// Reads devices and rules of a placement, and complains about those that mean
// nothing.

#include "passes/Plan/ResolvedPlacement.h"

#include "heddle/Target/Target.h"
#include "runtime/format/Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace heddle;
using llvm::StringRef;

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

/// The kinds of devices that there is code for, by the targets' word.
static std::vector<std::string> kindsWithCode() {
  std::vector<std::string> kinds;
  for (const std::shared_ptr<const Target> &target : targets()) {
    LoaderNeeds needs = target->loaderNeeds();
    for (std::string &kind : needs.devices)
      if (!llvm::is_contained(kinds, kind))
        kinds.push_back(std::move(kind));
  }
  return kinds;
}

/// "cpu, and sim or sim:0, sim:1, ...".
static std::string listDevices(llvm::ArrayRef<std::string> kinds) {
  std::string text = plan::kCpu.str(), joint = ", and ";
  for (const std::string &kind : kinds)
    if (kind != plan::kCpu) {
      text += joint + kind + " or " + kind + ":0, " + kind + ":1, ...";
      joint = ", ";
    }
  return text;
}

/// The device of a name; only kinds that there is code for.
static llvm::Expected<plan::DeviceName> parseDevice(StringRef text) {
  std::vector<std::string> kinds = kindsWithCode();
  std::optional<plan::DeviceName> name = plan::parseDeviceName(text);
  if (!name)
    return fail("there is no device \"" + text + "\"; devices are " +
                listDevices(kinds));
  if (!llvm::is_contained(kinds, name->kind))
    return fail("heddle makes no code for the device \"" + text + "\"");
  if (name->kind == "sim" && name->ordinal >= format::maximumSimDevices)
    return fail("there is no device \"" + text +
                "\": of sim there are at most " +
                llvm::Twine(format::maximumSimDevices));
  return *name;
}

static llvm::Error parseSpread(StringRef text, ResolvedPlacement &result) {
  using Spread = ResolvedPlacement::Spread;
  auto [name, seed] = text.split(':');
  if (text == "parts")
    result.spread = Spread::Parts;
  else if (text == "first")
    result.spread = Spread::First;
  else if (text == "alternate")
    result.spread = Spread::Alternate;
  else if (name == "random" && !seed.getAsInteger(10, result.seed))
    result.spread = Spread::Random;
  else
    return fail("\"" + text +
                "\" is no way to spread a model; there are parts, first, "
                "alternate and random:SEED");
  return llvm::Error::success();
}

llvm::Expected<ResolvedPlacement>
heddle::resolvePlacement(const Placement &placement) {
  ResolvedPlacement result;
  if (placement.devices.empty() && !placement.empty())
    return fail("a placement wants devices, as in --place cpu,sim");
  auto indexOf = [&](const plan::DeviceName &name) -> unsigned {
    const auto *known = llvm::find_if(result.devices, [&](const auto &other) {
      return other.text() == name.text();
    });
    return known - result.devices.begin();
  };
  for (const std::string &text : placement.devices) {
    if (text.empty())
      return fail("--place wants names of devices between its commas, as in "
                  "cpu,sim");
    llvm::Expected<plan::DeviceName> name = parseDevice(text);
    if (!name)
      return name.takeError();
    if (indexOf(*name) != result.devices.size())
      return fail("the device \"" + name->text() + "\" is named twice");
    result.devices.push_back(*name);
  }
  for (const std::string &text : placement.rules) {
    // Names of nodes may hold an equals sign, names of devices do not.
    auto [glob, target] = StringRef(text).rsplit('=');
    if (target.empty() || glob.empty())
      return fail("the rule \"" + text + "\" is not of the form NODES=DEVICE");
    llvm::Expected<plan::DeviceName> name = parseDevice(target);
    if (!name)
      return name.takeError();
    unsigned device = indexOf(*name);
    if (device == result.devices.size())
      return fail("the rule \"" + text +
                  "\" wants a device that --place does not name");
    llvm::Expected<llvm::GlobPattern> pattern =
        llvm::GlobPattern::create(glob, /*MaxSubPatterns=*/64);
    if (!pattern)
      return fail("the rule \"" + text +
                  "\" has a pattern that cannot be read: " +
                  llvm::toString(pattern.takeError()));
    result.rules.push_back({text, std::move(*pattern), device});
  }
  StringRef by = placement.by;
  if (by.empty())
    by = placement.rules.empty() ? "parts" : "first";
  if (llvm::Error error = parseSpread(by, result))
    return error;
  return result;
}
