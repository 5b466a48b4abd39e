/* What packs, programs and kernels say of their entries. */
#include "pintle/c/reflection.h"

#include <string.h>

#include "check.h"
#include "pintle/c/load.h"

/* One parameter of each kind. The function takes its arguments as addresses, of which nothing is compared. */
static const char code[] =
    "void shade(const pintle_group* group, void* const* arguments) { (void)group; (void)arguments; }\n"
    "void fill(const pintle_group* group, float* x) { (void)group; x[0] = 1; }\n";
static const char shade_signature[] =
    "shade(n: u32, x: read f32[n,4] align 16, tint: f16x4, camera: { eye: f32x4, zoom: f32, up: f32x3 at 32 }, "
    "raw: bytes[20], tile: local f64[], in: read image3d rgba8, s: sampler, "
    "table: write texel_buffer r32ui, y: read_write u8[], mask: optional read f32[]) group TILE=8,4 subgroup 1 local "
    "64";
static const char* const both[] = {shade_signature, "fill(x: write f32[]) group 2,3,4"};

typedef struct expected {
  const char* name;
  uint32_t kind, dtype, access, alignment, bytes, lanes, members, dimensions, is_sampled, texel, rank, is_optional;
} expected;

enum { reads = PINTLE_ACCESS_READ, writes = PINTLE_ACCESS_WRITE, both_ways = PINTLE_ACCESS_READ_WRITE };

static const expected parameters[] = {
    {"n", PINTLE_PARAMETER_SCALAR, PINTLE_U32, reads, 1, 0, 1, 0, 0, 0, 0, 0, 0},
    {"x", PINTLE_PARAMETER_BUFFER, PINTLE_F32, reads, 16, 0, 1, 0, 0, 0, 0, 2, 0},
    {"tint", PINTLE_PARAMETER_VALUE, PINTLE_F16, reads, 8, 8, 4, 0, 0, 0, 0, 0, 0},
    {"camera", PINTLE_PARAMETER_VALUE, PINTLE_U8, reads, 16, 48, 1, 3, 0, 0, 0, 0, 0},
    {"raw", PINTLE_PARAMETER_VALUE, PINTLE_U8, reads, 4, 20, 1, 0, 0, 0, 0, 0, 0},
    {"tile", PINTLE_PARAMETER_LOCAL, PINTLE_F64, reads, 1, 0, 1, 0, 0, 0, 0, 0, 0},
    {"in", PINTLE_PARAMETER_IMAGE, PINTLE_F32, reads, 1, 0, 1, 0, 3, 0, PINTLE_TEXEL_RGBA8, 0, 0},
    {"s", PINTLE_PARAMETER_SAMPLER, PINTLE_F32, reads, 1, 0, 1, 0, 0, 0, 0, 0, 0},
    {"table", PINTLE_PARAMETER_TEXEL_BUFFER, PINTLE_F32, writes, 1, 0, 1, 0, 0, 0, PINTLE_TEXEL_R32UI, 0, 0},
    {"y", PINTLE_PARAMETER_BUFFER, PINTLE_U8, both_ways, 1, 0, 1, 0, 0, 0, 0, 0, 0},
    {"mask", PINTLE_PARAMETER_BUFFER, PINTLE_F32, reads, 1, 0, 1, 0, 0, 0, 0, 0, 1},
};
enum { parameter_count = sizeof parameters / sizeof parameters[0] };

static void expect_parameter(const pintle_parameter_info* info, size_t index) {
  const expected* const one = &parameters[index];
  CHECK(strcmp(info->name, one->name) == 0);
  CHECK(info->kind == one->kind && info->access == one->access);
  if (one->kind != PINTLE_PARAMETER_IMAGE && one->kind != PINTLE_PARAMETER_SAMPLER &&
      one->kind != PINTLE_PARAMETER_TEXEL_BUFFER)
    CHECK(info->dtype == one->dtype);
  CHECK(info->alignment == one->alignment && info->bytes == one->bytes && info->lanes == one->lanes);
  CHECK(info->member_count == one->members && info->dimensions == one->dimensions);
  CHECK(info->is_sampled == one->is_sampled && info->texel == one->texel && info->rank == one->rank);
  CHECK(info->is_optional == one->is_optional);
  for (size_t i = 0; i < 8; ++i) {
    CHECK(info->sides[i] == (one->rank == 2 && i == 1 ? 4 : 0));
    CHECK((info->side_scalars[i] != NULL) == (one->rank == 2 && i == 0));
  }
  if (one->rank == 2) CHECK(strcmp(info->side_scalars[0], "n") == 0);
}

