#include "base/elf_symbols.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "base/contain.h"
#include "base/elf.h"

namespace pintle::base {
namespace {

using Bytes = std::span<const std::byte>;

/// `offset` must lie within the file.
template <class T>
T read_at(Bytes file, std::uint64_t offset) noexcept {
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

/// The bytes of a section; empty where they are not in the file.
Bytes part(Bytes file, const Elf64_Shdr& section) {
  const bool is_there = range_fits(section.sh_offset, section.sh_size, file.size());
  return is_there ? file.subspan(section.sh_offset, section.sh_size) : Bytes();
}

bool is_read_here(Bytes file) {
  constexpr int own_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  return file.size() >= sizeof(Elf64_Ehdr) && std::memcmp(file.data(), ELFMAG, SELFMAG) == 0 &&
         std::to_integer<int>(file[EI_CLASS]) == ELFCLASS64 && std::to_integer<int>(file[EI_DATA]) == own_order;
}

std::string_view text_at(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const std::string_view rest(reinterpret_cast<const char*>(strings.data()) + offset, strings.size() - offset);
  return rest.substr(0, rest.find('\0'));
}

std::vector<std::string> names_in(Bytes table, Bytes strings) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
    const auto symbol = read_at<Elf64_Sym>(table, at);
    const auto binding = ELF64_ST_BIND(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || (binding != STB_GLOBAL && binding != STB_WEAK)) continue;
    if (const auto name = text_at(strings, symbol.st_name); !name.empty()) names.emplace_back(name);
  }
  return names;
}

Result<std::vector<std::string>> read(Bytes file) {
  if (!is_read_here(file))
    return Error(Errc::invalid_argument, "Shared object is no 64-bit ELF file in this machine's byte order.");
  PINTLE_TRY(check_elf(file));
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  std::vector<Elf64_Shdr> sections;
  for (std::uint64_t i = 0; header.e_shoff != 0 && i < header.e_shnum; ++i)
    sections.push_back(read_at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr)));
  const auto table = std::ranges::find(sections, std::uint32_t{SHT_DYNSYM}, &Elf64_Shdr::sh_type);
  if (table == sections.end() || table->sh_link >= sections.size())
    return Error(Errc::unavailable, "Shared object has no table of its symbols.");
  return names_in(part(file, *table), part(file, sections[table->sh_link]));
}

}  // namespace

Result<std::vector<std::string>> elf_symbols(Bytes file) {
  return contain("reading a shared object", [&] { return read(file); });
}

}  // namespace pintle::base
