// Drivers with a compiler in this process, at the end of the process.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "pintle/backend/driver.h"

namespace pintle::kit {

/// Launches an entry "trial" of `code`, which has no parameters, and waits for it; only the first time that a process
/// asks for a backend. A refusal is logged.
///
/// Mesa compiles for the host's processor when a kernel is launched, on a thread of its own. It compiles with LLVM,
/// which makes static objects at its first use. The process destroys the youngest objects first. Core registers the end
/// of a device when the device has opened. So the compiler's objects are made before: they are still there while core
/// waits for the last launches.
void wake_compiler(backend::Device& device, std::string_view format, std::span<const std::byte> code);

}  // namespace pintle::kit
