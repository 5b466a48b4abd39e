// Drivers with a compiler in this process, and the end of the process.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "pintle/backend/driver.h"

namespace pintle::kit {

/// Launches an entry "trial" of `code`, which takes nothing, and waits for it; only the first time that a process asks
/// for a backend. A refusal is logged.
///
/// Mesa compiles for the host's processor when a kernel is launched, on a thread of its own, with LLVM, which makes
/// static objects the first time. The process destroys the youngest first. Core registers the end of a device when it
/// has opened, so the compiler's objects are made before: they are there while core waits for the last launches.
void wake_compiler(backend::Device& device, std::string_view format, std::span<const std::byte> code);

}  // namespace pintle::kit