static void expect_shade(const pintle_entry_info* info, uint32_t tile) {
  CHECK(strcmp(info->name, "shade") == 0 && info->parameter_count == parameter_count);
  CHECK(info->group_size[0] == tile && info->group_size[1] == 4 && info->group_size[2] == 1);
  CHECK(strcmp(info->group_constants[0], "TILE") == 0);
  CHECK(info->group_constants[1] == NULL && info->group_constants[2] == NULL);
  CHECK(info->subgroup_size == 1 && info->local_bytes == 64);
}

static void expect_fill(const pintle_entry_info* info) {
  CHECK(strcmp(info->name, "fill") == 0 && info->parameter_count == 1 && info->group_constants[0] == NULL);
  CHECK(info->group_size[0] == 2 && info->group_size[1] == 3 && info->group_size[2] == 4);
  CHECK(info->subgroup_size == 0 && info->local_bytes == 0);
}

static void expect_member(const pintle_member_info* info, size_t index) {
  static const char* const names[] = {"eye", "zoom", "up"};
  static const uint32_t lanes[] = {4, 1, 3}, offsets[] = {0, 16, 32};
  CHECK(strcmp(info->name, names[index]) == 0 && info->dtype == PINTLE_F32);
  CHECK(info->lanes == lanes[index] && info->offset == offsets[index]);
}

/* The signature says the same where it is read again. */
static void expect_signature(pintle_bytes signature) {
  const void* text = NULL;
  size_t size = 0;
  pintle_pack again;
  pintle_parameter_info info = {.size = sizeof info};
  OK(pintle_bytes_data(signature, &text, &size, error));
  CHECK(strlen(text) == size && strncmp(text, "shade(", 6) == 0);
  const char* const one = text;
  OK(pintle_pack_source("c", "x", 1, &one, 1, &again, error));
  OK(pintle_bytes_release(signature, error));
  FAILS(PINTLE_STALE, pintle_bytes_data(signature, &text, &size, error));
  for (size_t i = 0; i < parameter_count; ++i) {
    OK(pintle_pack_parameter(again, 0, 0, i, &info, error));
    expect_parameter(&info, i);
  }
  OK(pintle_pack_release(again, error));
}

static void a_pack_is_described(pintle_pack pack) {
  pintle_pack_info all = {.size = sizeof all};
  pintle_variant_info variant = {.size = sizeof variant};
  pintle_entry_info entry = {.size = sizeof entry};
  pintle_parameter_info parameter = {.size = sizeof parameter};
  pintle_member_info member = {.size = sizeof member};
  pintle_bytes signature;
  OK(pintle_pack_get_info(pack, &all, error));
  CHECK(all.variant_count == 1 && strcmp(all.name, "shading") == 0);
  OK(pintle_pack_variant(pack, 0, &variant, error));
  CHECK(variant.entry_count == 2 && strcmp(variant.format, "c") == 0 && variant.target[0] == 0);
  CHECK(variant.code_bytes == sizeof code - 1);
  OK(pintle_pack_entry(pack, 0, 0, &entry, error));
  expect_shade(&entry, 8);
  OK(pintle_pack_entry(pack, 0, 1, &entry, error));
  expect_fill(&entry);
  for (size_t i = 0; i < parameter_count; ++i) {
    OK(pintle_pack_parameter(pack, 0, 0, i, &parameter, error));
    expect_parameter(&parameter, i);
  }
  for (size_t i = 0; i < 3; ++i) {
    OK(pintle_pack_member(pack, 0, 0, 3, i, &member, error));
    expect_member(&member, i);
  }
  OK(pintle_pack_signature(pack, 0, 0, &signature, error));
  expect_signature(signature);
}

static void sampled_images_are_told_apart(void) {
  const char* const signature = "look(pages: read image2d sampled)";
  pintle_parameter_info info = {.size = sizeof info};
  pintle_pack pack;
  OK(pintle_pack_source("c", "x", 1, &signature, 1, &pack, error));
  OK(pintle_pack_parameter(pack, 0, 0, 0, &info, error));
  CHECK(info.kind == PINTLE_PARAMETER_IMAGE && info.is_sampled == 1 && info.dimensions == 2 && info.texel == 0);
  OK(pintle_pack_release(pack, error));
}

