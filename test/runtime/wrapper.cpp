// The C++ wrapper, used as its head comment shows. Argument: the folder of the
// test models.

#include "heddle/runtime.hpp"

#include "test/runtime/check.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  CHECK(!heddle::api::Program::load("/no/such/file"));
  heddle::api::Result<heddle::api::Program> program =
      heddle::api::Program::load(model_path(argv[1], "addition"));
  if (!program) {
    fprintf(stderr, "%s\n", program.status().message());
    return 1;
  }
  CHECK(program->entries() == std::vector<std::string>({"main", "empty"}));
  std::vector<heddle::api::TensorInfo> inputs = program->inputs();
  CHECK(inputs.size() == 2 && inputs[1].name == "right" &&
        inputs[1].shape == std::vector<int64_t>({10, 100}));
  CHECK(program->outputs(1).empty() && program->report().weights_bytes == 4012);

  auto options = heddle::api::defaults<heddle_pool_options>();
  options.threads = 2;
  heddle::api::Result<heddle::api::Pool> pool =
      heddle::api::Pool::create(options);
  CHECK(pool && pool->threads() == 2);
  auto contextOptions = heddle::api::defaults<heddle_context_options>();
  contextOptions.pool = pool->get();
  heddle::api::Result<heddle::api::Context> context =
      program->context(0, contextOptions);
  CHECK(context && context->threads() == 2);
  CHECK(program->context(9).status().code() == HEDDLE_ENTRY_UNKNOWN);

  const std::vector<float> left(1000, 1), right(1000, 2);
  std::vector<float> sum(1000);
  heddle::api::Status status =
      context->call({heddle::api::tensor(left, {10, 100}),
                     heddle::api::tensor(right, {10, 100})},
                    {heddle::api::tensor(sum, {10, 100})});
  CHECK(status && sum[999] == 4 + 0.5f * 999);
  status = context->call({heddle::api::tensor(left, {10, 100})},
                         {heddle::api::tensor(sum, {10, 100})});
  CHECK(!status && status.code() == HEDDLE_INPUT_MISSING);
  sum.resize(999);
  status = context->call({heddle::api::tensor(left, {10, 100}),
                          heddle::api::tensor(right, {10, 100})},
                         {heddle::api::tensor(sum, {10, 100})});
  CHECK(status.code() == HEDDLE_OUTPUT_TOO_SMALL);

  // Functions live as long as who calls them.
  int rounds = 0;
  heddle::api::Context calling = [&] {
    heddle::api::CustomCalls functions;
    auto doubled = [&](const heddle_custom_call_frame &frame) {
      auto *values = static_cast<float *>(frame.results[0]->data);
      for (int i = 0; i < 6; ++i)
        values[i] = 2 * static_cast<const float *>(
                            frame.operands[frame.operand_count - 1]->data)[i];
      return ++rounds > 8 ? std::string("too many rounds") : std::string();
    };
    functions.add("affine", doubled).add("step", doubled);
    CHECK(heddle::api::Program::load(model_path(argv[1], "custom"), functions)
              .status()
              .code() == HEDDLE_CUSTOM_CALL_MISSING);
    CHECK(!heddle::api::Program::load("", 0, functions));
    functions.add("finish", [](const heddle_custom_call_frame &frame) {
      *static_cast<double *>(frame.results[0]->data) =
          static_cast<const float *>(frame.operands[0]->data)[5];
      return std::string();
    });
    auto custom =
        heddle::api::Program::load(model_path(argv[1], "custom"), functions);
    CHECK(custom);
    return std::move(*custom->context());
  }();
  const std::vector<float> x = {0, 0, 0, 0, 0, 1};
  std::vector<double> last(1);
  std::vector<uint8_t> signs(6);
  auto callCustom = [&] {
    return calling.call(
        {heddle::api::tensor(x, {2, 3})},
        {heddle::api::tensor(last, {}), {signs.data(), HEDDLE_I1, {2, 3}, 6}});
  };
  CHECK(callCustom() && last[0] == 16 && rounds == 4);
  CHECK(callCustom());
  status = callCustom();
  CHECK(status.code() == HEDDLE_CUSTOM_CALL_FAILED &&
        std::string(status.message()).find("too many rounds") !=
            std::string::npos);

  // Owners can be moved, and go in any order.
  heddle::api::Context moved = std::move(*context);
  program = heddle::api::Program::load(model_path(argv[1], "churn"));
  CHECK(program && program->outputs()[0].dtype == HEDDLE_I32);
  return finish();
}
