// Reads HEDDLE_SIM.

#include "runtime/drivers/sim/SimOptions.h"

#include "runtime/format/Limits.h"

#include <cstdlib>

using namespace heddle;
using namespace heddle::runtime;

/// A decimal number of at most `limit`.
static bool parseNumber(const std::string &text, uint64_t limit,
                        uint64_t &value) {
  if (text.empty() || text.size() > 18 ||
      text.find_first_not_of("0123456789") != std::string::npos)
    return false;
  value = std::strtoull(text.c_str(), nullptr, 10);
  return value <= limit;
}

Error SimOptions::parse(const std::string &text, SimOptions &options) {
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string item = text.substr(begin, end - begin);
    begin = end + 1;
    size_t equals = std::min(item.find('='), item.size());
    std::string name = item.substr(0, equals);
    std::string number = item.substr(std::min(equals + 1, item.size()));
    uint64_t value = 0;
    bool good = false;
    if (name == "devices") {
      good = parseNumber(number, format::maximumSimDevices, value);
      options.devices = static_cast<uint32_t>(value);
    } else if (name == "memory") {
      good = parseNumber(number, uint64_t(1) << 20, value) && value;
      options.memoryMiB = value;
    } else if (name == "seed") {
      good = parseNumber(number, ~uint64_t(0), options.seed);
    } else if (name == "delay") {
      good = parseNumber(number, 1000000, options.delayUs);
    } else if (name == "fail") {
      good = parseNumber(number, ~uint64_t(0), options.fail);
    } else if (name == "races") {
      good = parseNumber(number, 1, value);
      options.findsRaces = value;
    }
    if (!good)
      return {HEDDLE_ARGUMENT_INVALID,
              "HEDDLE_SIM holds '" + item + "'; known are devices=0.." +
                  std::to_string(format::maximumSimDevices) +
                  ", memory=MiB, seed=N, "
                  "delay=microseconds, fail=N and races=0|1, between commas"};
  }
  return {};
}

Error SimOptions::read(SimOptions &options) {
  const char *text = secure_getenv("HEDDLE_SIM");
  return text ? parse(text, options) : Error();
}
