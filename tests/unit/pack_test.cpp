#include "io/pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/hash.h"
#include "io/pack_recipe.h"
#include "pintle/must.h"
#include "unit/golden.h"
#include "unit/scratch_folder.h"

namespace pintle::io {
namespace {

using test::ScratchFolder;
using Bytes = std::vector<std::byte>;

constexpr const char* blur = "blur(in: read f32[], out: write f32[], n: u32) group 16,16";
constexpr const char* sobel = "sobel(in: read f32[], out: write f32[])";

Bytes bytes(std::string_view text) {
  const auto span = base::bytes_in(text);
  return {span.begin(), span.end()};
}

std::vector<Entry> entries(std::initializer_list<const char*> signatures) {
  std::vector<Entry> list;
  for (const char* const signature : signatures) list.push_back(must(Entry::parse(signature)));
  return list;
}

Pack sample() {
  return {"edges",
          {{"c", "", entries({blur, sobel}), bytes("void blur(void) {}\n")},
           {"native", "", entries({blur}), {}},
           {"so", "x86_64-linux", entries({sobel}), bytes(std::string(200, '\x7f'))}}};
}

/// A file whose checksum is right whatever was changed in it.
Bytes sealed(Bytes file) {
  const auto digest = base::sha256(std::span(file).subspan(48));
  std::ranges::copy(digest, file.begin() + 16);
  return file;
}

Bytes changed(const std::function<void(Bytes&)>& change) {
  Bytes file = must(serialize_pack(sample()));
  change(file);
  return file;
}

void put(Bytes& file, std::size_t offset, std::string_view text) {
  std::ranges::copy(base::bytes_in(text), file.begin() + static_cast<std::ptrdiff_t>(offset));
}

void put_number(Bytes& file, std::size_t offset, std::uint64_t number) {
  put(file, offset, base::text_in(base::little(number)));
}

/// Puts text of the same length in the place of the first that is found.
void replace(Bytes& file, std::string_view old, std::string_view other) {
  ASSERT_EQ(old.size(), other.size());
  const std::size_t at = base::text_in(file).find(old);
  ASSERT_NE(at, std::string_view::npos);
  put(file, at, other);
}

std::string text_of(const Result<Pack>& pack) {
  if (pack) return "accepted";
  EXPECT_EQ(pack.error().code(), Errc::invalid_argument);
  return pack.error().text();
}

std::string refusal(const std::function<void(Bytes&)>& change) { return text_of(parse_pack(sealed(changed(change)))); }

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += (all.empty() ? "" : "\n") + line;
  return all;
}

TEST(PackFile, ReadsWhatItWrites) {
  const Pack pack = sample();
  const Bytes file = must(serialize_pack(pack));
  EXPECT_EQ(must(parse_pack(file)), pack);
  EXPECT_EQ(must(serialize_pack(must(parse_pack(file)))), file);
}

TEST(PackFile, CodeIsAligned) {
  const Bytes file = must(serialize_pack(sample()));
  EXPECT_EQ(base::text_in(file).find("void blur") % 64, 0u);
  EXPECT_EQ(base::text_in(file).find("\x7f\x7f\x7f\x7f") % 64, 0u);
}

TEST(PackFile, HasTheLayoutThatIsDocumented) {
  const Bytes file = must(serialize_pack(sample()));
  EXPECT_EQ(base::text_in(file).substr(0, 8), std::string_view("PINTLE\0P", 8));
  EXPECT_EQ(base::load_little<std::uint32_t>(file, 8), 1u);
  EXPECT_EQ(base::load_little<std::uint32_t>(file, 12), 0x01020304u);
  EXPECT_EQ(*base::load_little<std::uint64_t>(file, 48) % 64, 0u);
  EXPECT_EQ(base::load_little<std::uint64_t>(file, 56), file.size());
  EXPECT_TRUE(base::text_in(file).substr(64).starts_with(R"({"name":"edges","variants":[{"format":"c",)"));
}

TEST(PackFile, EveryTruncationIsRefused) {
  const Bytes file = must(serialize_pack(sample()));
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(parse_pack(std::span(file).first(size))) << size;
    if (size < 64) continue;
    Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    put_number(cut, 56, size);
    EXPECT_FALSE(parse_pack(sealed(cut))) << size;
  }
}

