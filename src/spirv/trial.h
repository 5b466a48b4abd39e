// The smallest kernel.
#pragma once

#include <array>
#include <cstdint>

namespace pintle::spirv {

/// A module for Vulkan with an entry point "trial", in groups of one, that does nothing.
inline constexpr std::array<std::uint32_t, 35> trial_shader{
    0x07230203, 0x00010000, 0,          5,          0,                          // version 1.0, ids below 5
    0x00020011, 1,                                                              // OpCapability Shader
    0x0003000e, 0,          1,                                                  // OpMemoryModel Logical GLSL450
    0x0005000f, 5,          1,          0x61697274, 0x0000006c,                 // OpEntryPoint GLCompute %1 "trial"
    0x00060010, 1,          17,         1,          1,          1,              // OpExecutionMode %1 LocalSize 1 1 1
    0x00020013, 2,          0x00030021, 3,          2,                          // OpTypeVoid %2, OpTypeFunction %3 %2
    0x00050036, 2,          1,          0,          3,          0x000200f8, 4,  // OpFunction %1, OpLabel %4
    0x000100fd, 0x00010038,                                                     // OpReturn, OpFunctionEnd
};

}  // namespace pintle::spirv
