// The bytes of what a signature declares by value, and their agreement with a block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/entry.h"
#include "pintle/error.h"
#include "spirv/block.h"
#include "spirv/kernel_code.h"

namespace pintle::spirv {

/// Scalars, vectors and structs in the order of the signature, each at the next offset that is a multiple of its
/// alignment.
class DeclaredScalars {
 public:
  explicit DeclaredScalars(const Entry& declared);

  [[nodiscard]] const std::vector<ScalarPlace>& places() const noexcept { return places_; }
  [[nodiscard]] std::uint32_t bytes() const noexcept { return bytes_; }
  /// Compares each number of a block with what is declared where it lies: type, offset, and order by names. The error's
  /// text follows the entry's name.
  [[nodiscard]] Result<void> check(const Block& block) const;

 private:
  /// A number, or a vector of them.
  struct Run {
    const Parameter* parameter = nullptr;
    std::string member;
    DType dtype = DType::u8;
    std::uint32_t lanes = 1;
    std::uint32_t offset = 0;
    bool is_bytes = false;  ///< Nothing is said of what is in them.

    [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(bytes_of(dtype)) * lanes; }
    [[nodiscard]] std::string name() const;
    [[nodiscard]] std::string type() const;
    [[nodiscard]] std::string_view last_name() const noexcept { return member.empty() ? parameter->name : member; }
  };

  void add(const Parameter& parameter);
  [[nodiscard]] static bool agrees(const Field& field, const Run& run);
  [[nodiscard]] Result<void> check(const Field& field) const;
  [[nodiscard]] bool is_name_of_another(std::string_view found, const Run& own) const;

  std::vector<ScalarPlace> places_;
  std::vector<Run> runs_;
  std::uint32_t bytes_ = 0;
};

/// Words may have the bits of a number that not every device has: four u8 in one, an f64 in two.
[[nodiscard]] bool are_bits_of(DType dtype, base::Number number) noexcept;
/// "a" (f32), or a number without a name.
[[nodiscard]] std::string text_of(const Field& field);
/// A number of bytes, rounded up.
[[nodiscard]] constexpr std::uint32_t round_up(std::uint64_t value, std::uint32_t alignment) noexcept {
  return static_cast<std::uint32_t>((value + alignment - 1) / alignment * alignment);
}

}  // namespace pintle::spirv
