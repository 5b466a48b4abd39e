// The kernels, as `pintle pack` packed them when the demo was built.
#pragma once

#include <cstddef>
#include <span>

namespace demo {

[[nodiscard]] std::span<const std::byte> packed_kernels() noexcept;

}  // namespace demo
