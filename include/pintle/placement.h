// Where memory lies.
#pragma once

#include <cstdint>

namespace pintle {

/// The place that is wanted for a buffer's memory.
enum class Placement : std::uint8_t {
  device = 1,  ///< Fastest for the device.
  host = 2,    ///< The host can map it.
};

}  // namespace pintle
