// A line for each run, so that runs add up.
#pragma once

#include <cstdint>
#include <string>

namespace pintle::differential {

struct RunSummary {
  std::string commit;
  std::string devices;
  double minutes = 0;
  std::uint64_t programs = 0;
  int failures = 0;
};

/// Appends a row of a table to the file, with today's date. Throws `Exception` where it cannot be written.
void add_to_record(const std::string& file, const RunSummary& run);

}  // namespace pintle::differential