TEST(PackFile, EveryFlippedBitIsRefused) {
  const Bytes file = must(serialize_pack(sample()));
  for (std::size_t at = 0; at < file.size(); ++at) {
    Bytes bad = file;
    bad[at] ^= std::byte{1} << (at % 8);
    EXPECT_FALSE(parse_pack(bad)) << at;
  }
}

TEST(PackFile, RefusalsOfThePreambleNameTheOffset) {
  test::expect_golden("errors/pack_preamble",
                      joined({text_of(parse_pack({})), text_of(parse_pack(bytes("PINTLE"))),
                              text_of(parse_pack(bytes("\x7f"
                                                       "ELF and so on"))),
                              text_of(parse_pack(bytes(std::string("PINTLE\0P and no more", 20)))),
                              refusal([](Bytes& file) { file[8] = std::byte{2}; }),
                              refusal([](Bytes& file) { put(file, 12, "\x01\x02\x03\x04"); }),
                              refusal([](Bytes& file) { put_number(file, 56, 1); }),
                              refusal([](Bytes& file) { put_number(file, 48, 65); }),
                              refusal([](Bytes& file) { put_number(file, 48, 0xffff'ffff'ffff'ffc0); })}));
}

TEST(PackFile, AWrongChecksumIsNamed) {
  const auto pack = parse_pack(changed([](Bytes& file) { file.back() ^= std::byte{1}; }));
  ASSERT_FALSE(pack);
  EXPECT_EQ(pack.error().code(), Errc::invalid_argument);
  EXPECT_TRUE(pack.error().message().starts_with("Offset 16 of the pack holds the checksum "))
      << pack.error().message();
}

TEST(PackFile, RefusalsOfTheHeaderNameThePath) {
  const auto swap = [](std::string_view old, std::string_view other) {
    return refusal([=](Bytes& file) { replace(file, old, other); });
  };
  test::expect_golden(
      "errors/pack_header",
      joined({swap("{\"name\"", "[\"name\""), swap("\"name\"", "\"nome\""), swap("\"edges\"", "\"9dges\""),
              swap("\"edges\"", "1234567"), swap("\"target\":\"\"", "\"format\":\"\""), swap("\"c\"", "\"C\""),
              swap("x86_64-linux", "x86_64/linux"), swap("out: write", "uot: write"), swap("\"so\"", "\"so "),
              swap("\"offset\":0", "\"offset\":1"), swap("\"size\":19", "\"size\":18"),
              swap("\"size\":19", "\"size\":0 "), swap("\"size\":200", "\"size\":201"),
              swap("\"size\":200", "\"size\":199"), swap("\"size\":200", "\"size\":-20"),
              swap("\"native\"", "\"notive\""), swap("\"size\":0", "\"saze\":0")}));
}

TEST(PackFile, PaddingIsZero) {
  EXPECT_NE(refusal([](Bytes& file) {
              const std::size_t code = base::text_in(file).find("void blur");
              file[code + 20] = std::byte{5};
            }).find("holds 5 where 0 between two variants is expected"),
            std::string::npos);
}

TEST(PackCheck, RefusalsNameThePlace) {
  const auto refused = [](const std::function<void(Pack&)>& change) {
    Pack pack = sample();
    change(pack);
    const auto checked = check_pack(pack);
    EXPECT_EQ(serialize_pack(pack).has_value(), checked.has_value());
    return checked ? "accepted" : checked.error().text();
  };
  test::expect_golden(
      "errors/pack_check",
      joined({refused([](Pack& pack) { pack.name = ""; }), refused([](Pack& pack) { pack.name = "edges\n"; }),
              refused([](Pack& pack) { pack.variants.clear(); }),
              refused([](Pack& pack) { pack.variants[0].format = ""; }),
              refused([](Pack& pack) { pack.variants[0].format = "c++"; }),
              refused([](Pack& pack) { pack.variants[2].target = "any target"; }),
              refused([](Pack& pack) { pack.variants[0].code.clear(); }),
              refused([](Pack& pack) { pack.variants[1].code = bytes("?"); }),
              refused([](Pack& pack) { pack.variants[1].entries.clear(); }),
              refused([](Pack& pack) { pack.variants[1].entries.push_back(pack.variants[1].entries[0]); }),
              refused([](Pack& pack) { pack.variants[1].entries[0].name = "bl ur"; }),
              refused([](Pack& pack) { pack.variants[1].entries[0].group_size.y = 0; }),
              refused([](Pack& pack) { pack.variants[1].entries[0].parameters[2].access = Access::write; }),
              refused([](Pack& pack) { pack.variants[1].entries[0].parameters[2].dtype = DType::i32; }),
              refused([](Pack& pack) { pack.variants.push_back(pack.variants[2]); })}));
}

TEST(PackCheck, VariantsMayDifferInGroupSize) {
  Pack pack = sample();
  pack.variants[1].entries[0].group_size = {64, 1, 1};
  pack.variants[1].entries[0].local_bytes = 512;
  EXPECT_TRUE(check_pack(pack));
}

constexpr const char* description = R"json({
  "name": "edges",
  "entries": ["blur(in: read f32[], out: write f32[], n: u32) group 16,16", "sobel(in: read f32[], out: write f32[])"],
  "variants": [
    {"format": "c", "file": "source/edges.c"},
    {"format": "so", "target": "x86_64-linux", "file": "edges.so", "entries": ["sobel(in: read f32[], out: write f32[])"]},
    {"format": "native"}
  ]
})json";

/// A folder with the files that `description` names.
void fill(const ScratchFolder& folder) {
  folder.write("source/edges.c", "void blur(void) {}\n");
  folder.write("edges.so", "an image");
}

TEST(PackFolder, ReadsADescription) {
  const ScratchFolder folder;
  fill(folder);
  const Pack pack = must(pack_from_json(description, folder.path()));
  EXPECT_EQ(pack.name, "edges");
  ASSERT_EQ(pack.variants.size(), 3u);
  EXPECT_EQ(pack.variants[0], (PackVariant{"c", "", entries({blur, sobel}), bytes("void blur(void) {}\n")}));
  EXPECT_EQ(pack.variants[1], (PackVariant{"so", "x86_64-linux", entries({sobel}), bytes("an image")}));
  EXPECT_EQ(pack.variants[2], (PackVariant{"native", "", entries({blur, sobel}), {}}));
}

TEST(PackFolder, FolderAndFileReadAlike) {
  const ScratchFolder folder;
  fill(folder);
  folder.write("pack.json", description);
  const Pack from_folder = must(read_pack(folder.path()));
  const auto file = folder.path() / "edges.pintle";
  must(write_pack(from_folder, file));
  EXPECT_EQ(must(read_pack(file)), from_folder);
}

TEST(PackFolder, RefusalsNameTheJsonPath) {
  const ScratchFolder folder;
  fill(folder);
  std::vector<std::string> lines;
  for (
      const char* const json : {
          R"json({"name": "edges", "variants": [})json",
          R"json({"name": "edges"})json",
          R"json({"name": "edges", "variants": {}})json",
          R"json({"name": "edges", "variants": []})json",
          R"json({"name": "two words", "variants": [{"format": "native", "entries": ["k()"]}]})json",
          R"json({"name": "edges", "version": 2, "variants": []})json",
          R"json({"name": "edges", "variants": [{"format": "native"}]})json",
          R"json({"name": "edges", "variants": [{"format": "native", "entries": []}]})json",
          R"json({"name": "edges", "variants": [{"format": "native", "entries": ["k()", "k(x: f33)"]}]})json",
          R"json({"name": "edges", "variants": [{"format": "native", "entries": ["k()", "k()"]}]})json",
          R"json({"name": "edges", "variants": [{"format": "native", "entries": ["k()"], "file": "edges.so"}]})json",
          R"json({"name": "edges", "variants": [{"format": "so", "entries": ["k()"]}]})json",
          R"json({"name": "edges", "variants": [{"format": "so", "entries": ["k()"], "file": 5}]})json",
          R"json({"name": "edges", "variants": [{"format": "so", "entries": ["k()"], "file": "edges.so", "arch": "x"}]})json",
          R"json({"name": "edges", "variants": [{"entries": ["k()"], "file": "edges.so"}]})json",
      }) {
    lines.push_back(text_of(pack_from_json(json, folder.path())));
  }
  test::expect_golden("errors/pack_description", joined(lines));
}

Result<Pack> pack_with_file(const ScratchFolder& folder, const std::string& file) {
  return pack_from_json(
      R"json({"name": "p", "variants": [{"format": "c", "entries": ["k()"], "file": ")json" + file + R"json("}]})json",
      folder.path() / "inner");
}

TEST(PackFolder, FilesMayNotEscape) {
  const ScratchFolder folder;
  folder.write("secret", "outside");
  folder.write("inner/code.c", "inside");
  folder.write("inner2/code.c", "beside");
  std::filesystem::create_symlink("../secret", folder.path() / "inner/link");
  std::filesystem::create_directory_symlink("..", folder.path() / "inner/up");
  EXPECT_TRUE(pack_with_file(folder, "code.c"));
  EXPECT_TRUE(pack_with_file(folder, "./code.c"));
  const std::string absolute = (folder.path() / "secret").string();
  for (const std::string& file :
       {std::string("../secret"), std::string("x/../../secret"), std::string("../inner2/code.c"), absolute,
        std::string("link"), std::string("up/secret"), std::string(), std::string("code.c\\u0000x")}) {
    const auto pack = pack_with_file(folder, file);
    ASSERT_FALSE(pack) << file;
    EXPECT_EQ(pack.error().code(), Errc::invalid_argument) << file;
    EXPECT_TRUE(pack.error().message().starts_with("JSON path $.variants[0].file holds ")) << pack.error().message();
  }
}

TEST(PackFolder, FilesMayNotEscapeFromTheFolderOfABareName) {
  const ScratchFolder folder;
  folder.write("secret.c", "outside");
  folder.write("inner/code.c", "inside");
  std::filesystem::create_symlink("../secret.c", folder.path() / "inner/link.c");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path() / "inner");
  const auto description = [&](const std::string& file) {
    const std::string member = R"json([{"entries": ["k()"], "file": ")json" + file + "\"";
    folder.write("inner/pack.json", R"json({"name": "p", "sources": )json" + member + R"json(}], "variants": )json" +
                                        member + R"json(, "format": "c"}]})json");
    return read_recipe("pack.json");
  };
  const auto fine = description("code.c");
  const auto escaped = description("link.c");
  const auto missing = description("none.c");
  std::filesystem::current_path(before);
  EXPECT_TRUE(fine) << fine.error().text();
  ASSERT_FALSE(escaped);
  EXPECT_EQ(escaped.error().code(), Errc::invalid_argument);
  EXPECT_EQ(missing.error().code(), Errc::io);
}

TEST(PackFolder, AMissingFileIsNamedWithItsPlace) {
  const ScratchFolder folder;
  folder.write("inner/code.c", "inside");
  const auto pack = pack_with_file(folder, "none.c");
  ASSERT_FALSE(pack);
  EXPECT_EQ(pack.error().code(), Errc::io);
  EXPECT_NE(pack.error().message().find("none.c"), std::string_view::npos);
  EXPECT_EQ(pack.error().context()[0], "reading $.variants[0].file of the description");
}

TEST(PackFolder, ReadingNamesTheFile) {
  const ScratchFolder folder;
  const auto file = folder.write("broken", "no pack");
  EXPECT_NE(read_pack(file).error().text().find("\n - While reading \"" + file.string() + "\""), std::string::npos);
  EXPECT_EQ(read_pack(folder.path()).error().code(), Errc::io);
  folder.write("pack.json", "{");
  EXPECT_NE(read_pack(folder.path()).error().text().find("pack.json\""), std::string::npos);
}

}  // namespace
}  // namespace pintle::io
