// A pack in a single file. All numbers are little-endian.
//    0  magic "PINTLE\0P"       8  version      12  byte-order mark
//   16  SHA-256 of everything from offset 48
//   48  length of the header   56  length of the file
//   64  header: JSON, padded with spaces to 64 bytes; its offsets count from its end
//       code of each variant, in order, each aligned to 64 bytes, with zeros between
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/contain.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/quote.h"
#include "base/signature.h"
#include "io/file_kind.h"
#include "io/pack.h"
#include "io/pack_json.h"

namespace pintle::io {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::string_view magic("PINTLE\0P", 8);
constexpr std::uint32_t version = 1;
constexpr std::uint32_t byte_order_mark = 0x01020304;
constexpr std::uint64_t checksum_offset = 16;
constexpr std::uint64_t checked_offset = checksum_offset + sizeof(base::Digest);
constexpr std::uint64_t file_length_offset = checked_offset + sizeof(std::uint64_t);
constexpr std::uint64_t header_offset = 64;
constexpr std::uint64_t alignment = 64;

Error expected_at(std::uint64_t offset, std::string_view found, std::string_view what) {
  return {Errc::invalid_argument,
          fmt::format("Offset {} of the pack holds {} where {} is expected.", offset, found, what)};
}

Result<void> check_number(Bytes file, std::uint64_t offset, std::uint32_t wanted, std::string_view what) {
  const auto value = base::load_little<std::uint32_t>(file, offset);
  if (value == wanted) return {};
  return expected_at(offset, fmt::format("{:#x}", *value), fmt::format("{} ({:#x})", what, wanted));
}

Result<void> check_checksum(Bytes file) {
  const base::Digest digest = base::sha256(file.subspan(checked_offset));
  const Bytes written = file.subspan(checksum_offset, digest.size());
  if (std::ranges::equal(digest, written)) return {};
  base::Digest other;
  std::ranges::copy(written, other.begin());
  return expected_at(checksum_offset, fmt::format("the checksum {}", base::hex(other)),
                     fmt::format("{} of what follows", base::hex(digest)));
}

Result<void> check_preamble(Bytes file) {
  const std::string_view start = base::text_in(file).substr(0, magic.size());
  if (start != magic) {
    const std::string found = start.empty() ? "the end" : base::quote(start);
    return expected_at(0, kind_of_file(file).value_or(found), base::quote(magic));
  }
  if (file.size() < header_offset) return expected_at(file.size(), "the end", "the rest of the first 64 bytes");
  PINTLE_TRY(check_number(file, 8, version, "a version that this library reads"));
  PINTLE_TRY(check_number(file, 12, byte_order_mark, "the byte-order mark of little-endian numbers"));
  const auto length = base::load_little<std::uint64_t>(file, file_length_offset);
  if (length != file.size()) {
    return expected_at(file_length_offset, fmt::format("the file's length ({})", *length), fmt::to_string(file.size()));
  }
  return check_checksum(file);
}

Result<std::string_view> header_text(Bytes file) {
  const std::uint64_t length = *base::load_little<std::uint64_t>(file, checked_offset);
  if (length % alignment == 0 && base::range_fits(header_offset, length, file.size())) {
    return base::text_in(file.subspan(header_offset, length));
  }
  return expected_at(checked_offset, fmt::format("the header's length ({})", length),
                     fmt::format("a multiple of {} up to {}", alignment, file.size() - header_offset));
}

/// Takes the code out of the file, from front to back.
class CodeReader {
 public:
  CodeReader(Bytes file, std::uint64_t start) : code_(file.subspan(start)), start_(start) {}

  Result<std::vector<std::byte>> next(const JsonView& variant) {
    PINTLE_ASSIGN(offset_view, variant.member("offset"));
    PINTLE_ASSIGN(size_view, variant.member("size"));
    PINTLE_ASSIGN(offset, offset_view.number());
    PINTLE_ASSIGN(size, size_view.number());
    const auto aligned = base::align_up(end_, alignment);
    if (offset != aligned) return offset_view.expected(fmt::to_string(aligned.value_or(end_)));
    if (!base::range_fits(offset, size, code_.size())) {
      return size_view.expected(
          fmt::format("a number up to {}", code_.size() - std::min<std::uint64_t>(offset, code_.size())));
    }
    PINTLE_TRY(check_padding(offset));
    end_ = offset + size;
    const Bytes code = code_.subspan(offset, size);
    return std::vector<std::byte>(code.begin(), code.end());
  }

  Result<void> finish() const {
    if (end_ == code_.size()) return {};
    return expected_at(start_ + end_, fmt::format("{} more bytes", code_.size() - end_), "the end");
  }

 private:
  Result<void> check_padding(std::uint64_t up_to) const {
    const Bytes gap = code_.subspan(end_, up_to - end_);
    const auto bad = std::ranges::find_if(gap, [](std::byte byte) { return byte != std::byte{0}; });
    if (bad == gap.end()) return {};
    return expected_at(start_ + end_ + static_cast<std::uint64_t>(bad - gap.begin()),
                       fmt::to_string(std::to_integer<unsigned>(*bad)), "0 between two variants");
  }

