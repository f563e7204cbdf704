// The artifact reader, with what hashes would refuse at once: they are made
// right before it reads.

#include "runtime/format/ArtifactReader.h"
#include "test/fuzz/PlanWalk.h"

#include <cstring>
#include <vector>

using namespace heddle::format;

/// Whether [offset, offset + bytes) lies inside of `size`.
static bool isInside(uint64_t offset, uint64_t bytes, uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

static void makeHashesRight(char *data, uint64_t size) {
  if (size < sizeof(Header))
    return;
  Header header;
  std::memcpy(&header, data, sizeof header);
  header.fileBytes = size;
  uint64_t offset = header.manifestOffset, bytes = header.manifestBytes;
  if (isInside(offset, bytes, size)) {
    flatbuffers::Verifier verifier(reinterpret_cast<uint8_t *>(data + offset),
                                   bytes);
    if (offset % 8 == 0 && bytes < FLATBUFFERS_MAX_BUFFER_SIZE &&
        verifier.VerifyBuffer<Manifest>(nullptr)) {
      const auto *sections =
          flatbuffers::GetRoot<Manifest>(data + offset)->sections();
      // The reader refuses sections that are not at a multiple of 8.
      if (sections && reinterpret_cast<uintptr_t>(sections->Data()) % 8)
        sections = nullptr;
      for (uint32_t i = 0; sections && i < sections->size(); ++i) {
        auto *section = const_cast<Section *>(sections->Get(i));
        if (!isInside(section->offset(), section->size(), size))
          continue;
        Hash hash = hashBytes(data + section->offset(), section->size());
        std::memcpy(const_cast<Hash *>(&section->hash()), &hash, sizeof hash);
      }
    }
    Hash hash = hashBytes(data + offset, bytes);
    std::memcpy(header.manifestHash, &hash, sizeof hash);
  }
  Hash hash = hashBytes(&header, offsetof(Header, hash));
  std::memcpy(header.hash, &hash, sizeof hash);
  std::memcpy(data, &header, sizeof header);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Where the allocator puts it, it starts at a multiple of 64 or is copied.
  std::vector<char> bytes(data, data + size);
  makeHashesRight(bytes.data(), size);
  ArtifactReader reader;
  if (!reader.openMemory(bytes.data(), size)) {
    (void)reader.verifyWeights();
    (void)heddle::test::walkPlans(reader);
  }
  return 0;
}
