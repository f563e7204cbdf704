// Numbers of errors and what is said of each.

#include "heddle/Support/Diagnostics.h"
#include "heddle/runtime.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

TEST(Diagnostics, CodesAscendSoThatNoneIsUsedTwice) {
  for (auto [before, after] :
       llvm::zip(allErrors().drop_back(), allErrors().drop_front()))
    EXPECT_LT(before.code, after.code);
}

TEST(Diagnostics, EveryErrorSaysWhatItMeansAndWhatToDo) {
  for (const ErrorInfo &info : allErrors()) {
    EXPECT_FALSE(info.meaning.empty()) << errorName(info.code);
    EXPECT_FALSE(info.meaning.ends_with(".")) << errorName(info.code);
    EXPECT_TRUE(info.help.ends_with(".")) << errorName(info.code);
    EXPECT_NE(info.exit, ExitCode::Ok) << errorName(info.code);
    EXPECT_EQ(parseErrorName(errorName(info.code)), info.code);
  }
}

TEST(Diagnostics, EveryStatusOfTheRuntimeIsAnError) {
  for (int32_t code = 700; code < 850; ++code)
    EXPECT_EQ(llvm::StringRef(heddle_code_name(code)) != "?",
              parseErrorName(std::to_string(code)).has_value())
        << code;
}

TEST(Diagnostics, NamesAreReadInEverySpelling) {
  EXPECT_EQ(parseErrorName("hdl-0206"), ErrorCode::OnnxExternalPath);
  EXPECT_EQ(parseErrorName("206"), ErrorCode::OnnxExternalPath);
  EXPECT_EQ(parseErrorName("HDL-0000"), std::nullopt);
  EXPECT_EQ(parseErrorName("Conv"), std::nullopt);
}

TEST(Diagnostics, CodeComesBackOutOfTheMessage) {
  MLIRContext context;
  std::string seen;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    seen = diagnostic.str();
    return success();
  });
  emitError(UnknownLoc::get(&context), ErrorCode::OnnxOperator) << "no Foo";
  EXPECT_EQ(seen, "[HDL-0203] no Foo");
  EXPECT_EQ(takeErrorCode(seen), ErrorCode::OnnxOperator);
  EXPECT_EQ(seen, "no Foo");

  std::string opError = "'stablehlo.add' op [HDL-0402] differs";
  EXPECT_EQ(takeErrorCode(opError), ErrorCode::ShapeMismatch);
  EXPECT_EQ(opError, "'stablehlo.add' op differs");

  std::string quotation = "name \"[HDL-0402]\" is odd";
  EXPECT_EQ(takeErrorCode(quotation), std::nullopt);
}
