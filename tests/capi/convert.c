/* Conversions of elements in the host's memory: rounding, overflow, NaN, pieces of a whole. */
#include "pintle/c/convert.h"

#include <math.h>
#include <string.h>

#include "check.h"

static pintle_conversion from_to(uint32_t from, uint32_t to) {
  const pintle_conversion how = {.size = sizeof how, .from = from, .to = to};
  return how;
}

/* The f16 code of one f32. */
static uint16_t half_of(const pintle_conversion* how, float value) {
  uint16_t code = 0;
  OK(pintle_conversion_run(how, &code, sizeof code, &value, sizeof value, error));
  return code;
}

static void f32_becomes_f16_and_back(void) {
  const float values[] = {1, -2, 65504, 65519, 65520, 0.333251953125f};
  const uint16_t codes[] = {0x3c00, 0xc000, 0x7bff, 0x7bff, 0x7c00, 0x3555};
  const pintle_conversion to = from_to(PINTLE_F32, PINTLE_F16), back = from_to(PINTLE_F16, PINTLE_F32);
  uint16_t halves[6];
  float wide[6];
  uint64_t bytes = 0;
  OK(pintle_conversion_bytes(&to, sizeof values, &bytes, error));
  CHECK(bytes == sizeof halves);
  OK(pintle_conversion_run(&to, halves, sizeof halves, values, sizeof values, error));
  CHECK(memcmp(halves, codes, sizeof codes) == 0);
  OK(pintle_conversion_run(&back, wide, sizeof wide, halves, sizeof halves, error));
  CHECK(wide[0] == 1 && wide[1] == -2 && wide[2] == 65504 && wide[3] == 65504 && isinf(wide[4]) &&
        wide[5] == values[5]);
  OK(pintle_conversion_run(&to, NULL, 0, NULL, 0, error));
}

static void rules_say_what_does_not_fit(void) {
  pintle_conversion how = from_to(PINTLE_F32, PINTLE_F16);
  uint16_t code = 0x1234;
  const float huge = 65520;
  how.rounding = PINTLE_ROUNDING_TOWARD_ZERO;
  CHECK(half_of(&how, 65535) == 0x7bff && half_of(&how, 65536) == 0x7c00);
  how.rounding = PINTLE_ROUNDING_NEAREST_EVEN;
  how.overflow = PINTLE_OVERFLOW_SATURATE;
  CHECK(half_of(&how, huge) == 0x7bff && half_of(&how, -1e9f) == 0xfbff);
  how.overflow = PINTLE_OVERFLOW_ERROR;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_conversion_run(&how, &code, sizeof code, &huge, sizeof huge, error));
  CHECK(code == 0x1234 && half_of(&how, 65519) == 0x7bff);
  how = from_to(PINTLE_F32, PINTLE_I8);
  how.overflow = PINTLE_OVERFLOW_SATURATE;
  const float values[] = {-300, -2.5f, 2.5f, 3.5f, 300};
  int8_t integers[5];
  OK(pintle_conversion_run(&how, integers, sizeof integers, values, sizeof values, error));
  CHECK(integers[0] == -128 && integers[1] == -2 && integers[2] == 2 && integers[3] == 4 && integers[4] == 127);
}

static void a_nan_is_canonical_or_keeps_its_payload(void) {
  const uint32_t bits = 0xffc12345;
  float nan_value;
  memcpy(&nan_value, &bits, sizeof bits);
  pintle_conversion how = from_to(PINTLE_F32, PINTLE_F16);
  CHECK(half_of(&how, nan_value) == 0x7e00);
  how.nan = PINTLE_NAN_PAYLOAD;
  CHECK(half_of(&how, nan_value) == 0xfe09);
}

/* A quarter of the way from 1 to the next f16. */
static void stochastic_rounding_follows_its_seed(void) {
  enum { many = 64 };
  float values[many];
  uint16_t whole[many], pieces[many], other[many];
  for (int i = 0; i < many; ++i) values[i] = 1 + 1.0f / 4096;
  pintle_conversion how = from_to(PINTLE_F32, PINTLE_F16);
  how.rounding = PINTLE_ROUNDING_STOCHASTIC;
  how.seed = 7;
  OK(pintle_conversion_run(&how, whole, sizeof whole, values, sizeof values, error));
  int up = 0;
  for (int i = 0; i < many; ++i) {
    CHECK(whole[i] == 0x3c00 || whole[i] == 0x3c01);
    up += whole[i] == 0x3c01;
  }
  CHECK(up > 0 && up < many / 2);
  OK(pintle_conversion_run(&how, pieces, sizeof pieces / 2, values, sizeof values / 2, error));
  how.first_element = many / 2;
  OK(pintle_conversion_run(&how, pieces + many / 2, sizeof pieces / 2, values, sizeof values / 2, error));
  CHECK(memcmp(whole, pieces, sizeof whole) == 0);
  how.first_element = 0;
  how.seed = 8;
  OK(pintle_conversion_run(&how, other, sizeof other, values, sizeof values, error));
  CHECK(memcmp(whole, other, sizeof whole) != 0);
}

static void wrong_conversions_write_nothing(void) {
  const pintle_conversion good = from_to(PINTLE_F32, PINTLE_F16), narrowed = from_to(PINTLE_COMPLEX64, PINTLE_F32);
  const float from[4] = {1, 2, 3, 4};
  uint16_t to[4] = {9, 9, 9, 9};
  uint64_t bytes = 77;
  float same[4] = {0};
  pintle_conversion wrong[6];
  for (int i = 0; i < 6; ++i) wrong[i] = good;
  wrong[0].size = 8;
  wrong[1].from = 0;
  wrong[2].to = 17;
  wrong[3].rounding = 4;
  wrong[4].overflow = 4;
  wrong[5].nan = 3;
  for (int i = 0; i < 6; ++i) {
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_conversion_bytes(&wrong[i], 16, &bytes, error));
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_conversion_run(&wrong[i], to, sizeof to, from, sizeof from, error));
  }
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_conversion_bytes(&good, 15, &bytes, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_conversion_bytes(&good, 16, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_conversion_bytes(NULL, 16, &bytes, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_conversion_bytes(&narrowed, 16, &bytes, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_conversion_run(&good, to, 6, from, sizeof from, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_conversion_run(&good, to, sizeof to, from, 12, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_conversion_run(&good, to, 7, from, sizeof from, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_conversion_run(&good, NULL, sizeof to, from, sizeof from, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_conversion_run(&good, to, sizeof to, NULL, sizeof from, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_conversion_run(&good, same, 8, same, sizeof same, error)); /* overlap */
  CHECK(bytes == 77 && to[0] == 9 && to[1] == 9 && to[2] == 9 && to[3] == 9);
}

int main(void) {
  f32_becomes_f16_and_back();
  rules_say_what_does_not_fit();
  a_nan_is_canonical_or_keeps_its_payload();
  stochastic_rounding_follows_its_seed();
  wrong_conversions_write_nothing();
  return 0;
}
