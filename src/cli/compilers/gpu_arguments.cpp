#include "cli/compilers/gpu_arguments.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/file.h"
#include "base/parse.h"

namespace pintle::cli {
namespace {

using base::OpenClArgument;
using Arguments = std::vector<OpenClArgument>;
using Space = OpenClArgument::Space;
using nlohmann::json;

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

// Code objects: a note of the owner "AMDGPU" holds a map in MessagePack.

json metadata_of(std::span<const std::byte> code) {
  constexpr std::array<std::uint8_t, 12> owner{32, 0, 0, 0, 'A', 'M', 'D', 'G', 'P', 'U', 0, 0};  // behind its kind, 32
  const auto found = std::ranges::search(code, std::as_bytes(std::span(owner)));
  const auto at = static_cast<std::size_t>(found.begin() - code.begin());
  if (found.empty() || at < sizeof(std::uint32_t)) return {};
  const std::size_t size = base::load_little<std::uint32_t>(code, at - sizeof(std::uint32_t)).value_or(0);
  const auto rest = code.subspan(at + owner.size());
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(rest.data());
  return json::from_msgpack(bytes, bytes + std::min(size, rest.size()), true, false);
}

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint32_t number_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint32_t>() : 0;
}

OpenClArgument amd_argument(const json& described) {
  OpenClArgument argument;
  const std::string kind = text_in(described, ".value_kind"), space = text_in(described, ".address_space");
  argument.name = text_in(described, ".name");
  argument.type = text_in(described, ".type_name");
  argument.parsed = base::parse_opencl_type(argument.type);
  argument.bytes = number_in(described, ".size");
  if (kind == "image" || kind == "sampler" || kind == "pipe" || kind == "queue")
    argument.parsed.kind = base::OpenClType::Kind::opaque;
  else if (kind == "dynamic_shared_pointer" || space == "local") argument.space = Space::local;
  else if (space == "constant") argument.space = Space::constant;
  else if (kind == "global_buffer") argument.space = Space::global;
  return argument;
}

std::optional<Arguments> arguments_in(const json& metadata, std::string_view kernel) {
  if (!metadata.is_object() || !metadata.contains("amdhsa.kernels")) return std::nullopt;
  for (const json& described : metadata["amdhsa.kernels"]) {
    if (!described.is_object() || text_in(described, ".name") != kernel) continue;
    Arguments arguments;
    for (const json& one : described.value(".args", json::array())) {
      if (one.is_object() && !text_in(one, ".value_kind").starts_with("hidden_"))
        arguments.push_back(amd_argument(one));
    }
    return arguments;
  }
  return std::nullopt;
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
  return arguments_in(metadata_of(code), kernel);
}

}  // namespace pintle::cli
