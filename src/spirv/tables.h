// The instructions of one SPIR-V module, in tables by id. `module_reader.cpp` fills these tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pintle/error.h"

namespace pintle::spirv {

// The numbers of the specification, with the specification's names.
namespace op {
enum : std::uint32_t {
  name = 5,
  member_name = 6,
  extension = 10,
  extended = 12,
  memory_model = 14,
  entry_point = 15,
  execution_mode = 16,
  capability = 17,
  type_bool = 20,
  type_int = 21,
  type_float = 22,
  type_vector = 23,
  type_matrix = 24,
  type_image = 25,
  type_sampler = 26,
  type_sampled_image = 27,
  type_array = 28,
  type_runtime_array = 29,
  type_struct = 30,
  type_opaque = 31,
  type_pointer = 32,
  type_forward_pointer = 39,
  constant_true = 41,
  constant_false = 42,
  constant = 43,
  constant_composite = 44,
  spec_constant_true = 48,
  spec_constant_false = 49,
  spec_constant = 50,
  spec_constant_composite = 51,
  spec_constant_op = 52,
  function = 54,
  function_parameter = 55,
  function_end = 56,
  function_call = 57,
  variable = 59,
  image_texel_pointer = 60,
  load = 61,
  store = 62,
  copy_memory = 63,
  copy_memory_sized = 64,
  access_chain = 65,
  in_bounds_access_chain = 66,
  ptr_access_chain = 67,
  array_length = 68,
  in_bounds_ptr_access_chain = 70,
  decorate = 71,
  member_decorate = 72,
  decoration_group = 73,
  group_decorate = 74,
  group_member_decorate = 75,
  composite_extract = 81,
  copy_object = 83,
  sampled_image = 86,
  image_sample_implicit_lod = 87,
  image_read = 98,
  image_write = 99,
  image = 100,
  u_convert = 113,
  s_convert = 114,
  convert_pointer = 117,
  pointer_cast_to_generic = 121,
  generic_cast_to_pointer_explicit = 123,
  bitcast = 124,
  s_negate = 126,
  i_add = 128,
  i_sub = 130,
  i_mul = 132,
  u_div = 134,
  s_div = 135,
  u_mod = 137,
  s_rem = 138,
  s_mod = 139,
  logical_equal = 164,
  logical_not_equal = 165,
  logical_or = 166,
  logical_and = 167,
  logical_not = 168,
  select = 169,
  i_equal = 170,
  i_not_equal = 171,
  u_greater_than = 172,
  s_greater_than = 173,
  u_greater_than_equal = 174,
  s_greater_than_equal = 175,
  u_less_than = 176,
  s_less_than = 177,
  u_less_than_equal = 178,
  s_less_than_equal = 179,
  shift_right_logical = 194,
  shift_right_arithmetic = 195,
  shift_left_logical = 196,
  bitwise_or = 197,
  bitwise_xor = 198,
  bitwise_and = 199,
  bit_not = 200,
  atomic_load = 227,
  atomic_store = 228,
  atomic_exchange = 229,
  atomic_compare_exchange = 230,
  atomic_xor = 242,
  phi = 245,
  selection_merge = 247,
  label = 248,
  branch = 249,
  branch_conditional = 250,
  return_nothing = 253,
  return_value = 254,
  image_sparse_sample_implicit_lod = 305,
  image_sparse_texels_resident = 316,
  atomic_flag_test_and_set = 318,
  atomic_flag_clear = 319,
  image_sparse_read = 320,
  execution_mode_id = 331,
  pointer_difference = 403,
  atomic_f_min_ext = 5614,
  atomic_f_max_ext = 5615,
  atomic_f_add_ext = 6035,
};
}  // namespace op
namespace decoration {
enum : std::uint32_t {
  spec_id = 1,
  block = 2,
  buffer_block = 3,
  row_major = 4,
  array_stride = 6,
  matrix_stride = 7,
  built_in = 11,
  non_writable = 24,
  non_readable = 25,
  binding = 33,
  descriptor_set = 34,
  offset = 35,
};
/// Those that matter here.
inline constexpr std::array<std::uint32_t, 12> all{spec_id,      block,         buffer_block,   row_major,
                                                   array_stride, matrix_stride, built_in,       non_writable,
                                                   non_readable, binding,       descriptor_set, offset};
}  // namespace decoration
inline constexpr std::uint32_t class_uniform_constant = 0;  // images and samplers
inline constexpr std::uint32_t class_uniform = 2;
inline constexpr std::uint32_t class_workgroup = 4;
inline constexpr std::uint32_t class_push_constant = 9;
inline constexpr std::uint32_t class_storage_buffer = 12;

inline constexpr std::uint32_t no_member = ~0u;

/// The parts of a type or constant that matter here.
struct Definition {
  std::uint32_t op = 0;
  // A constant or variable has its type here, a pointer, array, vector or matrix its element, an image what its
  // channels are read as, an image with a sampler the image.
  std::uint32_t type = 0;
  // A constant has its low word here, a type its bits or count, a variable its storage class, an image whether it is
  // sampled (1) or stored (2); of a constant that an operation makes: the operation.
  std::uint32_t value = 0;
  bool is_signed = false;
  std::uint64_t size = 0;  // of a type: bytes; 0 for an array without an end
  // Members of a struct, constituents of a composite, operands of an operation, the length of an array; of an image:
  // dimensions, depth, layers, samples, format.
  std::vector<std::uint32_t> parts{};
};

/// The group size that an entry point's execution mode gives: numbers, or ids of constants.
struct Mode {
  std::size_t at = 0;
  bool has_ids = false;
  std::array<std::uint32_t, 3> sizes{};
};

struct TableEntry {
  std::string name;
  std::uint32_t model = 0;
  std::uint32_t function = 0;
  std::vector<std::uint32_t> interface;
};

struct Call {
  std::uint32_t function = 0;
  std::vector<std::uint32_t> arguments;
};

/// The parts of a function's own code that matter here.
struct Body {
  std::vector<std::uint32_t> parameters;
  // Pointers that it stores or loads through, or has atomics on; images whose texels it writes or reads.
  std::set<std::uint32_t> written;
  std::set<std::uint32_t> read;
  std::set<std::uint32_t> used;     // pointers, whatever it does with them
  std::set<std::uint32_t> escaped;  // ids among which pointers go where nobody follows them
  std::vector<Call> calls;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> combined;  // images, each with the sampler that reads it
};

struct Tables {
  std::uint32_t version = 0;
  std::vector<std::uint32_t> capabilities;
  std::vector<std::string> extensions;
  std::vector<TableEntry> entries;
  std::unordered_map<std::uint32_t, Definition> definitions;
  std::unordered_map<std::uint32_t, std::string> names;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> member_names;
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> decorations;  // (target, member or none, decoration)
  std::unordered_map<std::uint32_t, Mode> modes;                      // by function
  std::vector<std::uint32_t> variables;                               // outside of functions
  std::vector<std::uint32_t> spec_constants;
  std::unordered_map<std::uint32_t, Body> bodies;                       // by function
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> bases;  // from a pointer or an image to what made it
  std::uint32_t workgroup_size = 0;                                     // the constant with that decoration

  [[nodiscard]] const Definition* find(std::uint32_t id) const;
  [[nodiscard]] std::optional<std::uint64_t> decorated(std::uint32_t target, std::uint32_t member,
                                                       std::uint32_t decoration) const;
  [[nodiscard]] std::string name_of(std::uint32_t id) const;
  /// Bytes of a member of a struct. The stride of a matrix is a decoration of the member.
  [[nodiscard]] std::uint64_t member_size(std::uint32_t owner, std::uint32_t member, std::uint32_t type) const;
};

}  // namespace pintle::spirv
