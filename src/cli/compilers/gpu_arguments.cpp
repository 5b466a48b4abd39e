#include "cli/compilers/gpu_arguments.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "amdgcn/code_object.h"
#include "base/parse.h"

namespace pintle::cli {
namespace {

using base::OpenClArgument;
using Arguments = std::vector<OpenClArgument>;
using Space = OpenClArgument::Space;

// PTX: ".param .u64 .ptr .global .align 4 name", ".param .f32 name", ".param .align 16 .b8 name[16]".

struct PtxType {
  std::string_view name;
  std::uint32_t bytes;
};
constexpr std::array ptx_types{PtxType{".u8", 1},  PtxType{".s8", 1},  PtxType{".b8", 1},  PtxType{".u16", 2},
                               PtxType{".s16", 2}, PtxType{".b16", 2}, PtxType{".f16", 2}, PtxType{".u32", 4},
                               PtxType{".s32", 4}, PtxType{".b32", 4}, PtxType{".f32", 4}, PtxType{".u64", 8},
                               PtxType{".s64", 8}, PtxType{".b64", 8}, PtxType{".f64", 8}};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (text.empty()) return words;
    const auto end = std::min(text.find_first_of(" \t\r\n"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// The elements of "name[16]"; 1 where it is no array.
std::uint32_t elements_of(std::string_view name) {
  const auto open = name.find('[');
  if (open == std::string_view::npos || !name.ends_with(']')) return 1;
  return base::parse_number<std::uint32_t>(name.substr(open + 1, name.size() - open - 2)).value_or(0);
}

OpenClArgument ptx_argument(const std::vector<std::string_view>& words) {
  OpenClArgument argument;
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  for (const std::string_view word : words) {
    const auto* const type = std::ranges::find(ptx_types, word, &PtxType::name);
    if (type == ptx_types.end()) continue;
    argument.bytes = type->bytes * elements_of(words.back());
    argument.type = word;
    if (!word.starts_with(".f")) continue;
    argument.parsed.kind = base::OpenClType::Kind::number;
    argument.parsed.number = {base::Number::Kind::floating, type->bytes};
  }
  if (has(".global")) argument.space = Space::global;
  else if (has(".const")) argument.space = Space::constant;
  else if (has(".shared")) argument.space = Space::local;
  else if (argument.bytes == sizeof(std::uint64_t) && argument.type != ".f64") argument.space = Space::untold;
  return argument;
}

// Code objects: their metadata.

OpenClArgument amd_argument(const amdgcn::CodeParameter& parameter) {
  OpenClArgument argument;
  argument.name = parameter.name;
  argument.type = parameter.type;
  argument.parsed = base::parse_opencl_type(argument.type);
  argument.bytes = parameter.size;
  if (parameter.is_opaque()) argument.parsed.kind = base::OpenClType::Kind::opaque;
  else if (parameter.is_local()) argument.space = Space::local;
  else if (parameter.space == "constant") argument.space = Space::constant;
  else if (parameter.kind == "global_buffer") argument.space = Space::global;
  return argument;
}

}  // namespace

std::optional<Arguments> arguments_in_ptx(std::string_view text, std::string_view entry) {
  for (auto at = text.find(".entry "); at != std::string_view::npos; at = text.find(".entry ", at + 1)) {
    const std::string_view rest = text.substr(at + 7);
    const auto name_end = rest.find_first_of(" \t\r\n({");
    if (name_end == std::string_view::npos || rest.substr(0, name_end) != entry) continue;
    const auto open = rest.find_first_of("({"), close = rest.find(')', open);
    Arguments arguments;
    if (open == std::string_view::npos || rest[open] == '{' || close == std::string_view::npos) return arguments;
    std::string_view list = rest.substr(open + 1, close - open - 1);
    while (!words_of(list).empty()) {
      const auto comma = std::min(list.find(','), list.size());
      arguments.push_back(ptx_argument(words_of(list.substr(0, comma))));
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return arguments;
  }
  return std::nullopt;
}

std::optional<Arguments> arguments_in_amdgcn(std::span<const std::byte> code, std::string_view kernel) {
  const auto object = amdgcn::read_code_object(code);
  if (!object) return std::nullopt;
  const auto found = std::ranges::find(object->kernels, kernel, &amdgcn::CodeKernel::name);
  if (found == object->kernels.end()) return std::nullopt;
  Arguments arguments;
  for (const amdgcn::CodeParameter& parameter : found->parameters) arguments.push_back(amd_argument(parameter));
  return arguments;
}

}  // namespace pintle::cli
