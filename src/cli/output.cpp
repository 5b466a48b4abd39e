#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <string>

#include "base/platform.h"
#include "base/terminal.h"

namespace pintle::cli {
namespace {

void print(std::FILE* file, std::string_view text) {
  const std::string shown = base::is_terminal(file) ? base::printable(text) : std::string(text);
  std::fwrite(shown.data(), 1, shown.size(), file);
  if (!text.ends_with('\n')) std::fputc('\n', file);
}

Json describe(const Error& error, ExitCode exit) {
  Json row{{"code", name(error.code())}, {"message", error.message()}, {"context", Json::array()}};
  for (const std::string& line : error.context()) row["context"].push_back(line);
  if (!error.device().empty()) row["device"] = error.device();
  row["exit"] = static_cast<int>(exit);
  return row;
}

}  // namespace

void Output::json(const Json& document) const {
  // A name from a driver may be anything: bytes that are no UTF-8 are replaced, where the default is to throw.
  print(stdout, document.dump(2, ' ', false, Json::error_handler_t::replace));
}

void Output::text(std::string_view text) const { print(stdout, text); }

void Output::words(std::string_view text) const { print(stderr, text); }

void Output::failure(const Error& error, ExitCode exit) const {
  words("pintle: " + error.text());
  if (is_json()) json(Json{{"error", describe(error, exit)}});
}

Result<void> Output::flush() const {
  errno = 0;
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!failed) return {};
  return Error(Errc::io,
               "Standard output does not take the data (" + base::system_words(errno == 0 ? EIO : errno) + ").");
}

}  // namespace pintle::cli
