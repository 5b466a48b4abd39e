// What a test in the same process may ask of the layer, and the words of its faults.
#pragma once

#include <cstdint>

namespace pintle::hostile {

/// A fill with this word stands for the kernel that is at fault: what becomes of its submission and of the device.
enum class Fault : std::uint32_t {
  silent = 0xfa170001,    ///< It is done; what comes behind never is.
  endless = 0xfa170002,   ///< It is never done, nor is what comes behind.
  lost = 0xfa170003,      ///< VK_ERROR_DEVICE_LOST from now on.
  poisoned = 0xfa170004,  ///< As `silent`, for every device of the process, those that are made later too.
};

}  // namespace pintle::hostile

extern "C" {

/// Copies recorded between the device's own memory and the host's, by the host memory's kind: cached, or any other.
__attribute__((visibility("default"))) void hostile_count_copies(std::uint64_t* through_cached, std::uint64_t* others);
/// Copies of buffers recorded for the queue of `second_family`.
__attribute__((visibility("default"))) std::uint64_t hostile_count_second_family();
/// The queues that `second_family` has by now start nothing while they are held.
__attribute__((visibility("default"))) void hostile_hold_second_family(bool are_to_be_held);
/// `late_submissions` starts nothing while they are held.
__attribute__((visibility("default"))) void hostile_hold_submissions(bool are_to_be_held);
}
