// hostile MODELS [--all]: damages an artifact in every way that can be listed
// and sees it refused.
//
// Every byte of header, manifest, plan and code is flipped; the file is cut at
// 64 places of every section; pieces of it are copied over others; weights are
// changed under `verify`. Then the same where the hashes were made right again,
// as a forger would: this reaches the checks behind them, which may accept
// (what was changed may not matter), but must not crash or hang. Without --all
// a fixed sample is taken of what would take more than some seconds.

#include "test/fuzz/PlanWalk.h"
#include "test/runtime/TestModels.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

static unsigned tried = 0, refused = 0, accepted = 0, failures = 0;

namespace {
using File = std::vector<char>;

/// Memory whose end is the end of a page would need a mapping per try; an
/// allocation of the exact size lets the sanitizer see what lies beyond.
Error read(const File &file, bool weights) {
  std::unique_ptr<char[]> bytes(new char[file.size() + 64]);
  char *start =
      bytes.get() + (64 - reinterpret_cast<uintptr_t>(bytes.get()) % 64) % 64;
  std::copy(file.begin(), file.end(), start);
  ArtifactReader reader;
  if (Error error = reader.openMemory(start, file.size()))
    return error;
  (void)walkPlans(reader);
  return weights ? reader.verifyWeights() : Error();
}

/// Must be refused, with an error of the artifact's range.
void mustRefuse(const File &file, const std::string &what,
                bool weights = false) {
  ++tried;
  Error error = read(file, weights);
  refused += bool(error);
  if (!error || error.code() < 700 || error.code() > 799) {
    std::fprintf(stderr, "%s: %s\n", what.c_str(),
                 error ? error.message().c_str() : "accepted");
    ++failures;
  }
}

/// Makes all hashes fit the bytes again, as far as the tables can still be
/// found.
void forge(File &file) {
  Header header;
  std::memcpy(&header, file.data(), sizeof(header));
  if (header.manifestOffset > file.size() ||
      header.manifestBytes != file.size() - header.manifestOffset)
    return;
  Hash hash =
      hashBytes(file.data() + header.manifestOffset, header.manifestBytes);
  header.manifestHash[0] = hash.low();
  header.manifestHash[1] = hash.high();
  hash = hashBytes(&header, offsetof(Header, hash));
  header.hash[0] = hash.low();
  header.hash[1] = hash.high();
  std::memcpy(file.data(), &header, sizeof(header));
}

/// Does not crash or hang; and of what is accepted, whatever loading looks up
/// is there.
void mustSurvive(const File &file) {
  ++tried;
  Error error = read(file, true);
  ++(error ? refused : accepted);
}

/// The same numbers in every run.
struct Random {
  uint64_t state = 88172645463325252ull;
  uint64_t operator()(uint64_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
  }
};

struct Tester {
  File file;
  bool all;
  Header header;
  std::vector<Section> sections;
  Random random;

  Tester(File bytes, bool all) : file(std::move(bytes)), all(all) {
    std::memcpy(&header, file.data(), sizeof(header));
    const auto *manifest =
        flatbuffers::GetRoot<Manifest>(file.data() + header.manifestOffset);
    for (const Section *section : *manifest->sections())
      sections.push_back(*section);
  }

  void flip(uint64_t begin, uint64_t end, bool weights, uint64_t step) {
    for (uint64_t at = begin; at < end; at += step) {
      char old = file[at];
      file[at] = static_cast<char>(old ^ (1 << at % 8));
      mustRefuse(file, "flipped byte " + std::to_string(at), weights);
      file[at] = old;
    }
  }

  void flips() {
    flip(0, sizeof(Header), false, 1);
    uint64_t end = sizeof(Header);
    for (const Section &section : sections) {
      flip(end, section.offset(), false, all ? 1 : 61); // padding
      end = section.offset() + section.size();
      bool weights = section.kind() == SectionKind::weights;
      flip(section.offset(), end, weights, all || !weights ? 1 : 7);
    }
    flip(end, header.manifestOffset, false, all ? 1 : 61);
    flip(header.manifestOffset, file.size(), false, 1);
  }

