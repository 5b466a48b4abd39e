// Objects that can neither be finished nor destroyed.
#pragma once

#include <memory>

namespace pintle::core {

/// Keeps `object` until the process ends, where leak checkers can reach it. Takes no lock: a forked child may call it.
void keep_for_ever(std::shared_ptr<void> object) noexcept;

}  // namespace pintle::core
