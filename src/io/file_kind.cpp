#include "io/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/bytes.h"
#include "base/file.h"

namespace pintle::io {
namespace {

struct Row {
  std::string_view start;
  std::string_view words;
};

constexpr std::string_view page = "an HTML page (as a failed download leaves it)";
constexpr std::string_view pickle = "a Python pickle (which only Python reads)";

constexpr std::array<Row, 16> rows{{
    {"PK\x03\x04", "a zip archive (as .npz files and PyTorch's are)"},
    {"PK\x05\x06", "an empty zip archive"},
    {"\x80\x02", pickle},
    {"\x80\x03", pickle},
    {"\x80\x04", pickle},
    {"\x80\x05", pickle},
    {"version https://git-lfs", "a pointer of Git LFS (in the place of the file)"},
    {"\x93NUMPY", "a .npy file"},
    {"GGUF", "a GGUF file"},
    {"\x89HDF\r\n", "an HDF5 file"},
    {"\x1f\x8b", "a gzip file"},
    {"\x7f"
     "ELF",
     "a shared object or a program"},
    {"<!doctype html", page},
    {"<html", page},
    {"<?xml", "an XML document"},
    {"%PDF", "a PDF document"},
}};

bool begins(std::string_view text, std::string_view start) noexcept {
  const auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
  return text.size() >= start.size() && std::ranges::equal(text.substr(0, start.size()), start, {}, lower, lower);
}

/// A header's length, and a JSON object of that length.
bool is_safetensors(std::span<const std::byte> file) noexcept {
  constexpr std::uint64_t length_bytes = 8, longest = 100'000'000;  // a limit of the format
  const auto length = base::load_little<std::uint64_t>(file, 0);
  return length && *length <= longest && base::range_fits(length_bytes, *length, file.size()) &&
         base::text_in(file).substr(length_bytes).starts_with('{');
}

}  // namespace

std::optional<std::string_view> kind_of_file(std::span<const std::byte> file) noexcept {
  const std::string_view all = base::text_in(file);
  const std::string_view text = all.substr(std::min(all.find_first_not_of(" \t\r\n"), all.size()));
  const auto row = std::ranges::find_if(rows, [&](const Row& one) { return begins(text, one.start); });
  if (row != rows.end()) return row->words;
  return is_safetensors(file) ? std::optional<std::string_view>("a safetensors file") : std::nullopt;
}

}  // namespace pintle::io