  void cuts() {
    auto cut = [&](uint64_t begin, uint64_t bytes) {
      for (uint64_t i = 0; i < 64; ++i) {
        File part(file.begin(), file.begin() + long(begin + bytes * i / 64));
        mustRefuse(part, "cut at byte " + std::to_string(part.size()));
        // Cut and joined again: the rest moves down.
        uint64_t hole = std::max<uint64_t>(1, bytes / 64);
        part.insert(part.end(), file.begin() + long(part.size() + hole),
                    file.end());
        mustRefuse(part,
                   "hole at byte " + std::to_string(begin + bytes * i / 64));
      }
    };
    cut(0, sizeof(Header));
    for (const Section &section : sections)
      cut(section.offset(), section.size());
    cut(header.manifestOffset, header.manifestBytes);
    File longer = file;
    longer.push_back(0);
    mustRefuse(longer, "one byte more");
  }

  /// Copies a piece of the file to another place of it.
  bool splice(File &target) {
    uint64_t bytes = 1 + random(random(2) ? 64 : 4096);
    bytes = std::min<uint64_t>(bytes, file.size() / 2);
    uint64_t from = random(file.size() - bytes),
             to = random(file.size() - bytes);
    target = file;
    std::copy(file.begin() + long(from), file.begin() + long(from + bytes),
              target.begin() + long(to));
    return target != file;
  }

  void splices(unsigned count) {
    File target;
    for (unsigned i = 0; i < count; ++i)
      if (splice(target))
        mustRefuse(target, "splice " + std::to_string(i), true);
  }

  /// Changes inside the tables, with hashes that fit.
  void forgeries(unsigned count) {
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      4,
                                      8,
                                      64,
                                      4096,
                                      0x7f,
                                      0xff,
                                      0xffff,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0xfffffffe,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      ~0ull};
    for (unsigned i = 0; i < count; ++i) {
      File target = file;
      for (uint64_t j = 0; j <= random(3); ++j) {
        uint64_t width = uint64_t(1) << random(4);
        uint64_t at = header.manifestOffset + random(header.manifestBytes - 8);
        uint64_t value = random(2)
                             ? values[random(sizeof(values) / sizeof(*values))]
                             : random(~0ull);
        std::memcpy(target.data() + at, &value, width);
      }
      forge(target);
      mustSurvive(target);
    }
  }

  /// The same in plan and code: their hashes stand in the manifest.
  void forgedSections(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      File target = file;
      const Section &section = sections[random(sections.size())];
      if (section.kind() == SectionKind::weights)
        continue;
      // Mostly where the tables of an ELF file are.
      uint64_t range = section.kind() == SectionKind::code && random(2)
                           ? 512
                           : section.size();
      for (uint64_t j = 0; j <= random(3); ++j) {
        uint64_t at =
            section.offset() + random(std::min(range, section.size()));
        target[at] = static_cast<char>(random(4) ? random(256) : 0xff);
      }
      Hash hash = hashBytes(target.data() + section.offset(), section.size());
      Section changed(section.offset(), section.size(), hash, section.kind());
      File old(reinterpret_cast<const char *>(&section),
               reinterpret_cast<const char *>(&section + 1));
      auto at = std::search(target.begin() + long(header.manifestOffset),
                            target.end(), old.begin(), old.end());
      if (at == target.end())
        continue;
      std::memcpy(&*at, &changed, sizeof(changed));
      forge(target);
      mustSurvive(target);
    }
  }
};
} // namespace

static File readFile(const std::string &path) {
  File bytes;
  if (FILE *file = std::fopen(path.c_str(), "rb")) {
    char buffer[4096];
    while (size_t count = std::fread(buffer, 1, sizeof(buffer), file))
      bytes.insert(bytes.end(), buffer, buffer + count);
    std::fclose(file);
  }
  return bytes;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  bool all = argc > 2 && !std::strcmp(argv[2], "--all");
  for (const char *name :
       {"addition", "control", "custom", "dynamic", "counted", "counted-rest",
        "counted-two", "counted-placed", "sized-arena", "sized-scratch",
        "placed", "laid-out", "select", "solved", "state"}) {
    File file = readFile(std::string(argv[1]) + "/" + name + ".heddle");
    if (file.empty() || read(file, true)) {
      std::fprintf(stderr, "%s is not good to begin with\n", name);
      return 1;
    }
    Tester tester(std::move(file), all);
    tester.flips();
    tester.cuts();
    tester.splices(all ? 100000 : 2000);
    tester.forgeries(all ? 300000 : 10000);
    tester.forgedSections(all ? 300000 : 10000);
  }
  std::printf(
      "%u files tried, %u refused, %u forged ones accepted, %u failures\n",
      tried, refused, accepted, failures);
  return failures ? 1 : 0;
}
