#include "cli/findings.h"

#include <algorithm>
#include <array>

namespace pintle::cli {

std::string_view name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::warn: return "warn";
    case Verdict::fail: break;
  }
  return "fail";
}

Json to_json(const Finding& finding) {
  return {{"subject", finding.subject},
          {"verdict", name(finding.verdict)},
          {"text", finding.text},
          {"next_step", finding.next_step}};
}

Finding finding_of(const Json& row) {
  constexpr std::array verdicts{Verdict::ok, Verdict::warn, Verdict::fail};
  const auto verdict =
      std::ranges::find(verdicts, row.value("verdict", "fail"), [](Verdict each) { return std::string(name(each)); });
  return {row.value("subject", ""), verdict == verdicts.end() ? Verdict::fail : *verdict, row.value("text", ""),
          row.value("next_step", "")};
}

}  // namespace pintle::cli
