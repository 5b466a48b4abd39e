// The demo as a program of its own: what ./dev demo builds, without the rest of the command.
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <string_view>

#include "examples/demo/demo.h"

namespace demo {
namespace {

constexpr const char* usage =
    "demo [PICTURE.png] [--out FILE] [--draw FILE] [--pack PATH] [--device ID]...\n\n"
    "Blurs a picture (5 x 5 Gaussian) and finds its edges (Sobel) on every device, and compares with double "
    "precision.\n"
    "  PICTURE.png   the picture; without one, a kernel draws 1920 x 1080 pixels\n"
    "  --out FILE    where the edges go (default: edges.png)\n"
    "  --draw FILE   where the picture goes, if a kernel draws it (default: nowhere)\n"
    "  --pack PATH   a pack file or folder whose kernels are used instead of the demo's own\n"
    "  --device ID   on this device only (may be repeated; default: every one that executes, and cpu?inline)\n"
    "Exit codes: 0 ok, 1 a device failed or is beyond the tolerance, or none ran, 2 the command line or a picture is "
    "wrong.\n";

enum ExitCode { ok = 0, failed = 1, wrong = 2 };

/// Where the value of an option goes; null for what is none.
std::string* option_value(Options& options, std::string_view name) {
  if (name == "--device") return &options.devices.emplace_back();
  if (name == "--out") return &options.edges;
  if (name == "--draw") return &options.drawing;
  return name == "--pack" ? &options.pack : nullptr;
}

/// Empty where the command line is wrong.
std::optional<Options> parse(std::span<char* const> words) {
  Options options{.software = "./dev demo --devices installs one in software."};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    std::string* const value = option_value(options, word);
    if (value && i + 1 < words.size()) *value = words[++i];
    else if (value || word.starts_with('-') || word.empty() || !options.picture.empty()) return std::nullopt;
    else options.picture = word;
  }
  return options;
}

int report(const pintle::Error& error, ExitCode code) {
  std::fprintf(stderr, "demo: %s\n", error.text().c_str());
  return code;
}

void print(const Row& row) {
  if (row.kind == Row::Kind::failed)
    std::fprintf(stderr, "demo: [%s] fails: %s\n", row.device.c_str(), row.reason.c_str());
  else std::printf("%s\n", line(row).c_str());
}

int show(const Options& options) {
  const auto picture = picture_for(options);
  if (!picture) return report(picture.error(), wrong);
  std::printf("%s\n", heading(*picture).c_str());
  bool has_run = false;
  const auto is_good = run(options, *picture, [&](const Row& row) {
    has_run = has_run || row.kind == Row::Kind::all;
    print(row);
  });
  if (!is_good) return report(is_good.error(), failed);
  if (has_run) std::printf("edges: %s\n", options.edges.c_str());
  return *is_good ? ok : failed;
}

int start(std::span<char* const> words) {
  for (const std::string_view word : words) {
    if (word == "--help") return std::fputs(usage, stdout), ok;
  }
  const auto options = parse(words);
  return options ? show(*options) : (std::fputs(usage, stderr), wrong);
}

}  // namespace
}  // namespace demo

int main(int count, char** arguments) try {
  return demo::start(std::span<char* const>(arguments, static_cast<std::size_t>(count)).subspan(1));
} catch (const std::exception& exception) {
  std::fprintf(stderr, "demo: %s\n", exception.what());
  return demo::failed;
}
