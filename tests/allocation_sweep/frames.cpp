#include "allocation_sweep/frames.h"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "pintle/must.h"

namespace pintle::allocation_sweep {
namespace {

struct Span {
  std::uintptr_t begin = 0, end = 0;
  [[nodiscard]] bool has(std::uintptr_t address) const noexcept { return begin <= address && address < end; }
};

struct Symbol {
  Span code;
  std::string name;  // mangled
};

struct Program {
  std::uintptr_t base = 0;
  Span code;
  std::vector<Symbol> symbols;  // ascending
  std::vector<Span> neutral;    // code of the standard library and what is like it
};

Program& program() noexcept {
  static Program& only = *new Program;
  return only;
}

/// Shared objects that ask in the name of their caller.
constexpr std::array<std::string_view, 11> neutral_objects{"libstdc++.", "libc.",    "libc++",     "libgcc_s.",
                                                           "libm.",      "ld-linux", "libpthread", "libfmt.",
                                                           "libhwy",     "libasan.", "libubsan."};

int add_object(dl_phdr_info* info, std::size_t /*size*/, void* /*data*/) {
  Span code{UINTPTR_MAX, 0};
  for (const ElfW(Phdr) & part : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    code.begin = std::min(code.begin, info->dlpi_addr + part.p_vaddr);
    code.end = std::max(code.end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
  }
  const std::string_view path = info->dlpi_name;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const auto named = [&](std::string_view name) { return file.starts_with(name); };
  if (path.empty() && program().code.end == 0) {  // the first is the program itself
    program().base = info->dlpi_addr;
    program().code = code;
  } else if (std::ranges::any_of(neutral_objects, named)) {
    program().neutral.push_back(code);
  }
  return 0;
}

template <class T>
const T* at(std::span<const std::byte> file, std::uint64_t offset) {
  return reinterpret_cast<const T*>(file.data() + offset);
}

void read_table(std::span<const std::byte> file, const ElfW(Shdr) & table, const ElfW(Shdr) & names) {
  for (const ElfW(Sym) & symbol : std::span(at<ElfW(Sym)>(file, table.sh_offset), table.sh_size / sizeof(ElfW(Sym)))) {
    if ((symbol.st_info & 0xf) != STT_FUNC || symbol.st_size == 0) continue;
    const std::uintptr_t begin = program().base + symbol.st_value;
    program().symbols.push_back({{begin, begin + symbol.st_size}, at<char>(file, names.sh_offset + symbol.st_name)});
  }
}

const Symbol* symbol_of(std::uintptr_t address) noexcept {
  const auto& all = program().symbols;
  auto after = std::ranges::upper_bound(all, address, {}, [](const Symbol& symbol) { return symbol.code.begin; });
  if (after == all.begin()) return nullptr;
  --after;
  return after->code.has(address) ? &*after : nullptr;
}

enum class Owner : unsigned char { nobody, library, caller };

/// The name without what a mangled one begins with: "6pintle4core...".
std::string_view scope(std::string_view name) noexcept {
  if (!name.starts_with("_Z")) return {};
  name.remove_prefix(2);
  while (name.starts_with('Z') || name.starts_with('N') || name.starts_with('K')) name.remove_prefix(1);
  return name;
}

/// To copy a value is the copying one's doing.
bool is_copy(std::string_view name) noexcept {
  return name.find("C1ERK") != std::string_view::npos || name.find("C2ERK") != std::string_view::npos ||
         name.find("aSERK") != std::string_view::npos;
}

Owner owner_of(std::string_view name) noexcept {
  const std::string_view in = scope(name);
  if (in.starts_with("6pintle11conformance") || in.starts_with("6pintle16allocation_sweep")) return Owner::caller;
  if (name == "main") return Owner::caller;
  if (in.starts_with("6pintle") && !is_copy(name)) return Owner::library;
  return Owner::nobody;
}

/// The owner of one frame. A frame that nobody owns is skipped; a vendor's code counts as a caller's.
Owner owner_of(std::uintptr_t address) noexcept {
  if (program().code.has(address)) {
    const Symbol* const symbol = symbol_of(address);
    return symbol == nullptr ? Owner::nobody : owner_of(std::string_view(symbol->name));
  }
  const auto has = [&](const Span& code) { return code.has(address); };
  return std::ranges::any_of(program().neutral, has) ? Owner::nobody : Owner::caller;
}

/// A frame holds where its call returns to, which may be the next function.
std::uintptr_t call_of(const void* frame) noexcept { return reinterpret_cast<std::uintptr_t>(frame) - 1; }

bool is_new(const Symbol* symbol) noexcept {
  return symbol != nullptr && (symbol->name.starts_with("_Znw") || symbol->name.starts_with("_Zna"));
}

std::string readable(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return text ? text.get() : name;
}

}  // namespace

void read_symbols() {
  dl_iterate_phdr(add_object, nullptr);
  const auto mapped = must(base::MappedFile::open("/proc/self/exe"));
  const std::span<const std::byte> file = mapped.bytes();
  const auto& header = *at<ElfW(Ehdr)>(file, 0);
  const std::span sections(at<ElfW(Shdr)>(file, header.e_shoff), header.e_shnum);
  for (const ElfW(Shdr) & section : sections)
    if (section.sh_type == SHT_SYMTAB) read_table(file, section, sections[section.sh_link]);
  std::ranges::sort(program().symbols, {}, [](const Symbol& symbol) { return symbol.code.begin; });
  if (program().symbols.empty()) throw std::runtime_error("This program has been stripped of its symbols.");
}

bool is_of_library(std::span<void* const> frames) noexcept {
  const auto asks = std::ranges::find_if(frames, [](const void* frame) { return is_new(symbol_of(call_of(frame))); });
  for (const void* const frame : std::span(asks, frames.end())) {
    const Owner owner = owner_of(call_of(frame));
    if (owner != Owner::nobody) return owner == Owner::library;
  }
  return false;
}

std::string text_of(std::span<void* const> frames) {
  std::string text;
  const auto asks = std::ranges::find_if(frames, [](const void* frame) { return is_new(symbol_of(call_of(frame))); });
  for (const void* const frame : asks == frames.end() ? frames : std::span(asks, frames.end())) {
    const Symbol* const symbol = symbol_of(call_of(frame));
    if (symbol == nullptr || owner_of(std::string_view(symbol->name)) == Owner::nobody) continue;
    text += fmt::format("    {:#x} {}\n", call_of(frame) - program().base, readable(symbol->name));
    if (owner_of(std::string_view(symbol->name)) == Owner::caller) break;
  }
  return text;
}

}  // namespace pintle::allocation_sweep