static void a_program_is_described(pintle_program program) {
  pintle_program_info all = {.size = sizeof all};
  pintle_entry_info entry = {.size = sizeof entry};
  pintle_parameter_info parameter = {.size = sizeof parameter};
  pintle_member_info member = {.size = sizeof member};
  pintle_bytes signature;
  OK(pintle_program_get_info(program, &all, error));
  CHECK(all.entry_count == 2 && strcmp(all.format, "c") == 0);
  OK(pintle_program_entry(program, 0, &entry, error));
  expect_shade(&entry, 16);
  OK(pintle_program_entry(program, 1, &entry, error));
  expect_fill(&entry);
  OK(pintle_program_parameter(program, 0, 1, &parameter, error));
  expect_parameter(&parameter, 1);
  OK(pintle_program_member(program, 0, 3, 2, &member, error));
  expect_member(&member, 2);
  OK(pintle_program_signature(program, 0, &signature, error));
  expect_signature(signature);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_program_entry(program, 2, &entry, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_program_parameter(program, 0, parameter_count, &parameter, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_program_member(program, 1, 0, 0, &member, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_program_signature(program, 2, &signature, error));
}

static void a_kernel_is_described(pintle_kernel kernel) {
  pintle_entry_info entry = {.size = sizeof entry};
  pintle_parameter_info parameter = {.size = sizeof parameter};
  pintle_member_info member = {.size = sizeof member};
  pintle_bytes signature;
  OK(pintle_kernel_get_info(kernel, &entry, error));
  expect_shade(&entry, 16);
  OK(pintle_kernel_parameter(kernel, 8, &parameter, error));
  expect_parameter(&parameter, 8);
  OK(pintle_kernel_member(kernel, 3, 0, &member, error));
  expect_member(&member, 0);
  OK(pintle_kernel_signature(kernel, &signature, error));
  expect_signature(signature);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_kernel_parameter(kernel, parameter_count, &parameter, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_kernel_member(kernel, 3, 3, &member, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_kernel_member(kernel, 0, 0, &member, error));
  OK(pintle_kernel_release(kernel, error));
  FAILS(PINTLE_STALE, pintle_kernel_get_info(kernel, &entry, error));
}

static void what_is_not_there_is_refused(pintle_pack pack) {
  pintle_variant_info variant = {.size = sizeof variant};
  pintle_entry_info entry = {.size = sizeof entry, .name = "untouched"};
  pintle_parameter_info parameter = {.size = sizeof parameter};
  pintle_member_info member = {.size = sizeof member};
  pintle_pack_info all = {.size = sizeof all - 4};
  pintle_bytes signature = {7};
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_get_info(pack, &all, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_variant(pack, 1, &variant, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_entry(pack, 1, 0, &entry, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_entry(pack, 0, SIZE_MAX, &entry, error));
  CHECK(strcmp(entry.name, "untouched") == 0);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_parameter(pack, 0, 0, parameter_count, &parameter, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_member(pack, 0, 0, 3, 3, &member, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_member(pack, 0, 0, parameter_count, 0, &member, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_signature(pack, 0, 2, &signature, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_pack_signature(pack, 0, 0, NULL, error));
  CHECK(signature.id == 7);
  OK(pintle_pack_release(pack, error));
  FAILS(PINTLE_STALE, pintle_pack_entry(pack, 0, 0, &entry, error));
}

int main(void) {
  const pintle_device device = opened();
  const pintle_constant tile = {.size = sizeof tile, .dtype = PINTLE_U32, .name = "TILE", .value = {.u = 16}};
  const pintle_load_options options = {.size = sizeof options, .constants = &tile, .constant_count = 1};
  pintle_pack pack;
  pintle_program program;
  pintle_kernel kernel;
  OK(pintle_pack_source_named("shading", "c", code, sizeof code - 1, both, 2, &pack, error));
  a_pack_is_described(pack);
  sampled_images_are_told_apart();
  OK(pintle_program_load_with(device, pack, &options, &program, error));
  what_is_not_there_is_refused(pack);
  a_program_is_described(program);
  OK(pintle_program_kernel(program, "shade", &kernel, error));
  OK(pintle_program_release(program, error));
  a_kernel_is_described(kernel);
  OK(pintle_device_release(device, error));
  return 0;
}
