// Plans that the verifier refuses, and what it says of each.

#ifndef HEDDLE_TEST_UNIT_FORMAT_FAULTYPLANS_H
#define HEDDLE_TEST_UNIT_FORMAT_FAULTYPLANS_H

#include "test/runtime/ModelParts.h"

#include "gtest/gtest.h"

#include <functional>

namespace heddle::test {

struct Case {
  const char *wanted; ///< In the message; "" when the plan is right.
  std::function<void(Model &)> change;
};

/// The message about what is wrong with a model, "" if nothing is. Writing
/// verifies as loading does; nothing gets a name.
inline std::string verify(const Model &model) {
  static const KernelImage image = KernelImage::read(HEDDLE_TEST_KERNELS);
  format::ArtifactWriter writer;
  if (writer.openTemporary(nullptr))
    return "no temporary file";
  return model.write(image, writer).message();
}

/// Each case changes a model of its own, by way of its first program, or its
/// last.
inline void check(const std::vector<Case> &cases, Model (*make)(),
                  bool ofLast = false) {
  for (const Case &test : cases) {
    Model model = make();
    const auto &programs = model.plan.programs;
    model.current = (ofLast ? programs.back() : programs.front()).get();
    test.change(model);
    std::string message = verify(model);
    if (*test.wanted)
      EXPECT_NE(message.find(test.wanted), std::string::npos)
          << "wanted: " << test.wanted << "\ngot: " << message;
    else
      EXPECT_EQ(message, "");
  }
}

} // namespace heddle::test

#endif // HEDDLE_TEST_UNIT_FORMAT_FAULTYPLANS_H
