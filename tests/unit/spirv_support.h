// Real modules, and ones written word by word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "golden.h"
#include "pintle/must.h"

namespace pintle::test {

/// A module of tests/unit/data, compiled from the .comp beside it (glslc --target-env=vulkan1.2).
inline std::vector<std::byte> spirv_file(std::string_view name) {
  return must(base::read_file(data_file("data") / (std::string(name) + ".spv")));
}

/// Writes SPIR-V, one instruction after another.
class SpirvWriter {
 public:
  explicit SpirvWriter(std::uint32_t version = 0x00010500, std::uint32_t bound = 100) {
    words_ = {0x07230203, version, 0, bound, 0};
  }

  SpirvWriter& add(std::uint32_t op, std::initializer_list<std::uint32_t> operands) {
    words_.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | op);
    words_.insert(words_.end(), operands);
    return *this;
  }
  /// With a text behind the operands, and then more of them.
  SpirvWriter& add(std::uint32_t op, std::initializer_list<std::uint32_t> operands, std::string_view text,
                   std::initializer_list<std::uint32_t> rest = {}) {
    std::vector<std::uint32_t> packed(text.size() / 4 + 1);
    std::memcpy(packed.data(), text.data(), text.size());
    words_.push_back(static_cast<std::uint32_t>(operands.size() + packed.size() + rest.size() + 1) << 16 | op);
    words_.insert(words_.end(), operands);
    words_.insert(words_.end(), packed.begin(), packed.end());
    words_.insert(words_.end(), rest);
    return *this;
  }
  SpirvWriter& word(std::uint32_t raw) {
    words_.push_back(raw);
    return *this;
  }
  /// An entry point (function 1) of group (1, 1, 1), and its function.
  SpirvWriter& minimal(std::string_view name = "main") {
    add(17, {1}).add(14, {0, 1}).add(15, {5, 1}, name).add(16, {1, 17, 1, 1, 1});
    return add(19, {2}).add(33, {3, 2}).add(54, {2, 1, 0, 3}).add(248, {4}).add(253, {}).add(56, {});
  }

  [[nodiscard]] std::span<const std::byte> bytes() const { return std::as_bytes(std::span(words_)); }
  [[nodiscard]] std::vector<std::uint32_t>& words() { return words_; }

 private:
  std::vector<std::uint32_t> words_;
};

}  // namespace pintle::test
