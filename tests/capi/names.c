/* Names of what has numbers, both ways. */
#include <string.h>

#include "check.h"

typedef pintle_status (*name_of)(uint32_t number, const char** name, pintle_error* error);
typedef pintle_status (*number_of)(const char* name, uint32_t* number, pintle_error* error);

/* Every number up to the last has a name of its own, and the name has the number. */
static void both_ways(name_of to_name, number_of to_number, uint32_t last, const char* first, const char* end) {
  const char* name = NULL;
  uint32_t number = 0;
  for (uint32_t each = 1; each <= last; ++each) {
    OK(to_name(each, &name, error));
    OK(to_number(name, &number, error));
    CHECK(number == each);
    if (each == 1) CHECK(strcmp(name, first) == 0);
  }
  CHECK(strcmp(name, end) == 0);
  FAILS(PINTLE_INVALID_ARGUMENT, to_name(0, &name, error));
  FAILS(PINTLE_INVALID_ARGUMENT, to_name(last + 1, &name, error));
  number = 77;
  FAILS(PINTLE_NOT_FOUND, to_number("", &number, error));
  pintle_error refusal = PINTLE_ERROR_INIT;
  CHECK(to_number("no such name", &number, &refusal) == PINTLE_NOT_FOUND && number == 77);
  CHECK(strstr(refusal.text, "no such name") != NULL && strstr(refusal.text, end) != NULL);
  OK(pintle_error_free(&refusal, error));
}

static void statuses_have_names(void) {
  const char* name = NULL;
  pintle_status status = 77;
  for (pintle_status each = PINTLE_OK; each <= PINTLE_INTERNAL; ++each) {
    OK(pintle_status_name(each, &name, error));
    OK(pintle_status_parse(name, &status, error));
    CHECK(status == each);
  }
  pintle_error refusal = PINTLE_ERROR_INIT;
  FAILS(PINTLE_NOT_FOUND, pintle_status_parse("okay", &status, error));
  CHECK(pintle_status_parse("okay", &status, &refusal) == PINTLE_NOT_FOUND);
  CHECK(strstr(refusal.text, ": ok, invalid_argument") != NULL);
  OK(pintle_error_free(&refusal, error));
}

static void dtypes_have_bytes(void) {
  static const uint64_t bytes_of[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 1, 1, 8};
  uint64_t bytes = 0;
  for (uint32_t dtype = PINTLE_BOOL; dtype <= PINTLE_COMPLEX64; ++dtype) {
    OK(pintle_dtype_bytes(dtype, &bytes, error));
    CHECK(bytes == bytes_of[dtype]);
  }
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_dtype_bytes(17, &bytes, error));
}

int main(void) {
  both_ways(pintle_dtype_name, pintle_dtype_parse, PINTLE_COMPLEX64, "bool", "complex64");
  both_ways(pintle_device_kind_name, pintle_device_kind_parse, PINTLE_DEVICE_SIMULATED, "cpu", "simulated");
  both_ways(pintle_feature_name, pintle_feature_parse, PINTLE_FEATURE_OPTIONAL_BUFFERS, "execution",
            "optional_buffers");
  both_ways(pintle_support_name, pintle_support_parse, PINTLE_SUPPORT_ABSENT, "native", "absent");
  both_ways(pintle_collective_kind_name, pintle_collective_kind_parse, PINTLE_COLLECTIVE_BARRIER, "all_reduce",
            "barrier");
  both_ways(pintle_reduce_op_name, pintle_reduce_op_parse, PINTLE_REDUCE_LOGICAL_XOR, "sum", "logical_xor");
  both_ways(pintle_algorithm_name, pintle_algorithm_parse, PINTLE_ALGORITHM_NATIVE, "automatic", "native");
  statuses_have_names();
  dtypes_have_bytes();
  return 0;
}
