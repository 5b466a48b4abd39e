/* Programs and their entries; and packs whose entries the code says. */
#define _POSIX_C_SOURCE 200809L /* for setenv */

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pintle/c/reflection.h"

static const char of_wgsl[] =
    "@group(0) @binding(0) var<storage, read> x: array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n"
    "@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = 2 * x[id.x]; }\n";
static const char of_stablehlo[] =
    "func.func @keep(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> { return %x }\n";
static const char of_opencl_c[] = "kernel void scale(float a, global float* x) { x[get_global_id(0)] *= a; }\n";

static void expect_signature(pintle_pack pack, const char* expected) {
  pintle_bytes signature;
  const void* text = NULL;
  OK(pintle_pack_signature(pack, 0, 0, &signature, error));
  OK(pintle_bytes_data(signature, &text, NULL, error));
  if (strcmp(text, expected) != 0) fprintf(stderr, "%s\n", (const char*)text);
  CHECK(strcmp(text, expected) == 0);
  OK(pintle_bytes_release(signature, error));
  OK(pintle_pack_release(pack, error));
}

static void entries_have_names(pintle_device device) {
  static const char code[] =
      "void one(const pintle_group* group, void* const* arguments) { (void)group, (void)arguments; }\n"
      "void two(const pintle_group* group, void* const* arguments) { (void)group, (void)arguments; }\n";
  const char* const signatures[] = {"one()", "two()"};
  const char* name = NULL;
  size_t entries = 0;
  pintle_pack pack;
  pintle_program program;
  OK(pintle_pack_source("c", code, sizeof code - 1, signatures, 2, &pack, error));
  OK(pintle_program_load(device, pack, &program, error));
  OK(pintle_program_entry_count(program, &entries, error));
  CHECK(entries == 2);
  for (size_t i = 0; i < entries; ++i) {
    OK(pintle_program_entry_name(program, i, &name, error));
    CHECK(strncmp(name, signatures[i], 3) == 0 && name[3] == 0);
  }
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_program_entry_name(program, entries, &name, error));
  OK(pintle_program_release(program, error));
  OK(pintle_pack_release(pack, error));
}

static void the_code_says_its_entries(void) {
  pintle_pack pack;
  OK(pintle_pack_source("wgsl", of_wgsl, sizeof of_wgsl - 1, NULL, 0, &pack, error));
  expect_signature(pack, "twice(x: read f32[], y: write f32[]) group 64");
  OK(pintle_pack_source_named("kept", "stablehlo", of_stablehlo, sizeof of_stablehlo - 1, NULL, 0, &pack, error));
  expect_signature(pack, "keep(x: read_write f32[4])");
}

/* The error says what to do instead. */
static void refused(const char* format, const char* code, size_t size, const char* word) {
  pintle_error refusal = PINTLE_ERROR_INIT;
  pintle_pack pack = {7};
  CHECK(pintle_pack_source(format, code, size, NULL, 0, &pack, &refusal) == PINTLE_INVALID_ARGUMENT && pack.id == 7);
  if (strstr(refusal.text, "`signatures`") == NULL || strstr(refusal.text, word) == NULL)
    fprintf(stderr, "%s\n", refusal.text);
  CHECK(strstr(refusal.text, "`signatures`") != NULL && strstr(refusal.text, word) != NULL);
  OK(pintle_error_free(&refusal, error));
}

static void what_does_not_tell_needs_signatures(void) {
  pintle_pack pack;
  refused("c", "void f(void) {}", 15, "\"c\"");
  refused("so", "x", 1, "\"so\"");
  refused("stablehlo", "ML\xefR and more", 13, "bytecode");
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_source("native", "", 0, NULL, 0, &pack, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_source("wgsl", "no declaration", 14, NULL, 0, &pack, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_source("spirv", "no module", 9, NULL, 0, &pack, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_pack_source_named("../up", "wgsl", of_wgsl, sizeof of_wgsl - 1, NULL, 0, &pack, error));
}

/* By a compiler, where one is installed. */
static void a_compiler_may_tell(void) {
  pintle_error refusal = PINTLE_ERROR_INIT;
  pintle_pack pack;
  const pintle_status status =
      pintle_pack_source("opencl_c", of_opencl_c, sizeof of_opencl_c - 1, NULL, 0, &pack, &refusal);
  if (status == PINTLE_OK) expect_signature(pack, "scale(a: f32, x: read_write f32[]) group 64");
  else CHECK(status == PINTLE_INVALID_ARGUMENT && strstr(refusal.text, "clang") != NULL);
  OK(pintle_error_free(&refusal, error));
  CHECK(setenv("PATH", "/nowhere", 1) == 0);
  refused("opencl_c", of_opencl_c, sizeof of_opencl_c - 1, "clang");
  refused("glsl", "void main() {}", 14, "glslang-tools");
}

int main(void) {
  const pintle_device device = opened();
  entries_have_names(device);
  the_code_says_its_entries();
  what_does_not_tell_needs_signatures();
  a_compiler_may_tell();
  OK(pintle_device_release(device, error));
  return 0;
}
