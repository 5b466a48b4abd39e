// Host memory that a driver does not use in place.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/device/incarnation.h"

namespace pintle::core {

/// Bytes of the host that a buffer is to lie over.
struct HostImport {
  std::span<std::byte> bytes;
  std::uint64_t offset = 0;  ///< Where the buffer begins in the bytes.
  Access access = Access::read;
  DType dtype = DType::u8;
  Shape shape;
  std::string label;
  std::shared_ptr<const void> keeper;
};

/// A buffer over the bytes. Where the driver of a device that imports host memory refuses these pages, a buffer that
/// nobody may write is a sealed copy of them, and the call waits for the copy; any other is `unsupported`.
[[nodiscard]] Result<Buffer> import_or_copy(Incarnation& incarnation, const HostImport& import);

}  // namespace pintle::core