  Bytes code_;
  std::uint64_t start_;
  std::uint64_t end_ = 0;
};

Result<PackVariant> parse_variant(const JsonView& view, CodeReader& code) {
  PINTLE_TRY(view.has_only({"format", "target", "entries", "offset", "size", "language"}));
  PINTLE_ASSIGN(format_view, view.member("format"));
  PINTLE_ASSIGN(target_view, view.member("target"));
  PINTLE_ASSIGN(entries_view, view.member("entries"));
  PINTLE_ASSIGN(format, format_view.text());
  PINTLE_ASSIGN(target, target_view.text());
  PINTLE_ASSIGN(entries, parse_entries(entries_view));
  PINTLE_ASSIGN(bytes, code.next(view));
  PackVariant variant{std::move(format), std::move(target), std::move(entries), std::move(bytes)};
  if (!view.has("language")) return variant;
  PINTLE_ASSIGN(language_view, view.member("language"));
  PINTLE_ASSIGN(language, language_view.text());
  variant.language = std::move(language);
  return variant;
}

Result<Pack> parse_contents(const JsonView& header, CodeReader code) {
  PINTLE_TRY(header.has_only({"name", "variants"}));
  PINTLE_ASSIGN(name_view, header.member("name"));
  PINTLE_ASSIGN(name, name_view.text());
  PINTLE_ASSIGN(list, header.member("variants"));
  PINTLE_ASSIGN(items, list.items());
  Pack pack{std::move(name), {}};
  for (const JsonView& item : items) {
    PINTLE_ASSIGN(variant, parse_variant(item, code));
    pack.variants.push_back(std::move(variant));
  }
  PINTLE_TRY(code.finish());
  return pack;
}

Result<Pack> parse(Bytes file) {
  PINTLE_TRY(check_preamble(file));
  PINTLE_ASSIGN(text, header_text(file));
  const auto document = parse_json(text);
  if (!document) return document.error().during("reading the header at offset 64 of the pack");
  PINTLE_ASSIGN(pack, parse_contents(JsonView(*document), CodeReader(file, header_offset + text.size())));
  PINTLE_TRY(check_pack(pack));
  return std::move(pack);
}

std::string quoted(const std::string& text) { return json_string(text).value(); }

std::string describe(const PackVariant& variant, std::uint64_t offset) {
  std::string signatures;
  for (const Entry& entry : variant.entries)
    signatures += (signatures.empty() ? "" : ",") + quoted(base::signature_of(entry));
  // A library that does not know the key refuses the pack: it would compile the source as another language.
  const std::string language =
      variant.language.empty() ? "" : fmt::format(R"(,"language":{})", quoted(variant.language));
  return fmt::format(R"({{"format":{},"target":{},"entries":[{}],"offset":{},"size":{}{}}})", quoted(variant.format),
                     quoted(variant.target), signatures, offset, variant.code.size(), language);
}

/// The header without padding, and the number of bytes of code that it describes. It is built as text: the destruction
/// of a document of nlohmann's needs memory.
std::pair<std::string, std::uint64_t> describe(const Pack& pack) {
  std::string variants;
  std::uint64_t end = 0;
  for (const PackVariant& variant : pack.variants) {
    const std::uint64_t offset = *base::align_up(end, alignment);
    end = offset + variant.code.size();
    variants += (variants.empty() ? "" : ",") + describe(variant, offset);
  }
  return {fmt::format(R"({{"name":{},"variants":[{}]}})", quoted(pack.name), variants), end};
}

Result<std::vector<std::byte>> serialize(const Pack& pack) {
  PINTLE_TRY(check_pack(pack));
  auto [header, code_bytes] = describe(pack);
  header.resize(*base::align_up<std::uint64_t>(header.size(), alignment), ' ');
  std::vector<std::byte> file(header_offset + header.size() + code_bytes);
  std::uint64_t end = 0;
  const auto append = [&](Bytes bytes) {
    std::ranges::copy(bytes, std::span(file).subspan(end).begin());
    end += bytes.size();
  };
  append(base::bytes_in(magic));
  append(base::little(version));
  append(base::little(byte_order_mark));
  append(base::Digest{});
  append(base::little<std::uint64_t>(header.size()));
  append(base::little<std::uint64_t>(file.size()));
  append(base::bytes_in(header));
  for (const PackVariant& variant : pack.variants) {
    end = *base::align_up(end, alignment);
    append(variant.code);
  }
  std::ranges::copy(base::sha256(Bytes(file).subspan(checked_offset)), file.begin() + checksum_offset);
  return file;
}

}  // namespace

Result<Pack> parse_pack(Bytes bytes) {
  return base::contain("reading a pack", [&] { return parse(bytes); });
}

Result<std::vector<std::byte>> serialize_pack(const Pack& pack) {
  return base::contain("writing a pack", [&] { return serialize(pack); });
}

Result<void> write_pack(const Pack& pack, const std::filesystem::path& path) {
  return base::contain("writing a pack", [&]() -> Result<void> {
    PINTLE_ASSIGN(bytes, serialize_pack(pack));
    return base::write_file(path, bytes);
  });
}

}  // namespace pintle::io
