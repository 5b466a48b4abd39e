// A native worker: it answers bench/peers/run.py on standard output, one JSON line for each line of standard input.
//
//   block PART COUNT LIMIT_MS   calls the part COUNT times, or until the limit: {"us": [...]}, {"skip": why} or
//   {"error": why} check                       compares every value with what it must be: {"ok": true} or {"error":
//   why} quit
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/peers/native/peer.h"

namespace peers {

/// Makes the peer from the program's arguments, without the mode that may stand last.
using Create = std::function<std::unique_ptr<Peer>(std::span<char*> arguments)>;

/// The main function of a worker. With `--cold` as the last argument it prints the resident memory at the first checked
/// result, and serves nothing.
int worker_main(int count, char** arguments, const Create& create);

/// Checks the first result and says so, as a cold start does.
void report_first(std::span<const float> y);

}  // namespace peers
