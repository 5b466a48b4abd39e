// What marks a function that the library exports under its C name.
#pragma once

#define PINTLE_SIMULATED extern "C" __attribute__((visibility("default")))
