// Imported memory of a device: its bytes have a second name, an address of the host or an object of the vendor's API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pintle/backend/command.h"

namespace pintle::core {

/// Imported memory. Host memory has an address; native memory may be any bytes that are not Pintle's.
struct Alias {
  backend::MemoryId memory = backend::MemoryId::none;
  std::span<std::byte> host;  ///< Empty for native memory.
  std::uint64_t buffer = 0;   ///< The record that holds the import.
  bool is_constant = false;   ///< Nothing may write it.

  [[nodiscard]] bool overlaps(std::span<const std::byte> bytes) const noexcept {
    return bytes.data() < host.data() + host.size() && host.data() < bytes.data() + bytes.size();
  }
};

}  // namespace pintle::core
