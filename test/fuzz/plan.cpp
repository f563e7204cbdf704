// The plan verifier: the input is a plan, for the manifest of the artifact that
// HEDDLE_FUZZ_ARTIFACT names. What it accepts is walked as loading does.

#include "runtime/format/ArtifactReader.h"
#include "runtime/format/PlanVerifier.h"
#include "test/fuzz/PlanWalk.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace heddle::format;

static ArtifactReader artifact;

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  const char *path = std::getenv("HEDDLE_FUZZ_ARTIFACT");
  if (path && !artifact.open(path))
    return 0;
  std::fprintf(stderr, "HEDDLE_FUZZ_ARTIFACT must name an artifact\n");
  std::exit(1);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // As the artifact's reader does before it believes a plan.
  std::vector<uint64_t> aligned(size / 8 + 1);
  std::copy(data, data + size, reinterpret_cast<uint8_t *>(aligned.data()));
  flatbuffers::Verifier verifier(
      reinterpret_cast<const uint8_t *>(aligned.data()), size,
      /*max_depth=*/16, static_cast<flatbuffers::uoffset_t>(size / 8));
  if (!verifier.VerifyBuffer<Plan>(nullptr))
    return 0;
  const Manifest &manifest = artifact.manifest();
  const Plan &plan = *flatbuffers::GetRoot<Plan>(aligned.data());
  for (uint32_t i = 0; i < manifest.variants()->size(); ++i) {
    const Variant &variant = *manifest.variants()->Get(i);
    if (artifact.skipped(i).empty() && !verifyPlan(plan, manifest, variant))
      (void)heddle::test::PlanWalk(manifest, variant, plan).run();
  }
  return 0;
}
