// How long a file of three kernels takes at load, from nothing and from the cache.
#pragma once

namespace pintle::bench {

/// Loads the file on `device` and launches each kernel once, since PoCL compiles at the first launch; prints the
/// milliseconds. Each `nonce` makes another source.
int compile_once(const char* device, const char* nonce);

/// Runs `compile_once` of `program` in processes of their own, on the cpu and on PoCL in turns: cold with a new nonce,
/// warm with the same again. Prints the medians.
int compile_in_turns(const char* program);

}  // namespace pintle::bench
