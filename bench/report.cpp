#include "bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace pintle::bench {
namespace {

using Cells = std::array<std::string, 8>;

std::string text_of(const Reach& reach) {
  switch (reach.kind) {
    case Reach::Kind::none: return {};
    case Reach::Kind::ratio_at_most: return fmt::format("ratio <= {:.4g}", reach.limit);
    case Reach::Kind::ratio_at_least: return fmt::format("ratio >= {}", reach.limit);
    case Reach::Kind::worst_ns_at_most: return fmt::format("worst <= {} ns", reach.limit);
    case Reach::Kind::difference_ns_at_most: break;
  }
  return fmt::format("difference_ns <= {}", reach.limit);
}

std::string title(const Row& row) { return row.size ? fmt::format("{} {}", row.name, *row.size) : row.name; }

Cells cells_of(const Row& row) {
  if (!row.skipped.empty()) return {title(row), row.device, "skipped: " + row.skipped};
  std::string ratio = fmt::format("{:.2f} [{:.2f}, {:.2f}]", row.ratio.median, row.ratio.low, row.ratio.high);
  if (row.difference_ns) ratio += fmt::format(", {:+.0f} ns", *row.difference_ns);
  return {title(row),
          row.device,
          fmt::format("{:.4g} {} [{:.4g}, {:.4g}]", row.p50, row.unit, row.min, row.p99),
          fmt::format("{:.4g} {}", row.worst, row.unit),
          fmt::format("{:.4g} {}", row.reference_p50, row.unit),
          ratio,
          text_of(row.reach),
          row.reach.kind == Reach::Kind::none ? ""
          : row.reached                       ? "reached"
                                              : "MISSED"};
}

std::string line_of(const Cells& cells, const std::array<std::size_t, 8>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += fmt::format("{:<{}}  ", cells[i], widths[i]);
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

Json to_json(const Row& row) {
  if (!row.skipped.empty()) return {{"name", row.name}, {"device", row.device}, {"skipped", row.skipped}};
  Json json{{"name", row.name},
            {"device", row.device},
            {"unit", row.unit},
            {"min", row.min},
            {"p50", row.p50},
            {"p99", row.p99},
            {"worst", row.worst},
            {"reference", {{"name", row.reference}, {"p50", row.reference_p50}}},
            {"ratio", row.ratio.median},
            {"ratio_low", row.ratio.low},
            {"ratio_high", row.ratio.high}};
  if (row.difference_ns) json["difference_ns"] = *row.difference_ns;
  if (row.size) json["size"] = *row.size;
  if (row.reach.kind == Reach::Kind::none) return json;
  json["reach"] = text_of(row.reach);
  json["reached"] = row.reached;
  return json;
}

Json raw_json(const Row& row) {
  Json json = to_json(row);
  if (!row.skipped.empty()) return json;
  json["pairs"] = Json::array();
  for (const Pair& pair : row.pairs) json["pairs"].push_back({pair.ours, pair.reference});
  return json;
}

std::string table(std::span<const Row> rows) {
  std::vector<Cells> lines{
      {"figure", "device", "ours p50 [min, p99]", "worst block", "reference", "ratio [95 %]", "reach", ""}};
  for (const Row& row : rows) lines.push_back(cells_of(row));
  std::array<std::size_t, 8> widths{};
  for (const Cells& cells : lines) {
    if (cells[2].starts_with("skipped")) continue;  // as long as it likes
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const Cells& cells : lines) text += line_of(cells, widths);
  return text;
}

}  // namespace pintle::bench
