#include "heddle/Target/Machine.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace heddle {

/// The features each x86-64 level adds to the one before. Source: System V ABI,
/// AMD64 supplement 1.0, section 3.1.1, table 3.1 ("Micro-Architecture
/// Levels"), in LLVM's spelling.
static const char *const level2[] = {"cx16",   "popcnt", "sahf", "sse3",
                                     "sse4.1", "sse4.2", "ssse3"};
static const char *const level3[] = {"avx",  "avx2", "bmi",   "bmi2",
                                     "f16c", "fma",  "lzcnt", "movbe"};
static const char *const level4[] = {"avx512bw", "avx512cd", "avx512dq",
                                     "avx512f", "avx512vl"};

static std::vector<std::string>
concat(ArrayRef<ArrayRef<const char *>> groups) {
  std::vector<std::string> all;
  for (ArrayRef<const char *> group : groups)
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

static std::vector<Machine> makeMachines() {
  std::vector<Machine> table;
  auto add = [&](StringRef name, StringRef cpu,
                 ArrayRef<ArrayRef<const char *>> features, int64_t vectorBits,
                 int64_t vectorRegisters, int64_t l1Bytes, int64_t l2Bytes) {
    Machine machine;
    machine.name = name.str();
    machine.triple = "x86_64-unknown-linux-gnu";
    machine.cpu = cpu.str();
    machine.features = concat(features);
    machine.vectorBits = vectorBits;
    machine.vectorRegisters = vectorRegisters;
    machine.l1Bytes = l1Bytes;
    machine.l2Bytes = l2Bytes;
    machine.hasFma = machine.hasFeature("fma");
    machine.hasMasks = machine.hasFeature("avx512f");
    table.push_back(std::move(machine));
  };
  constexpr int64_t kib = 1024;
  // Cache sizes are those of the smallest common core of the level. Sources:
  // Intel 64 and IA-32 Architectures Optimization Reference Manual
  // (248966-049), tables 2-19 (Nehalem: L1D 32 KiB, L2 256 KiB), 2-14 (Haswell:
  // the same), 2-9 (Skylake server: 32 KiB, 1 MiB), 2-4 (Ice Lake: L1D 48 KiB);
  // AMD 56305 (Zen 2: 32 KiB, 512 KiB) and 58455 (Zen 5: 48 KiB, 1 MiB).
  add("x86-64-v2", "x86-64-v2", {level2}, 128, 16, 32 * kib, 256 * kib);
  add("x86-64-v3", "x86-64-v3", {level2, level3}, 256, 16, 32 * kib, 256 * kib);
  add("x86-64-v3+vnni", "x86-64-v3", {level2, level3, {"avxvnni"}}, 256, 16,
      32 * kib, 512 * kib);
  add("x86-64-v4", "x86-64-v4", {level2, level3, level4}, 512, 32, 32 * kib,
      1024 * kib);
  add("x86-64-v4+vnni", "x86-64-v4", {level2, level3, level4, {"avx512vnni"}},
      512, 32, 32 * kib, 1024 * kib);
  add("x86-64-v4+bf16", "x86-64-v4",
      {level2, level3, level4, {"avx512vnni", "avx512bf16"}}, 512, 32, 32 * kib,
      1024 * kib);
  return table;
}

bool Machine::hasFeature(StringRef feature) const {
  return llvm::is_contained(features, feature);
}

ArrayRef<Machine> machines() {
  static const std::vector<Machine> table = makeMachines();
  return table;
}

const Machine *findMachine(StringRef name) {
  for (const Machine &machine : machines())
    if (machine.name == name)
      return &machine;
  return nullptr;
}

DictionaryAttr machineToAttr(MLIRContext *context, const Machine &machine) {
  auto string = [&](StringRef value) -> Attribute {
    return StringAttr::get(context, value);
  };
  auto number = [&](int64_t value) -> Attribute {
    return IntegerAttr::get(IntegerType::get(context, 64), value);
  };
  SmallVector<Attribute> features;
  for (const std::string &feature : machine.features)
    features.push_back(string(feature));
  NamedAttrList list;
  list.set("name", string(machine.name));
  list.set("triple", string(machine.triple));
  list.set("cpu", string(machine.cpu));
  list.set("features", ArrayAttr::get(context, features));
  list.set("vector_bits", number(machine.vectorBits));
  list.set("vector_registers", number(machine.vectorRegisters));
  list.set("fma", BoolAttr::get(context, machine.hasFma));
  list.set("masks", BoolAttr::get(context, machine.hasMasks));
  list.set("l1_bytes", number(machine.l1Bytes));
  list.set("l2_bytes", number(machine.l2Bytes));
  return list.getDictionary(context);
}

/// The reverse of machineToAttr; none if an entry is missing or of another
/// kind.
static std::optional<Machine> machineFromAttr(DictionaryAttr dictionary) {
  bool complete = true;
  auto string = [&](StringRef key) -> std::string {
    auto value = dictionary.getAs<StringAttr>(key);
    complete &= bool(value);
    return value ? value.str() : std::string();
  };
  auto number = [&](StringRef key) -> int64_t {
    auto value = dictionary.getAs<IntegerAttr>(key);
    bool positive =
        value && value.getType().isInteger(64) && value.getInt() > 0;
    complete &= positive;
    return positive ? value.getInt() : 1;
  };
  auto flag = [&](StringRef key) {
    auto value = dictionary.getAs<BoolAttr>(key);
    complete &= bool(value);
    return value && value.getValue();
  };
  Machine machine;
  machine.name = string("name");
  machine.triple = string("triple");
  machine.cpu = string("cpu");
  machine.vectorBits = number("vector_bits");
  machine.vectorRegisters = number("vector_registers");
  machine.hasFma = flag("fma");
  machine.hasMasks = flag("masks");
  machine.l1Bytes = number("l1_bytes");
  machine.l2Bytes = number("l2_bytes");
  auto features = dictionary.getAs<ArrayAttr>("features");
  complete &= bool(features);
  for (Attribute feature :
       features ? features.getValue() : ArrayRef<Attribute>()) {
    auto value = dyn_cast<StringAttr>(feature);
    complete &= bool(value);
    if (value)
      machine.features.push_back(value.str());
  }
  if (!complete)
    return std::nullopt;
  return machine;
}

std::optional<Machine> machineOf(Operation *op) {
  for (; op; op = op->getParentOp()) {
    Attribute attr = op->getDiscardableAttr(machineAttrName);
    if (auto name = dyn_cast_if_present<StringAttr>(attr)) {
      const Machine *machine = findMachine(name.getValue());
      return machine ? std::optional<Machine>(*machine) : std::nullopt;
    }
    if (auto dictionary = dyn_cast_if_present<DictionaryAttr>(attr))
      return machineFromAttr(dictionary);
  }
  return std::nullopt;
}

} // namespace heddle
