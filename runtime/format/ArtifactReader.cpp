// Opens an artifact and checks hashes, places and tables before anything else
// reads them.

#include "runtime/format/ArtifactReader.h"

#include "runtime/format/Devices.h"
#include "runtime/format/KernelVerifier.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/ManifestVerifier.h"
#include "runtime/format/PlanVerifier.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle::format;

ArtifactReader::~ArtifactReader() { close(); }

void ArtifactReader::close() {
  if (owned && mapped.data)
    munmap(const_cast<char *>(mapped.data), mapped.size);
  if (fd >= 0)
    ::close(fd);
  mapped = {};
  root = nullptr;
  fd = -1;
  owned = false;
}

Error ArtifactReader::fail(heddle_code code, const std::string &what) const {
  return {code, "'" + name + "': " + what};
}

Error ArtifactReader::open(const std::string &path) {
  close();
  name = path;
  // A pipe would wait for its other end; `check` refuses it.
  fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return fail(HEDDLE_FILE_UNREADABLE, std::strerror(errno));
  return check();
}

Error ArtifactReader::open(int descriptor, const std::string &nameForMessages) {
  close();
  name = nameForMessages;
  fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (fd < 0)
    return fail(HEDDLE_FILE_UNREADABLE, std::strerror(errno));
  return check();
}

Error ArtifactReader::openMemory(const void *data, uint64_t bytes) {
  close();
  name = "artifact in memory";
  mapped = {static_cast<const char *>(data), bytes};
  if (reinterpret_cast<uintptr_t>(data) % weightAlignment && bytes) {
    void *copy = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
      return fail(HEDDLE_OUT_OF_MEMORY, std::strerror(errno));
    std::memcpy(copy, data, bytes);
    mapped.data = static_cast<char *>(copy);
    owned = true;
  }
  return check();
}

Error ArtifactReader::check() {
  if (fd >= 0) {
    struct stat status;
    if (fstat(fd, &status) != 0)
      return fail(HEDDLE_FILE_UNREADABLE, std::strerror(errno));
    if (!S_ISREG(status.st_mode))
      return fail(HEDDLE_FILE_UNREADABLE, "not a regular file");
    mapped.size = static_cast<uint64_t>(status.st_size);
    if (mapped.size) {
      void *base = mmap(nullptr, mapped.size, PROT_READ, MAP_PRIVATE, fd, 0);
      if (base == MAP_FAILED)
        return fail(errno == ENOMEM ? HEDDLE_OUT_OF_MEMORY
                                    : HEDDLE_FILE_UNREADABLE,
                    std::strerror(errno));
      mapped.data = static_cast<const char *>(base);
      owned = true;
    }
  }
  Error error = checkHeader();
  if (!error)
    error = checkManifest();
  if (!error)
    error = checkSections();
  if (!error)
    error = checkVariants();
  return error;
}

const Header &ArtifactReader::header() const {
  return *reinterpret_cast<const Header *>(mapped.data);
}

Error ArtifactReader::checkHeader() const {
  uint64_t magicBytes = std::min<uint64_t>(mapped.size, sizeof(magic));
  if (!magicBytes || std::memcmp(mapped.data, magic, magicBytes) != 0)
    return fail(HEDDLE_NOT_AN_ARTIFACT, "not a heddle artifact");
  if (mapped.size < sizeof(Header))
    return fail(HEDDLE_ARTIFACT_TRUNCATED,
                "ends after " + std::to_string(mapped.size) + " bytes");
  const Header &h = header();
  if (h.major != majorVersion)
    return fail(HEDDLE_VERSION_UNSUPPORTED,
                "has format version " + std::to_string(h.major) + "." +
                    std::to_string(h.minor) + "; this reader takes version " +
                    std::to_string(majorVersion) + ": compile the model again");
  Hash stored(h.hash[0], h.hash[1]);
  if (hashBytes(&h, offsetof(Header, hash)) != stored)
    return fail(HEDDLE_ARTIFACT_DAMAGED, "its header is damaged");
  if (h.fileBytes != mapped.size)
    return fail(HEDDLE_ARTIFACT_TRUNCATED,
                "has " + std::to_string(mapped.size) + " bytes instead of " +
                    std::to_string(h.fileBytes));
  if (h.manifestOffset % pageBytes || h.manifestOffset < sizeof(Header) ||
      h.manifestOffset > mapped.size ||
      h.manifestBytes != mapped.size - h.manifestOffset ||
      !std::all_of(h.zero, h.zero + sizeof(h.zero),
                   [](char c) { return c == 0; }))
    return fail(HEDDLE_ARTIFACT_DAMAGED, "its header contradicts itself");
  return {};
}

/// Tables cannot be more than the bytes could hold without sharing: this bounds
/// the time that a file made to be slow can take.
static flatbuffers::Verifier makeVerifier(const void *data, uint64_t bytes) {
  return flatbuffers::Verifier(static_cast<const uint8_t *>(data), bytes,
                               /*max_depth=*/16,
                               static_cast<flatbuffers::uoffset_t>(
                                   std::min<uint64_t>(bytes / 8, 1 << 24)));
}

/// FlatBuffers' verifier looks at where a vector's length lies, not at whether
/// its elements of 8 bytes, which follow, are at multiples of 8.
template <typename T>
static bool elementsAreAligned(const flatbuffers::Vector<T> *vector) {
  using Element = std::remove_const_t<std::remove_pointer_t<T>>;
  return !vector ||
         reinterpret_cast<uintptr_t>(vector->Data()) % alignof(Element) == 0;
}

