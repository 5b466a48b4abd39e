#include "base/elf.h"

#include <elf.h>
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/contain.h"

namespace pintle::base {
namespace {

using Bytes = std::span<const std::byte>;

/// The types of one width, with the names of <elf.h>.
struct Elf32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Section = Elf32_Shdr;
};
struct Elf64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Section = Elf64_Shdr;
};

Result<void> check_range(Bytes file, std::string_view what, std::uint64_t offset, std::uint64_t size) {
  if (range_fits(offset, size, file.size())) return {};
  return Error(Errc::invalid_argument,
               fmt::format("Shared object is cut short: {} ({} bytes from offset {}) ends behind the file ({} bytes).",
                           what, size, offset, file.size()));
}

/// `offset` must lie within the file.
template <class T>
T read_at(Bytes file, std::uint64_t offset) noexcept {
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

/// Checks a table whose rows are `T`; `check` tests what one row says.
template <class T, class Check>
Result<void> check_table(Bytes file, std::string_view what, std::uint64_t offset, std::uint64_t count, Check check) {
  PINTLE_TRY(check_range(file, fmt::format("the table of its {}s", what), offset, count * sizeof(T)));
  for (std::uint64_t index = 0; index < count; ++index)
    PINTLE_TRY(check(fmt::format("{} ({})", what, index), read_at<T>(file, offset + index * sizeof(T))));
  return {};
}

Result<void> check_row_size(std::string_view what, std::uint64_t size, std::uint64_t wanted) {
  if (size == wanted) return {};
  return Error(Errc::invalid_argument,
               fmt::format("Shared object has {} headers of ({}) bytes, where ({}) are expected.", what, size, wanted));
}

template <class Elf>
Result<void> check_segments(Bytes file, const typename Elf::Header& header) {
  using Row = typename Elf::Segment;
  if (header.e_phnum == 0) return {};
  PINTLE_TRY(check_row_size("program", header.e_phentsize, sizeof(Row)));
  return check_table<Row>(file, "program header", header.e_phoff, header.e_phnum,
                          [&](std::string_view what, const Row& row) {
                            return check_range(file, fmt::format("what {} loads", what), row.p_offset, row.p_filesz);
                          });
}

template <class Elf>
Result<void> check_sections(Bytes file, const typename Elf::Header& header) {
  using Row = typename Elf::Section;
  if (header.e_shoff == 0) return {};
  PINTLE_TRY(check_row_size("section", header.e_shentsize, sizeof(Row)));
  PINTLE_TRY(check_range(file, "the first section header", header.e_shoff, sizeof(Row)));
  // Where the header has no room for the number of sections, the first section has it.
  const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : read_at<Row>(file, header.e_shoff).sh_size;
  if (!checked_mul<std::uint64_t>(count, sizeof(Row))) {
    return Error(Errc::invalid_argument, fmt::format("Shared object has too many sections ({}).", count));
  }
  return check_table<Row>(file, "section header", header.e_shoff, count, [&](std::string_view what, const Row& row) {
    if (row.sh_type == SHT_NOBITS || row.sh_type == SHT_NULL) return Result<void>();
    return check_range(file, fmt::format("what {} names", what), row.sh_offset, row.sh_size);
  });
}

template <class Elf>
Result<void> check(Bytes file) {
  PINTLE_TRY(check_range(file, "its header", 0, sizeof(typename Elf::Header)));
  const auto header = read_at<typename Elf::Header>(file, 0);
  PINTLE_TRY(check_segments<Elf>(file, header));
  return check_sections<Elf>(file, header);
}

}  // namespace

Result<void> check_elf(Bytes file) {
  return contain("checking a shared object", [&]() -> Result<void> {
    constexpr int own_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    if (file.size() < SELFMAG || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0) return {};
    PINTLE_TRY(check_range(file, "its identification", 0, EI_NIDENT));
    if (std::to_integer<int>(file[EI_DATA]) != own_order) return {};  // no loader here takes the other byte order
    switch (std::to_integer<int>(file[EI_CLASS])) {
      case ELFCLASS32: return check<Elf32>(file);
      case ELFCLASS64: return check<Elf64>(file);
      default: return {};
    }
  });
}

}  // namespace pintle::base
