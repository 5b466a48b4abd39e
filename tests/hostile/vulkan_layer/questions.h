// What a test in the same process may ask of the layer.
#pragma once

#include <cstdint>

extern "C" {

/// Copies recorded between the device's own memory and the host's, by the host memory's kind: cached, or any other.
__attribute__((visibility("default"))) void hostile_count_copies(std::uint64_t* through_cached, std::uint64_t* others);
/// `late_submissions` starts nothing while they are held.
__attribute__((visibility("default"))) void hostile_hold_submissions(bool are_to_be_held);
}
