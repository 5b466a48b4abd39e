#include "code_object_image.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

namespace pintle::simulator {
namespace {

using nlohmann::json;
using Bytes = std::span<const std::byte>;

constexpr std::string_view triple = "amdgcn-amd-amdhsa--";
constexpr std::string_view note_name = ".note", object_name = ".pintle.host_object", names_name = ".shstrtab";
constexpr std::array owner{'A', 'M', 'D', 'G', 'P', 'U', '\0', '\0'};  // filled up to 4 bytes
constexpr Elf64_Word owner_size = 7, metadata_kind = 32;

constexpr std::size_t rounded_up(std::size_t value, std::size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Metadata. nlohmann's MessagePack, so that a reader of ours meets what another wrote.

json metadata_of(const CodeEntry& entry) {
  json arguments = json::array();
  std::size_t end = 0, most = 4;
  for (const CodeArgument& argument : entry.arguments) {
    const std::size_t offset = rounded_up(end, argument.alignment);
    json one{{".offset", offset}, {".size", argument.size}, {".value_kind", argument.kind}};
    if (argument.kind == "global_buffer") one[".address_space"] = "global";
    if (argument.kind == "dynamic_shared_pointer") one[".address_space"] = "local";
    one[".pintle_align"] = argument.alignment;  // which the driver does not look at
    arguments.push_back(std::move(one));
    end = offset + argument.size;
    most = std::max(most, argument.alignment);
  }
  json kernel{{".args", std::move(arguments)},
              {".group_segment_fixed_size", entry.shared_bytes},
              {".kernarg_segment_align", most},
              {".kernarg_segment_size", rounded_up(end, 4)},
              {".max_flat_workgroup_size", entry.max_threads},
              {".name", entry.name},
              {".private_segment_fixed_size", 0},
              {".sgpr_count", 8},
              {".symbol", entry.name + ".kd"},
              {".vgpr_count", 8},
              {".wavefront_size", 64}};
  if (!entry.required_group.empty()) kernel[".reqd_workgroup_size"] = entry.required_group;
  return kernel;
}

std::vector<std::uint8_t> metadata_of(const CodeImage& image) {
  json kernels = json::array();
  for (const CodeEntry& entry : image.entries) kernels.push_back(metadata_of(entry));
  return json::to_msgpack(json{{"amdhsa.kernels", std::move(kernels)},
                               {"amdhsa.target", std::string(triple) + image.target},
                               {"amdhsa.version", {1, 1}}});
}

std::size_t number_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
}

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

CodeEntry entry_of(const json& kernel) {
  CodeEntry entry;
  entry.name = text_in(kernel, ".name");
  entry.max_threads = static_cast<std::uint32_t>(number_in(kernel, ".max_flat_workgroup_size"));
  entry.shared_bytes = static_cast<std::uint32_t>(number_in(kernel, ".group_segment_fixed_size"));
  for (const json& argument : kernel.value(".args", json::array())) {
    if (!argument.is_object()) continue;
    const std::size_t alignment = std::max<std::size_t>(number_in(argument, ".pintle_align"), 1);
    entry.arguments.push_back({number_in(argument, ".size"), alignment, text_in(argument, ".value_kind")});
  }
  for (const json& side : kernel.value(".reqd_workgroup_size", json::array())) {
    if (side.is_number_unsigned()) entry.required_group.push_back(side.get<std::uint32_t>());
  }
  return entry;
}

// The ELF file: header, a segment of notes, what sections hold, the sections.

class File {
 public:
  template <class T>
  void add(const T& value) {
    add(&value, sizeof value);
  }
  void add(const void* data, std::size_t size) {
    const auto* const first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  template <class T>
  void put(std::size_t offset, const T& value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
  }
  void fill_up() { bytes_.resize(rounded_up(bytes_.size(), 8)); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

Elf64_Ehdr header_of(std::size_t sections_at, Elf64_Half sections) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_ident[EI_OSABI] = 64;      // ELFOSABI_AMDGPU_HSA
  header.e_ident[EI_ABIVERSION] = 2;  // code objects of version 4
  header.e_type = ET_DYN;
  header.e_machine = EM_AMDGPU;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(Elf64_Ehdr);
  header.e_shoff = sections_at;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = sections;
  header.e_shstrndx = static_cast<Elf64_Half>(sections - 1);
  return header;
}

/// The sections' names, one behind the other; the first is empty.
std::string names_of_sections() {
  std::string names(1, '\0');
  for (const std::string_view name : {note_name, object_name, names_name}) {
    names += name;
    names += '\0';
  }
  return names;
}

/// Adds what a section holds; the answer is the section's header.
Elf64_Shdr add_section(File& file, const std::string& names, std::string_view name, Elf64_Word type,
                       std::span<const std::byte> content) {
  file.fill_up();
  Elf64_Shdr section{};
  section.sh_name = static_cast<Elf64_Word>(names.find(name));
  section.sh_type = type;
  section.sh_offset = file.size();
  section.sh_size = content.size();
  section.sh_addralign = 4;
  file.add(content.data(), content.size());
  return section;
}

std::vector<std::byte> note_of(const CodeImage& image) {
  const std::vector<std::uint8_t> metadata = metadata_of(image);
  File note;
  note.add(Elf64_Nhdr{owner_size, static_cast<Elf64_Word>(metadata.size()), metadata_kind});
  note.add(owner.data(), owner.size());
  note.add(metadata.data(), metadata.size());
  note.fill_up();
  return note.take();
}

template <class T>
std::optional<T> read_at(Bytes file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

Bytes part(Bytes file, std::uint64_t offset, std::uint64_t size) {
  return offset <= file.size() && size <= file.size() - offset ? file.subspan(offset, size) : Bytes();
}

Bytes section_named(Bytes file, const Elf64_Ehdr& header, std::string_view wanted) {
  const auto at = [&](std::uint64_t index) {
    return read_at<Elf64_Shdr>(file, header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  const auto table = at(header.e_shstrndx);
  if (!table) return {};
  const Bytes names = part(file, table->sh_offset, table->sh_size);
  const std::string_view text(reinterpret_cast<const char*>(names.data()), names.size());
  for (std::uint64_t index = 0; index < header.e_shnum; ++index) {
    const auto section = at(index);
    if (!section || section->sh_name >= text.size()) return {};
    const std::string_view rest = text.substr(section->sh_name);
    if (rest.substr(0, rest.find('\0')) == wanted) return part(file, section->sh_offset, section->sh_size);
  }
  return {};
}

/// The metadata is the first note, as linkers write it.
json metadata_in(Bytes note) {
  const auto header = read_at<Elf64_Nhdr>(note, 0);
  if (!header || header->n_namesz != owner_size || header->n_type != metadata_kind) return {};
  const Bytes metadata = part(note, sizeof(Elf64_Nhdr) + owner.size(), header->n_descsz);
  const auto* const first = reinterpret_cast<const std::uint8_t*>(metadata.data());
  return json::from_msgpack(first, first + metadata.size(), true, false);
}

}  // namespace

std::vector<std::byte> print_code_object(const CodeImage& image) {
  const std::string names = names_of_sections();
  File file;
  file.add(Elf64_Ehdr{});
  file.add(Elf64_Phdr{});
  std::vector<Elf64_Shdr> sections(1);
  sections.push_back(add_section(file, names, note_name, SHT_NOTE, note_of(image)));
  sections.push_back(add_section(file, names, object_name, SHT_PROGBITS, image.object));
  sections.push_back(add_section(file, names, names_name, SHT_STRTAB, std::as_bytes(std::span(names))));
  file.fill_up();
  file.put(0, header_of(file.size(), static_cast<Elf64_Half>(sections.size())));
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_flags = PF_R;
  segment.p_offset = segment.p_vaddr = segment.p_paddr = sections[1].sh_offset;
  segment.p_filesz = segment.p_memsz = sections[1].sh_size;
  segment.p_align = 4;
  file.put(sizeof(Elf64_Ehdr), segment);
  for (const Elf64_Shdr& section : sections) file.add(section);
  return file.take();
}

std::optional<CodeImage> parse_code_object(Bytes code) {
  const auto header = read_at<Elf64_Ehdr>(code, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_machine != EM_AMDGPU)
    return std::nullopt;
  const json metadata = metadata_in(section_named(code, *header, note_name));
  if (!metadata.is_object()) return std::nullopt;
  CodeImage image;
  const std::string target = text_in(metadata, "amdhsa.target");
  image.target = target.starts_with(triple) ? target.substr(triple.size()) : target;
  for (const json& kernel : metadata.value("amdhsa.kernels", json::array())) {
    if (kernel.is_object()) image.entries.push_back(entry_of(kernel));
  }
  const Bytes object = section_named(code, *header, object_name);
  image.object.assign(object.begin(), object.end());
  return image;
}

}  // namespace pintle::simulator
