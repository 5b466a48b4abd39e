/* Packs of several variants, what a device takes of them, and programs loaded with constants and options. */
#define _POSIX_C_SOURCE 200809L /* for mkdtemp */
#include "pintle/c/load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "pintle/c/reflection.h"

static const char add_code[] = "void add(const pintle_group* group, float* x) { (void)group; x[0] += 1; }\n";
static const char* const add_signature[] = {"add(x: read_write f32[]) group 1"};

static pintle_pack pack_of(const char* name, const char* format, const char* code) {
  pintle_pack pack;
  OK(pintle_pack_source_named(name, format, code, strlen(code), add_signature, 1, &pack, error));
  return pack;
}

/* What a kernel without other arguments writes to four floats. */
static void run(pintle_device device, pintle_kernel kernel, float out[4]) {
  const pintle_buffer buffer = buffer_on(device);
  const pintle_view all = all_of(buffer);
  const pintle_view first = {.size = sizeof first, .buffer = buffer, .bytes = 4 * sizeof out[0]};
  const pintle_argument argument = of_buffer(buffer);
  const pintle_extent one = {sizeof one, 1, 1, 1, 1};
  const float zero = 0;
  pintle_queue queue;
  pintle_list list;
  pintle_point done = {.size = sizeof done};
  OK(pintle_queue_create(device, NULL, &queue, error));
  OK(pintle_list_create(&list, error));
  OK(pintle_list_fill(list, &all, &zero, error));
  OK(pintle_list_launch(list, kernel, &one, &argument, 1, error));
  OK(pintle_list_download(list, out, 4 * sizeof out[0], &first, error));
  OK(pintle_queue_submit(queue, list, NULL, &done, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
  OK(pintle_queue_release(queue, error));
  OK(pintle_buffer_release(buffer, error));
}

/* The refusal has the word in its text. */
static void expect_word(pintle_error* refusal, const char* word) {
  if (refusal->text == NULL || strstr(refusal->text, word) == NULL)
    fprintf(stderr, "without %s: %s\n", word, refusal->text == NULL ? "" : refusal->text);
  CHECK(refusal->text != NULL && strstr(refusal->text, word) != NULL);
  OK(pintle_error_free(refusal, error));
}

static void packs_are_merged(pintle_device device) {
  const pintle_pack other = pack_of("sums", "ptx", "// nothing"), c = pack_of("more_sums", "c", add_code);
  pintle_pack both, again;
  pintle_pack_info info = {.size = sizeof info};
  pintle_variant_info variant = {.size = sizeof variant};
  pintle_program_info program_info = {.size = sizeof program_info};
  pintle_program program;
  pintle_kernel kernel;
  float out[4];
  OK(pintle_pack_merge(other, c, &both, error));
  OK(pintle_pack_get_info(both, &info, error));
  CHECK(info.variant_count == 2 && strcmp(info.name, "sums") == 0);
  OK(pintle_pack_get_info(c, &info, error));
  CHECK(info.variant_count == 1);
  OK(pintle_pack_variant(both, 0, &variant, error));
  CHECK(strcmp(variant.format, "ptx") == 0);
  OK(pintle_pack_variant(both, 1, &variant, error));
  CHECK(strcmp(variant.format, "c") == 0 && variant.code_bytes == sizeof add_code - 1);
  OK(pintle_program_load(device, both, &program, error));
  OK(pintle_program_get_info(program, &program_info, error));
  CHECK(strcmp(program_info.format, "c") == 0);
  OK(pintle_program_release(program, error));
  OK(pintle_kernel_load(device, both, "add", &kernel, error));
  run(device, kernel, out);
  CHECK(out[0] == 1 && out[1] == 0);
  OK(pintle_kernel_release(kernel, error));
  FAILS(PINTLE_NOT_FOUND, pintle_kernel_load(device, both, "subtract", &kernel, error));
  FAILS(PINTLE_BUILD_FAILED, pintle_kernel_load(device, other, "add", &kernel, error));
  OK(pintle_pack_release(other, error));
  FAILS(PINTLE_STALE, pintle_pack_merge(other, c, &again, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_merge(both, c, NULL, error));
  OK(pintle_pack_release(c, error));
  OK(pintle_pack_get_info(both, &info, error)); /* it has what it was made of */
  CHECK(info.variant_count == 2);
  OK(pintle_pack_release(both, error));
}

static void a_pack_becomes_a_file(pintle_device device) {
  const pintle_pack c = pack_of("sums", "c", add_code), twice = pack_of("sums", "c", add_code);
  pintle_pack again, doubled;
  pintle_bytes file = {7};
  pintle_pack_info info = {.size = sizeof info};
  pintle_kernel kernel;
  const void* data = NULL;
  size_t size = 0;
  float out[4];
  OK(pintle_pack_serialize(c, &file, error));
  OK(pintle_bytes_data(file, &data, &size, error));
  CHECK(size > sizeof add_code);
  OK(pintle_pack_parse(data, size, &again, error));
  OK(pintle_bytes_release(file, error));
  OK(pintle_pack_get_info(again, &info, error));
  CHECK(info.variant_count == 1 && strcmp(info.name, "sums") == 0);
  OK(pintle_kernel_load(device, again, "add", &kernel, error));
  run(device, kernel, out);
  CHECK(out[0] == 1);
  OK(pintle_kernel_release(kernel, error));
  FAILS(PINTLE_STALE, pintle_bytes_data(file, &data, &size, error));
  FAILS(PINTLE_STALE, pintle_bytes_release(file, error));
  OK(pintle_pack_merge(c, twice, &doubled, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_serialize(doubled, &file, error)); /* two variants of one format */
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_serialize(c, NULL, error));
  OK(pintle_pack_release(c, error));
  OK(pintle_pack_release(twice, error));
  OK(pintle_pack_release(again, error));
  OK(pintle_pack_release(doubled, error));
}

static void names_are_checked(pintle_device device) {
  const pintle_pack broken = pack_of("a_broken_one", "c", "void add(int) { nonsense }");
  pintle_pack pack = {7};
  pintle_program program;
  pintle_error refusal = PINTLE_ERROR_INIT;
  CHECK(pintle_program_load(device, broken, &program, &refusal) == PINTLE_BUILD_FAILED);
  expect_word(&refusal, "a_broken_one");
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_source_named("no name", "c", "x", 1, add_signature, 1, &pack, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_source_named(NULL, "c", "x", 1, add_signature, 1, &pack, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_source_named("sums", "c", "x", 1, NULL, 1, &pack, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_source_named("sums", "C++", "x", 1, add_signature, 1, &pack, error));
  CHECK(pack.id == 7);
  OK(pintle_pack_release(broken, error));
}

static void a_device_says_its_formats(pintle_device device) {
  size_t formats = 0, targets = 99, cs = 0;
  const char* name = "untouched";
  OK(pintle_device_format_count(device, &formats, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_format_name(device, formats, &name, error));
  CHECK(strcmp(name, "untouched") == 0);
  for (size_t i = 0; i < formats; ++i) {
    OK(pintle_device_format_name(device, i, &name, error));
    cs += strcmp(name, "c") == 0;
    CHECK(strcmp(name, "ptx") != 0);
  }
  CHECK(cs == 1);
  OK(pintle_device_target_count(device, &targets, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_target_name(device, targets, &name, error));
  for (size_t i = 0; i < targets; ++i) {
    OK(pintle_device_target_name(device, i, &name, error));
    CHECK(name[0] != 0);
  }
}

static void a_device_says_what_it_takes(pintle_device device) {
  const pintle_pack c = pack_of("sums", "c", add_code), other = pack_of("sums", "ptx", "// nothing");
  pintle_device_list list;
  pintle_error refusal = PINTLE_ERROR_INIT;
  size_t devices = 0, cpus = 0;
  OK(pintle_device_takes(device, c, error));
  CHECK(pintle_device_takes(device, other, &refusal) == PINTLE_UNSUPPORTED);
  expect_word(&refusal, "ptx");
  OK(pintle_devices_list(&list, error));
  OK(pintle_device_list_count(list, &devices, NULL, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_list_takes(list, devices, c, error));
  for (size_t i = 0; i < devices; ++i) {
    pintle_device_info info = {.size = sizeof info};
    OK(pintle_device_list_device(list, i, &info, error));
    if (strcmp(info.id, "cpu") != 0) continue;
    OK(pintle_device_list_takes(list, i, c, error));
    FAILS(PINTLE_UNSUPPORTED, pintle_device_list_takes(list, i, other, error));
    ++cpus;
  }
  CHECK(cpus == 1);
  OK(pintle_device_list_release(list, error));
  OK(pintle_pack_release(c, error));
  FAILS(PINTLE_STALE, pintle_device_takes(device, c, error));
  OK(pintle_pack_release(other, error));
}

/* What all four kinds of options say. */
static const char options_code[] =
    "#include \"offset.h\"\n"
    "void tell(const pintle_group* group, TYPE* out) {\n"
    "  out[0] = SCALE;\n"
    "  out[1] = N / 2;\n"
    "  out[2] = OFFSET;\n"
    "#ifdef __STRICT_ANSI__\n"
    "  out[3] = -1;\n"
    "#else\n"
    "  out[3] = (TYPE)group->size[0];\n"
    "#endif\n"
    "}\n";
static const char* const options_signature[] = {"tell(out: write f32[]) group SIDE=8"};

static void options_reach_the_compiler(pintle_device device) {
  char folder[] = "/tmp/pintle-capi-XXXXXX", path[64];
  const char* folders[] = {folder};
  const pintle_constant constants[] = {
      {.size = sizeof constants[0], .dtype = PINTLE_F32, .name = "SCALE", .value = {.f32 = 2.5f}},
      {.size = sizeof constants[0], .dtype = PINTLE_I64, .name = "N", .value = {.i = -7}},
      {.size = sizeof constants[0], .dtype = PINTLE_U32, .name = "SIDE", .value = {.u = 32}}};
  const pintle_macro type = {.size = sizeof type, .name = "TYPE", .text = "float"};
  const pintle_load_options options = {.size = sizeof options,
                                       .constants = constants,
                                       .constant_count = 3,
                                       .macros = &type,
                                       .macro_count = 1,
                                       .include_folders = folders,
                                       .include_folder_count = 1,
                                       .language = "gnu11"};
  pintle_entry_info entry = {.size = sizeof entry};
  pintle_pack pack;
  pintle_program program;
  pintle_kernel kernel;
  float out[4];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/offset.h", folder);
  FILE* const header = fopen(path, "w");
  CHECK(header != NULL && fputs("#define OFFSET 100\n", header) >= 0 && fclose(header) == 0);
  OK(pintle_pack_source("c", options_code, sizeof options_code - 1, options_signature, 1, &pack, error));
  OK(pintle_program_load_with(device, pack, &options, &program, error));
  OK(pintle_program_entry(program, 0, &entry, error));
  CHECK(entry.group_size[0] == 32);
  OK(pintle_program_kernel(program, "tell", &kernel, error));
  run(device, kernel, out);
  CHECK(out[0] == 2.5f && out[1] == -3 && out[2] == 100 && out[3] == 32);
  OK(pintle_kernel_release(kernel, error));
  OK(pintle_program_release(program, error));
  FAILS(PINTLE_BUILD_FAILED, pintle_program_load_with(device, pack, NULL, &program, error)); /* no TYPE */
  remove(path);
  rmdir(folder);
  OK(pintle_pack_release(pack, error));
}

static void expect_refusal(pintle_device device, pintle_pack pack, const pintle_load_options* options,
                           pintle_status status, const char* word) {
  pintle_program program = {7};
  pintle_error refusal = PINTLE_ERROR_INIT;
  CHECK(pintle_program_load_with(device, pack, options, &program, &refusal) == status);
  expect_word(&refusal, word);
  CHECK(pintle_program_load_with(device, pack, options, &program, NULL) == status);
  CHECK(program.id == 7);
}

static void options_that_cannot_be_are_refused(pintle_device device) {
  const pintle_pack pack = pack_of("sums", "c", add_code);
  pintle_constant two[] = {{.size = sizeof two[0], .dtype = PINTLE_U32, .name = "N"},
                           {.size = sizeof two[0], .dtype = PINTLE_U32, .name = "N"}};
  pintle_macro macros[] = {{.size = sizeof macros[0], .name = "A", .text = "1"},
                           {.size = sizeof macros[0], .name = "A", .text = "2"}};
  const char* folders[] = {"/nowhere/at/all", NULL};
  pintle_load_options options = {.size = sizeof options, .constants = two, .constant_count = 2};
  expect_refusal(device, pack, &options, PINTLE_INVALID_ARGUMENT, "twice");
  two[1].name = "no name";
  expect_refusal(device, pack, &options, PINTLE_INVALID_ARGUMENT, "no name");
  two[1].name = NULL;
  expect_refusal(device, pack, &options, PINTLE_INVALID_ARGUMENT, "NULL");
  two[1].name = "M";
  two[1].dtype = 17;
  expect_refusal(device, pack, &options, PINTLE_INVALID_ARGUMENT, "dtype");
  two[1].dtype = PINTLE_U32;
  two[1].size = 4;
  expect_refusal(device, pack, &options, PINTLE_INVALID_ARGUMENT, "pintle_constant");
  options.constants = NULL;
  expect_refusal(device, pack, &options, PINTLE_INVALID_ARGUMENT, "pintle_constant");
  options.constant_count = 0;
  options.macros = macros;
  options.macro_count = 2;
  expect_refusal(device, pack, &options, PINTLE_INVALID_ARGUMENT, "twice");
  macros[1].text = NULL;
  expect_refusal(device, pack, &options, PINTLE_INVALID_ARGUMENT, "NULL");
  options.macro_count = 0;
  options.include_folders = folders;
  options.include_folder_count = 1;
  expect_refusal(device, pack, &options, PINTLE_BUILD_FAILED, "/nowhere/at/all");
  options.include_folder_count = 2;
  expect_refusal(device, pack, &options, PINTLE_INVALID_ARGUMENT, "include_folders");
  options.include_folder_count = 0;
  options.language = "CL2.0";
  expect_refusal(device, pack, &options, PINTLE_BUILD_FAILED, "CL2.0");
  options.size = 8;
  expect_refusal(device, pack, &options, PINTLE_INVALID_ARGUMENT, "pintle_load_options");
  OK(pintle_pack_release(pack, error));
}

int main(void) {
  const pintle_device device = opened();
  packs_are_merged(device);
  a_pack_becomes_a_file(device);
  names_are_checked(device);
  a_device_says_its_formats(device);
  a_device_says_what_it_takes(device);
  options_reach_the_compiler(device);
  options_that_cannot_be_are_refused(device);
  OK(pintle_device_release(device, error));
  return 0;
}
