#include "record.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>

#include "pintle/error.h"
#include "pintle/must.h"

namespace pintle::differential {

void add_to_record(const std::string& file, const RunSummary& run) {
  const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
  std::ofstream out(file, std::ios::app);
  out << fmt::format("| {:04}-{:02}-{:02} | {} | {} | {:.1f} | {} | {} |\n", static_cast<int>(today.year()),
                     static_cast<unsigned>(today.month()), static_cast<unsigned>(today.day()), run.commit, run.devices,
                     run.minutes, run.programs, run.failures);
  if (!out.flush()) throw Exception(Error(Errc::io, fmt::format("File ({}) cannot be written.", file)));
}

}  // namespace pintle::differential
