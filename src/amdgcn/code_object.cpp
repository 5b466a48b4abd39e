#include "amdgcn/code_object.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "amdgcn/code_bundle.h"
#include "amdgcn/code_target.h"
#include "amdgcn/message_pack.h"
#include "base/bytes.h"
#include "base/contain.h"
#include "base/elf.h"
#include "base/file.h"
#include "base/quote.h"

namespace pintle::amdgcn {
namespace {

using base::quote;
using Bytes = std::span<const std::byte>;

template <class... Values>
Error broken(fmt::format_string<Values...> words, Values&&... values) {
  return {Errc::build_failed, "Code object " + fmt::format(words, std::forward<Values>(values)...)};
}

// What AMD's compilers write there: "User Guide for AMDGPU Backend", code object metadata.

Result<void> read_parameter(MessagePack& metadata, const CodeKernel& kernel, std::vector<CodeParameter>& parameters) {
  std::optional<std::uint32_t> size, offset;
  CodeParameter parameter;
  const std::array texts{std::pair{".value_kind", &parameter.kind}, std::pair{".address_space", &parameter.space},
                         std::pair{".name", &parameter.name}, std::pair{".type_name", &parameter.type}};
  PINTLE_TRY(metadata.each_pair([&](std::string_view key) -> Result<void> {
    if (key == ".size" || key == ".offset") {
      PINTLE_ASSIGN(number, metadata.number());
      (key == ".size" ? size : offset) = number;
      return {};
    }
    for (const auto& [name, place] : texts) {
      if (key != name) continue;
      PINTLE_ASSIGN(text, metadata.text());
      *place = text;
      return {};
    }
    return metadata.skip();
  }));
  const bool has_kind = !parameter.kind.empty();
  if (!has_kind || !size || !offset)
    return broken("has a kernel {} whose argument ({}) has no {}.", quote(kernel.name), parameters.size(),
                  !has_kind ? ".value_kind"
                  : !size   ? ".size"
                            : ".offset");
  if (parameter.kind.starts_with("hidden_")) return {};
  parameter.size = *size;
  parameter.offset = *offset;
  parameters.push_back(std::move(parameter));
  return {};
}

/// The metadata has the arguments before the name.
Result<void> check_kernel(const CodeKernel& kernel, std::size_t index) {
  if (kernel.name.empty()) return broken("has a kernel ({}) that has no .name.", index);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const CodeParameter& parameter = kernel.parameters[i];
    if (base::range_fits(parameter.offset, parameter.size, kernel.argument_bytes)) continue;
    return broken("has a kernel {} whose argument ({}) ends behind all of them: ({}) bytes from offset ({}), of ({}).",
                  quote(kernel.name), i, parameter.size, parameter.offset, kernel.argument_bytes);
  }
  return {};
}

Result<void> read_group(MessagePack& metadata, CodeKernel& kernel) {
  std::size_t count = 0;
  PINTLE_TRY(metadata.each([&]() -> Result<void> {
    PINTLE_ASSIGN(items, metadata.number());
    if (count < kernel.required_group.size()) kernel.required_group[count] = items;
    ++count;
    return {};
  }));
  if (count == kernel.required_group.size()) return {};
  return broken("has a kernel {} whose .reqd_workgroup_size has ({}) numbers, where (3) are expected.",
                quote(kernel.name), count);
}

Result<void> read_kernel(MessagePack& metadata, std::vector<CodeKernel>& kernels) {
  CodeKernel kernel;
  const std::array numbers{std::pair{".kernarg_segment_size", &kernel.argument_bytes},
                           std::pair{".group_segment_fixed_size", &kernel.local_bytes},
                           std::pair{".max_flat_workgroup_size", &kernel.max_group_items}};
  PINTLE_TRY(metadata.each_pair([&](std::string_view key) -> Result<void> {
    if (key == ".args") return metadata.each([&] { return read_parameter(metadata, kernel, kernel.parameters); });
    if (key == ".reqd_workgroup_size") return read_group(metadata, kernel);
    if (key == ".name") {
      PINTLE_ASSIGN(name, metadata.text());
      kernel.name = name;
      return {};
    }
    for (const auto& [name, number] : numbers) {
      if (key != name) continue;
      PINTLE_ASSIGN(value, metadata.number());
      *number = value;
      return {};
    }
    return metadata.skip();
  }));
  PINTLE_TRY(check_kernel(kernel, kernels.size()));
  kernels.push_back(std::move(kernel));
  return {};
}

// The ELF file around the metadata.

template <class T>
T field(Bytes elf, std::uint64_t offset) noexcept {
  return base::load_little<T>(elf, offset).value_or(T{});
}

Result<void> check_code_object(Bytes elf) {
  if (!base::text_in(elf).starts_with(ELFMAG)) return broken("is no ELF file: it does not begin with \\x7fELF.");
  if (elf.size() < sizeof(Elf64_Ehdr))
    return broken("is cut short: it has ({}) bytes, and an ELF header has ({}).", elf.size(), sizeof(Elf64_Ehdr));
  const auto width = field<std::uint8_t>(elf, EI_CLASS), order = field<std::uint8_t>(elf, EI_DATA);
  if (width != ELFCLASS64 || order != ELFDATA2LSB)
    return broken("is of the ELF class ({}) and the byte order ({}), where ({}) and ({}) are expected.", width, order,
                  ELFCLASS64, ELFDATA2LSB);
  const auto machine = field<std::uint16_t>(elf, offsetof(Elf64_Ehdr, e_machine));
  if (machine != EM_AMDGPU)
    return broken("is for the ELF machine ({}), where ({}) is expected, AMD's GPUs.", machine, EM_AMDGPU);
  const auto whole = base::check_elf(elf);
  return whole ? Result<void>() : Error(Errc::build_failed, std::string(whole.error().message()));
}

/// The metadata among the notes of a segment. A note has a name and a content, each filled up to 4 bytes.
Result<std::optional<Bytes>> metadata_in(Bytes notes) {
  using Word = std::uint32_t;
  constexpr std::array owner{'A', 'M', 'D', 'G', 'P', 'U', '\0'};
  constexpr Word kind = 32;
  for (std::uint64_t at = 0; base::range_fits(at, sizeof(Elf64_Nhdr), notes.size());) {
    const std::uint64_t name_size = field<Word>(notes, at), size = field<Word>(notes, at + 4);
    const std::uint64_t name_at = at + sizeof(Elf64_Nhdr),
                        content_at = name_at + base::round_up<std::uint64_t>(name_size, 4);
    if (!base::range_fits(content_at, size, notes.size()))
      return broken("has a note at byte ({}) of its notes that ends behind them ({} bytes).", at, notes.size());
    const bool is_metadata = field<Word>(notes, at + 8) == kind;
    if (is_metadata && base::text_in(notes.subspan(name_at, name_size)) == std::string_view(owner.data(), owner.size()))
      return notes.subspan(content_at, size);
    at = content_at + base::round_up<std::uint64_t>(size, 4);
  }
  return std::nullopt;
}

Result<Bytes> metadata_of(Bytes elf) {
  constexpr int most = 8;  // so that segments over one another do not make the file longer than it is
  int seen = 0;
  const auto segments = field<std::uint64_t>(elf, offsetof(Elf64_Ehdr, e_phoff));
  for (std::uint64_t index = 0; index < field<std::uint16_t>(elf, offsetof(Elf64_Ehdr, e_phnum)); ++index) {
    const std::uint64_t at = segments + index * sizeof(Elf64_Phdr);
    if (field<std::uint32_t>(elf, at + offsetof(Elf64_Phdr, p_type)) != PT_NOTE) continue;
    if (++seen > most) return broken("has more than ({}) segments of notes.", most);
    const auto offset = field<std::uint64_t>(elf, at + offsetof(Elf64_Phdr, p_offset)),
               size = field<std::uint64_t>(elf, at + offsetof(Elf64_Phdr, p_filesz));
    if (!base::range_fits(offset, size, elf.size())) return broken("has notes behind its end.");
    PINTLE_ASSIGN(metadata, metadata_in(elf.subspan(offset, size)));
    if (metadata) return *metadata;
  }
  return broken("has no metadata: none of its notes is AMDGPU's of the type (32), as version 3 and later have it.");
}

Result<CodeObject> read(Bytes elf) {
  PINTLE_TRY(check_code_object(elf));
  PINTLE_ASSIGN(note, metadata_of(elf));
  CodeObject object;
  MessagePack metadata(note);
  PINTLE_TRY(metadata.each_pair([&](std::string_view key) -> Result<void> {
    if (key == "amdhsa.kernels") return metadata.each([&] { return read_kernel(metadata, object.kernels); });
    if (key != "amdhsa.target") return metadata.skip();
    PINTLE_ASSIGN(name, metadata.text());
    object.target = target_in(name);
    return {};
  }));
  return object;
}

Result<Bytes> find_code(Bytes code, std::string_view target) {
  if (is_bundle(code)) return code_in_bundle(code, target);
  PINTLE_ASSIGN(object, read(code));
  if (object.target.empty() || fit(object.target, target) != Fit::none) return code;
  return broken("is for {}, and the device is {}.", quote(object.target), quote(target));
}

}  // namespace

Result<Bytes> code_for(Bytes code, std::string_view target) {
  return base::contain("looking for a GPU's code", [&] { return find_code(code, target); });
}

Result<CodeObject> read_code_object(Bytes elf) {
  return base::contain("reading a code object", [&] { return read(elf); });
}

}  // namespace pintle::amdgcn
