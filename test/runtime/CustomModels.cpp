// Models that call functions of the tests.

#include "test/runtime/ModelParts.h"

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

static std::unique_ptr<AttributeT> attribute(const char *name,
                                             AttributeKind kind) {
  auto result = std::make_unique<AttributeT>();
  result->name = name;
  result->kind = kind;
  return result;
}

Model test::customModel() {
  Model model;
  model.manifest.nodes = {"first", "round"};
  EntryT &entry = model.entry("main");
  entry.inputs.push_back(tensor(model, "x", DataType::f32, {2, 3}));
  entry.outputs.push_back(tensor(model, "sum", DataType::f64, {}));
  entry.outputs.push_back(tensor(model, "signs", DataType::i1, {2, 3}));
  model.arena(128);
  uint32_t x = model.buffer(BufferKind::input, 0, 24);
  uint32_t sum = model.buffer(BufferKind::output, 0, 8);
  uint32_t signs = model.buffer(BufferKind::output, 1, 6);
  uint32_t state = model.buffer(BufferKind::arena, 0, 24);
  uint32_t nothing = model.buffer(BufferKind::arena, 0, 0, 64);

  CustomCallT affine;
  affine.api_version = 4;
  affine.operands.push_back(tensor(model, "", DataType::f32, {2, 3}));
  affine.results.push_back(tensor(model, "", DataType::f32, {2, 3}));
  auto add = [&](std::unique_ptr<AttributeT> made) -> AttributeT & {
    affine.attributes.push_back(std::move(made));
    return *affine.attributes.back();
  };
  add(attribute("bias", AttributeKind::real)).reals = {0.5};
  add(attribute("exact", AttributeKind::boolean)).integers = {1};
  add(attribute("factor", AttributeKind::integer)).integers = {3};
  AttributeT &list = add(attribute("list", AttributeKind::integer));
  list.is_array = true;
  list.integers = {-1, INT64_MAX};
  AttributeT &names = add(attribute("names", AttributeKind::text));
  names.is_array = true;
  names.texts = {"a", std::string("b\0c", 3)};
  add(attribute("none", AttributeKind::real)).is_array = true;
  uint32_t first = model.customCall("affine", std::move(affine));

  CustomCallT step;
  step.api_version = 1;
  step.has_side_effect = true;
  step.backend_config = "by two";
  step.operands.push_back(tensor(model, "", DataType::f32, {0, 7}));
  auto carried = tensor(model, "", DataType::f32, {2, 3});
  step.results.push_back(tensor(model, "", DataType::f32, {}));
  step.results[0]->shape = carried->shape;
  step.results[0]->alias = 1;
  step.operands.push_back(std::move(carried));
  uint32_t again = model.customCall("step", std::move(step));

  CustomCallT finish;
  finish.operands.push_back(tensor(model, "", DataType::f32, {2, 3}));
  finish.results.push_back(tensor(model, "", DataType::f64, {}));
  finish.results.push_back(tensor(model, "", DataType::i1, {2, 3}));
  uint32_t last = model.customCall("finish", std::move(finish));

  auto read = [&](uint32_t buffer) { return model.bind(buffer, Access::read); };
  auto write = [&](uint32_t buffer) {
    return model.bind(buffer, Access::write);
  };
  model.program().body = model.block();
  model.launch(first, {read(x), write(state)}, {}, 1);
  model.program().blocks.back()->commands.back()->nodes = {0};
  LoopT loop;
  loop.body = 1;
  loop.trips = model.constant(3);
  model.command().action.Set(std::move(loop));
  model.launch(last, {read(state), write(sum), write(signs)}, {}, 1);
  model.block();
  model.launch(again, {read(nothing), read(state), write(state)}, {}, 1);
  model.program().blocks.back()->commands.back()->nodes = {1};
  return model;
}
