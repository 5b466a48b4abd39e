// What marks a function that the library exports under its C name. CUDA's functions are inside, and nobody sees them.
#pragma once

#define PINTLE_SIMULATED extern "C" __attribute__((visibility("hidden")))
#define PINTLE_SIMULATED_HIP extern "C" __attribute__((visibility("default")))
