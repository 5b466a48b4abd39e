// The owners of the numbers in views.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace pintle::core {

/// A life of a device. It stays here for a while after its end.
struct Owner {
  std::string id;
  std::uint64_t generation = 0;
  std::weak_ptr<void> table;  ///< Its BufferTable.
};

/// The first number or epoch, as the settings say.
[[nodiscard]] std::uint64_t first_serial();
/// A number that no other life of the process has.
[[nodiscard]] std::uint64_t add_owner(const std::string& id, std::uint64_t generation);
/// From now on views of this number can be found.
void set_owner(std::uint64_t number, std::weak_ptr<void> table);
/// Notes that the life is over. Only the latest of the ended lives are remembered.
void end_owner(std::uint64_t number) noexcept;
[[nodiscard]] std::optional<Owner> find_owner(std::uint64_t number);

}  // namespace pintle::core
