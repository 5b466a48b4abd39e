// In a file of its own, so that no caller sees that it does nothing.
#include "bench/rig.h"

extern "C" void bench_nothing(const pintle_group*, void* const*) {}
