// A device's side of a rank's piece: the piece itself, or a copy of it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "pintle/buffer.h"
#include "pintle/device.h"
#include "pintle/error.h"
#include "pintle/symmetric.h"

namespace pintle::collective {

struct HeapDevice {
  Residence residence = Residence::host;
  std::string detail;  ///< Why it is staged.
  Buffer buffer;       ///< As large as the piece.

  /// In place where the device can import the piece; the buffer then keeps `keeper`.
  [[nodiscard]] static Result<HeapDevice> open(const Device& device, std::span<std::byte> piece,
                                               std::shared_ptr<const void> keeper, const std::string& label);
};

}  // namespace pintle::collective
