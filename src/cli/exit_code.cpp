#include "cli/exit_code.h"

#include <array>
#include <string_view>
#include <vector>

#include "cli/table.h"

namespace pintle::cli {
namespace {

struct Row {
  ExitCode code;
  std::string_view meaning;
};

constexpr std::array<Row, 11> rows{{
    {ExitCode::ok, "the work is done"},
    {ExitCode::failed, "the work was done and found a fault: a failed test, a failed check"},
    {ExitCode::usage, "the command line is wrong"},
    {ExitCode::unavailable, "the device or what it needs is not there"},
    {ExitCode::invalid, "an input, a name or an argument is refused, or the device cannot do this"},
    {ExitCode::io, "a file cannot be read or written"},
    {ExitCode::build_failed, "the program does not compile, or no variant of it fits the device"},
    {ExitCode::timeout, "a deadline passed, or the work was cancelled"},
    {ExitCode::out_of_memory, "out of memory"},
    {ExitCode::device_lost, "the device was lost"},
    {ExitCode::internal, "a defect in pintle or a driver"},
}};

}  // namespace

ExitCode exit_code(Errc code) noexcept {
  switch (code) {
    case Errc::invalid_argument:
    case Errc::not_found:
    case Errc::unsupported: return ExitCode::invalid;
    case Errc::unavailable: return ExitCode::unavailable;
    case Errc::out_of_memory: return ExitCode::out_of_memory;
    case Errc::build_failed: return ExitCode::build_failed;
    case Errc::timeout:
    case Errc::cancelled: return ExitCode::timeout;
    case Errc::device_lost:
    case Errc::process_poisoned:
    case Errc::peer_lost: return ExitCode::device_lost;
    case Errc::io: return ExitCode::io;
    case Errc::stale:
    case Errc::internal: break;
  }
  return ExitCode::internal;
}

std::string exit_code_table() {
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows)
    cells.push_back({"  " + std::to_string(static_cast<int>(row.code)), std::string(row.meaning)});
  return "Exit codes:\n" + table(cells);
}

}  // namespace pintle::cli
