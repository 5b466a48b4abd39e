// What a simulated compiler hands to a simulated driver of AMD's: a code object whose last section holds a shared
// object for the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pintle::simulator {

/// An argument of a kernel, as its function takes it.
struct CodeArgument {
  std::size_t size = 0;
  std::size_t alignment = 1;
  std::string kind = "by_value";  ///< "global_buffer", "dynamic_shared_pointer", "hidden_none".
};

struct CodeEntry {
  std::string name;
  std::vector<CodeArgument> arguments;
  std::uint32_t max_threads = 1024;             ///< Threads of a block.
  std::uint32_t shared_bytes = 0;               ///< That the kernel declares itself.
  std::vector<std::uint32_t> required_group{};  ///< Three numbers; none where it runs in blocks of any size.
};

struct CodeImage {
  std::string target;  ///< "gfx90a:xnack-".
  std::vector<CodeEntry> entries;
  std::vector<std::byte> object;  ///< Empty where the code is for a GPU alone: it can be loaded and not launched.
};

/// An ELF file for AMD's GPUs with the metadata that a compiler of theirs writes; it has no code for them.
[[nodiscard]] std::vector<std::byte> print_code_object(const CodeImage& image);
/// What `print_code_object` wrote; of another code object, its target and its kernels. Empty where it is none.
[[nodiscard]] std::optional<CodeImage> parse_code_object(std::span<const std::byte> code);

}  // namespace pintle::simulator