static bool vectorsAreAligned(const Manifest &manifest) {
  if (!elementsAreAligned(manifest.expressions()) ||
      !elementsAreAligned(manifest.sections()))
    return false;
  for (uint32_t i = 0; i < length(manifest.weights()); ++i)
    if (!elementsAreAligned(manifest.weights()->Get(i)->shape()))
      return false;
  return true;
}

Error ArtifactReader::checkManifest() {
  const Header &h = header();
  const char *data = mapped.data + h.manifestOffset;
  if (hashBytes(data, h.manifestBytes) !=
      Hash(h.manifestHash[0], h.manifestHash[1]))
    return fail(HEDDLE_ARTIFACT_DAMAGED, "its manifest is damaged");
  flatbuffers::Verifier verifier = makeVerifier(data, h.manifestBytes);
  if (h.manifestBytes >= FLATBUFFERS_MAX_BUFFER_SIZE ||
      !verifier.VerifyBuffer<Manifest>(nullptr))
    return fail(HEDDLE_MANIFEST_INVALID, "its manifest is malformed");
  root = flatbuffers::GetRoot<Manifest>(data);
  if (!vectorsAreAligned(*root))
    return fail(HEDDLE_MANIFEST_INVALID, "its manifest is malformed");
  if (Error error = verifyManifest(*root, h.manifestOffset))
    return fail(error.code(), error.message());
  return {};
}

Error ArtifactReader::checkZero(uint64_t begin, uint64_t end) const {
  const char *first = mapped.data + begin, *last = mapped.data + end;
  if (std::all_of(first, last, [](char c) { return c == 0; }))
    return {};
  return fail(HEDDLE_ARTIFACT_DAMAGED, "the padding before byte " +
                                           std::to_string(end) +
                                           " is not zero");
}

Error ArtifactReader::checkSections() const {
  uint64_t end = sizeof(Header);
  for (uint32_t i = 0; i < length(root->sections()); ++i) {
    const Section &section = *root->sections()->Get(i);
    if (Error error = checkZero(end, section.offset()))
      return error;
    end = section.offset() + section.size();
    if (section.kind() != SectionKind::weights &&
        hashBytes(mapped.data + section.offset(), section.size()) !=
            section.hash())
      return fail(HEDDLE_ARTIFACT_DAMAGED,
                  std::string("its ") + EnumNameSectionKind(section.kind()) +
                      " section at byte " + std::to_string(section.offset()) +
                      " is damaged");
  }
  if (Error error = checkZero(end, header().manifestOffset))
    return error;

  return {};
}

Error ArtifactReader::checkVariant(const Variant &variant) const {
  if (Error error = verifyDevices(*root, variant))
    return error;
  Bytes plan = section(variant.plan());
  flatbuffers::Verifier verifier = makeVerifier(plan.data, plan.size);
  if (plan.size >= FLATBUFFERS_MAX_BUFFER_SIZE ||
      !verifier.VerifyBuffer<Plan>(nullptr) ||
      !elementsAreAligned(flatbuffers::GetRoot<Plan>(plan.data)->expressions()))
    return {HEDDLE_PLAN_INVALID, "its plan is malformed"};
  if (Error error = verifyKernels(*root, variant, mapped))
    return error;
  return verifyPlan(*flatbuffers::GetRoot<Plan>(plan.data), *root, variant);
}

/// What needs something unknown is skipped, unless that is all there is.
Error ArtifactReader::checkVariants() {
  skipReasons.clear();
  std::string reasons;
  bool any = false;
  for (const Variant *variant : *root->variants()) {
    skipReasons.push_back(unknownPart(*variant));
    std::string who = "variant '" + text(variant->name()) + "'";
    if (!skipReasons.back().empty()) {
      reasons +=
          (reasons.empty() ? "" : ", ") + who + " needs " + skipReasons.back();
      continue;
    }
    any = true;
    if (Error error = checkVariant(*variant))
      return fail(error.code(), who + ": " + error.message());
  }
  if (any)
    return {};
  return fail(HEDDLE_FEATURE_UNSUPPORTED,
              "this version of heddle knows no variant of it: " + reasons);
}

Bytes ArtifactReader::section(uint32_t index) const {
  const Section *section = root->sections()->Get(index);
  return {mapped.data + section->offset(), section->size()};
}

Bytes ArtifactReader::weight(uint32_t index) const {
  const Weight *weight = root->weights()->Get(index);
  return {section(weight->section()).data + weight->offset(), weight->size()};
}

const Plan &ArtifactReader::plan(uint32_t variant) const {
  uint32_t index = root->variants()->Get(variant)->plan();
  return *flatbuffers::GetRoot<Plan>(section(index).data);
}

Error ArtifactReader::verifyWeight(uint32_t index) const {
  const Weight *weight = root->weights()->Get(index);
  Bytes bytes = this->weight(index);
  if (hashBytes(bytes.data, bytes.size) == *weight->hash())
    return {};
  return fail(HEDDLE_WEIGHT_DAMAGED,
              "weight '" + text(weight->symbol()) + "' is damaged");
}

Error ArtifactReader::verifyWeights() const {
  uint32_t weight = 0;
  for (uint32_t i = 0; i < length(root->sections()); ++i) {
    const Section &section = *root->sections()->Get(i);
    if (section.kind() != SectionKind::weights)
      continue;
    uint64_t end = section.offset(); // of the weight before
    for (; weight < length(root->weights()) &&
           root->weights()->Get(weight)->section() == i;
         ++weight) {
      const Weight &entry = *root->weights()->Get(weight);
      if (Error error = checkZero(end, section.offset() + entry.offset()))
        return error;
      end = section.offset() + entry.offset() + entry.size();
      if (Error error = verifyWeight(weight))
        return error;
    }
    if (Error error = checkZero(end, section.offset() + section.size()))
      return error;
  }
  return {};
}
