#include "cli/collective_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace pintle::cli {
namespace {

std::string dtype_text(const CollectiveRow& row) { return row.dtype ? std::string(name(*row.dtype)) : "none"; }
std::string reduction_text(const CollectiveRow& row) {
  return row.reduction ? std::string(name(*row.reduction)) : "none";
}
std::string root_text(const CollectiveRow& row) { return row.root ? fmt::to_string(*row.root) : "-1"; }
std::string wrong_text(const CollectiveRow& row) { return row.wrong ? fmt::to_string(*row.wrong) : "-"; }

/// The mean over the rows that move bytes.
double mean_bus_bandwidth(std::span<const CollectiveRow> rows) {
  double sum = 0;
  std::size_t count = 0;
  for (const CollectiveRow& row : rows) {
    if (row.bytes == 0) continue;
    sum += row.bus_bandwidth;
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

bool is_checked(std::span<const CollectiveRow> rows) {
  return std::ranges::any_of(rows, [](const CollectiveRow& row) { return row.wrong.has_value(); });
}

std::string mode_text(const CollectiveRequest& request) {
  return fmt::format("{}{}", name(request.terms.algorithm), request.terms.is_reproducible ? ", reproducible" : "");
}

constexpr std::string_view columns = "{:<14} {:>12} {:>12} {:>10} {:>11} {:>5} {:>12} {:>8} {:>8} {:>7}\n";

template <class... Cells>
std::string line(std::string_view start, const Cells&... cells) {
  return std::string(start) + fmt::format(fmt::runtime(columns), cells...);
}

Json row_json(const CollectiveRow& row) {
  Json json{{"op", name(row.operation)}, {"size", row.bytes}, {"count", row.count}};
  json["dtype"] = row.dtype ? Json(name(*row.dtype)) : Json();
  json["redop"] = row.reduction ? Json(name(*row.reduction)) : Json();
  json["root"] = row.root ? Json(*row.root) : Json();
  json["time_us"] = row.p50_us;
  json["min_us"] = row.min_us;
  json["p99_us"] = row.p99_us;
  json["algbw"] = row.algorithm_bandwidth;
  json["busbw"] = row.bus_bandwidth;
  json["wrong"] = row.wrong ? Json(*row.wrong) : Json();
  return json;
}

}  // namespace

std::uint64_t wrong_elements(std::span<const CollectiveRow> rows) noexcept {
  std::uint64_t wrong = 0;
  for (const CollectiveRow& row : rows) wrong += row.wrong.value_or(0);
  return wrong;
}

std::string heading_text(const CollectiveSubject& subject) {
  const CollectiveRequest& request = subject.request;
  std::string text = fmt::format("# ranks {}, transport {}, host processors {}\n", subject.ranks, subject.transport,
                                 std::thread::hardware_concurrency());
  text += fmt::format("# algorithm {}, warmup iterations {}, iterations {}, check {}\n#\n", mode_text(request),
                      request.warmups, request.iterations, request.checking == Checking::on ? 1 : 0);
  text += line("# ", "operation", "size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong");
  text += line("# ", "", "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "");
  return text;
}

std::string row_text(const CollectiveRow& row) {
  return line("  ", name(row.operation), row.bytes, row.count, dtype_text(row), reduction_text(row), root_text(row),
              fmt::format("{:.2f}", row.p50_us), fmt::format("{:.2f}", row.algorithm_bandwidth),
              fmt::format("{:.2f}", row.bus_bandwidth), wrong_text(row));
}

std::string ending_text(std::span<const CollectiveRow> rows) {
  const std::uint64_t wrong = wrong_elements(rows);
  const std::string verdict = is_checked(rows) ? fmt::format("{} {}", wrong, wrong == 0 ? "OK" : "FAILED") : "-";
  return fmt::format("# Out of bounds values : {}\n# Avg bus bandwidth    : {:.4f}\n", verdict,
                     mean_bus_bandwidth(rows));
}

std::string_view csv_heading() noexcept {
  return "op,size,count,dtype,redop,root,time_us,min_us,p99_us,algbw,busbw,wrong\n";
}

std::string row_csv(const CollectiveRow& row) {
  return fmt::format("{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.6f},{:.6f},{}\n", name(row.operation), row.bytes,
                     row.count, dtype_text(row), reduction_text(row), root_text(row), row.p50_us, row.min_us,
                     row.p99_us, row.algorithm_bandwidth, row.bus_bandwidth, wrong_text(row));
}

Json to_json(const CollectiveSubject& subject, std::span<const CollectiveRow> rows) {
  const CollectiveRequest& request = subject.request;
  Json json{{"ranks", subject.ranks},
            {"transport", subject.transport},
            {"processors", std::thread::hardware_concurrency()},
            {"algorithm", name(request.terms.algorithm)},
            {"reproducible", request.terms.is_reproducible},
            {"warmup", request.warmups},
            {"iterations", request.iterations},
            {"rows", Json::array()}};
  for (const CollectiveRow& row : rows) json["rows"].push_back(row_json(row));
  json["wrong"] = is_checked(rows) ? Json(wrong_elements(rows)) : Json();
  json["busbw_mean"] = mean_bus_bandwidth(rows);
  return json;
}

}  // namespace pintle::cli
