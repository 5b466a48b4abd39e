#include <fmt/format.h>

#include "base/platform.h"
#include "base/settings.h"
#include "cli/findings.h"

namespace pintle::cli {
namespace {

std::string given() {
  std::string text;
  for (const base::SettingRow& row : base::setting_rows()) {
    if (row.source != "default") text += fmt::format("{}{}={}", text.empty() ? "" : ", ", row.name, row.value);
  }
  return text.empty() ? "all defaults" : text;
}

}  // namespace

Findings check_settings() {
  Findings findings;
  const auto settings = base::settings();
  if (settings) findings.push_back({"settings", Verdict::ok, given(), ""});
  else findings.push_back({"settings", Verdict::fail, settings.error().text(), "Correct the variable or unset it."});
  const auto environment = base::environment();
  for (const std::string& unknown : base::unknown_settings(environment)) {
    findings.push_back({"settings", Verdict::warn, base::words_on_unknown(unknown),
                        "Correct its name; `pintle info` lists the known ones."});
  }
  return findings;
}

}  // namespace pintle::cli
