#include "inference/entries.h"

#include <fmt/format.h>

#include <utility>

#include "base/contain.h"
#include "base/log.h"
#include "base/quote.h"

namespace pintle::inference {
namespace {

constexpr std::string_view by_hand =
    "declare the entries by `signatures`: \"blur(in: read f32[], out: write f32[], n: u32) group 64\"";

Result<std::vector<Entry>> declared(std::span<const std::string_view> signatures) {
  std::vector<Entry> entries;
  for (const std::string_view signature : signatures) {
    PINTLE_ASSIGN(entry, Entry::parse(signature));
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// The program that reads the format is not here.
Error unread(const Undeclared& code, std::string_view why) {
  return {
      Errc::invalid_argument,
      fmt::format("{} has no `signatures`, and what tells the entries of {} is not here: {} Install it ({}), or {}.",
                  code.text, code.format, why,
                  code.format == "glsl" ? "the package glslang-tools or glslc" : "the package clang-19", by_hand)};
}

Result<std::vector<Entry>> told(const Undeclared& code) {
  auto read = read_entries(code);
  if (!read) return read.error().code() == Errc::unavailable ? unread(code, read.error().message()) : read.error();
  if (read->entries.empty()) {
    if (!read->left_out.empty()) return read->left_out[0];
    return Error(Errc::invalid_argument,
                 fmt::format("{} has no entry whose parameters it tells; {}.", code.text, by_hand));
  }
  for (const Error& error : read->left_out)
    base::log(LogLevel::warn, "inference", "An entry is left out: {}", error.message());
  return std::move(read->entries);
}

}  // namespace

Result<std::vector<Entry>> entries_of(std::string_view format, std::span<const std::byte> code,
                                      std::span<const std::string_view> signatures, std::string_view program) {
  if (!signatures.empty()) return declared(signatures);
  // The rules of packs refuse these by name.
  if (!base::is_identifier(program) || (code.empty() && format != "native")) return std::vector<Entry>();
  const std::string name(program);
  return told({.format = format,
               .code = code,
               .file = name + (format == "opencl_c" ? ".cl" : ""),
               .text = fmt::format("[Program {}]", base::quote(name)),
               .declaration = by_hand});
}

}  // namespace pintle::inference
