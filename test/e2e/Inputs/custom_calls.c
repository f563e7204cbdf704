/* Functions for the custom calls of the tests. */

#include "heddle/runtime.h"

#include <stdio.h>

static size_t elements(const heddle_tensor *tensor) {
  size_t count = 1;
  for (int32_t i = 0; i < tensor->rank; ++i)
    count *= (size_t)tensor->shape[i];
  return count;
}

static int32_t fail(const heddle_custom_call_frame *frame, const char *why) {
  snprintf(frame->message, frame->message_bytes, "%s", why);
  return 1;
}

/* y = factor * x + bias, for f32. */
int32_t affine(const heddle_custom_call_frame *frame) {
  const heddle_attribute *factor = heddle_find_attribute(frame, "factor");
  const heddle_attribute *bias = heddle_find_attribute(frame, "bias");
  if (!factor || factor->kind != HEDDLE_ATTRIBUTE_I64)
    return fail(frame, "there is no integer 'factor'");
  if (frame->operands[0]->dtype != HEDDLE_F32)
    return fail(frame, "f32 is wanted");
  const float *x = frame->operands[0]->data;
  float *y = frame->results[0]->data;
  for (size_t i = 0; i < elements(frame->operands[0]); ++i)
    y[i] = (float)factor->integers[0] * x[i] +
           (bias ? (float)bias->floats[0] : 0.0f);
  return 0;
}

/* A line with the configuration and the first element of an i32 tensor, which a
   result gets, too. */
int32_t note(const heddle_custom_call_frame *frame) {
  const int32_t *value = frame->operands[0]->data;
  int32_t first = elements(frame->operands[0]) ? *value : -1;
  printf("note %s %d\n", frame->backend_config, first);
  if (frame->result_count)
    *(int32_t *)frame->results[0]->data = first;
  return 0;
}

/* Adds the second operand to the first, in its place; c64. */
int32_t accumulate(const heddle_custom_call_frame *frame) {
  if (frame->operands[0]->data != frame->results[0]->data)
    return fail(frame, "the result is not in the operand's place");
  if (frame->operands[0]->dtype != HEDDLE_C64)
    return fail(frame, "c64 is wanted");
  float *sum = frame->results[0]->data;
  const float *more = frame->operands[1]->data;
  for (size_t i = 0; i < 2 * elements(frame->operands[0]); ++i)
    sum[i] += more[i];
  return 0;
}

/* Of ui8[n] and f64[n], n possibly 0: the count, i64[]; the sum of both, f64[];
   which are odd, i1[n]; the first again, ui8[n]. */
int32_t census(const heddle_custom_call_frame *frame) {
  const heddle_tensor *const *out = frame->results;
  if (frame->operand_count != 2 || frame->result_count != 4 ||
      frame->operands[0]->dtype != HEDDLE_UI8 || out[0]->dtype != HEDDLE_I64 ||
      out[0]->rank != 0 || out[2]->dtype != HEDDLE_I1)
    return fail(frame, "other types are wanted");
  size_t count = elements(frame->operands[0]);
  const uint8_t *bytes = frame->operands[0]->data;
  const double *reals = frame->operands[1]->data;
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += reals[i] + bytes[i];
    ((uint8_t *)out[2]->data)[i] = bytes[i] & 1;
    ((uint8_t *)out[3]->data)[i] = bytes[i];
  }
  *(int64_t *)out[0]->data = (int64_t)count;
  *(double *)out[1]->data = sum;
  return 0;
}

/* Fails when the element of its i32 operand is 3. */
int32_t guard(const heddle_custom_call_frame *frame) {
  int32_t value = *(const int32_t *)frame->operands[0]->data;
  if (value == 3)
    return fail(frame, "three is too much");
  *(int32_t *)frame->results[0]->data = value + 1;
  return 0;
}
