#include "io/pack_recipe.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "pintle/must.h"
#include "unit/golden.h"
#include "unit/scratch_folder.h"

namespace pintle::io {
namespace {

using test::ScratchFolder;

constexpr const char* blur = "blur(in: read f32[], n: u32) group 16,16";

std::vector<Entry> entries(std::initializer_list<const char*> signatures) {
  std::vector<Entry> list;
  for (const char* const signature : signatures) list.push_back(must(Entry::parse(signature)));
  return list;
}

std::string description(std::string_view members) {
  return R"json({"name": "p", "entries": ["blur(in: read f32[], n: u32) group 16,16"], )json" + std::string(members) +
         "}";
}

std::vector<std::string> formats_of(const Pack& pack) {
  std::vector<std::string> formats;
  for (const PackVariant& variant : pack.variants) formats.push_back(variant.format);
  return formats;
}

TEST(PackRecipe, TheEndingNamesTheLanguage) {
  EXPECT_EQ(language_of("a/blur.cl"), Language::opencl_c);
  EXPECT_EQ(language_of("blur.c"), Language::c);
  EXPECT_EQ(language_of("blur.comp"), Language::glsl);
  EXPECT_EQ(language_of("blur.glsl"), Language::glsl);
  EXPECT_EQ(language_of("blur.hlsl"), Language::hlsl);
  EXPECT_EQ(language_of("blur.slang"), Language::slang);
  EXPECT_EQ(language_of("blur.wgsl"), Language::wgsl);
  EXPECT_EQ(language_of("blur.mlir"), Language::stablehlo);
  for (const char* const other : {"blur", "blur.", "blur.CL", ".cl", "blur.cl.txt", "blur.cpp", ""})
    EXPECT_EQ(language_of(other), std::nullopt) << other;
}

TEST(PackRecipe, SourcesKeepWhatTheyAreToBecome) {
  const ScratchFolder folder;
  folder.write("blur.cl", "kernel void blur() {}");
  folder.write("glsl/blur.comp", "void main() {}");
  const auto recipe = must(recipe_from_json(description(R"json("sources": [
      {"file": "blur.cl", "formats": ["so", "ptx"], "entries": ["blur(in: read f32[], n: u32)"]},
      {"file": "glsl/blur.comp"}])json"),
                                            folder.path()));
  EXPECT_TRUE(recipe.pack.variants.empty());
  ASSERT_EQ(recipe.sources.size(), 2u);
  EXPECT_EQ(recipe.sources[0], (PackSource{"blur.cl",
                                           Language::opencl_c,
                                           {"so", "ptx"},
                                           entries({"blur(in: read f32[], n: u32)"}),
                                           "kernel void blur() {}"}));
  EXPECT_EQ(recipe.sources[1], (PackSource{"blur.comp", Language::glsl, {}, entries({blur}), "void main() {}"}));
  EXPECT_TRUE(recipe.sources[0].becomes("ptx"));
  EXPECT_FALSE(recipe.sources[0].becomes("opencl_c"));
  EXPECT_TRUE(recipe.sources[1].becomes("anything"));
}

TEST(PackRecipe, WithoutCompilersAPackHasWhatDevicesTakeAsItIs) {
  const ScratchFolder folder;
  folder.write("blur.c", "void blur(void) {}");
  folder.write("blur.cl", "kernel void blur() {}");
  folder.write("blur.comp", "void main() {}");
  folder.write("blur.hlsl", "void blur() {}");
  const auto open = [&](std::string_view sources) {
    return pack_from_json(description("\"sources\": " + std::string(sources)), folder.path());
  };
  const Pack all =
      must(open(R"json([{"file": "blur.c"}, {"file": "blur.cl"}, {"file": "blur.comp"}, {"file": "blur.hlsl"}])json"));
  EXPECT_EQ(formats_of(all), (std::vector<std::string>{"c", "opencl_c", "glsl"}));
  EXPECT_EQ(base::text_in(all.variants[1].code), "kernel void blur() {}");
  EXPECT_EQ(all.variants[1].entries, entries({blur}));
  const Pack some = must(open(R"json([{"file": "blur.c"}, {"file": "blur.cl", "formats": ["so"]}])json"));
  EXPECT_EQ(formats_of(some), std::vector<std::string>{"c"});
  EXPECT_EQ(open(R"json([{"file": "blur.hlsl"}])json").error().text(), "Pack at $.variants has no variants.");
}

TEST(PackRecipe, FolderAndFileReadAlike) {
  const ScratchFolder folder;
  folder.write("blur.cl", "kernel void blur() {}");
  const auto file = folder.write("pack.json", description(R"json("sources": [{"file": "blur.cl"}])json"));
  EXPECT_EQ(must(read_recipe(folder.path())), must(read_recipe(file)));
  folder.write("pack.json", "{");
  EXPECT_NE(read_recipe(folder.path()).error().text().find("pack.json\""), std::string::npos);
  EXPECT_EQ(read_recipe(folder.path() / "none.json").error().code(), Errc::io);
}

TEST(PackRecipe, RefusalsNameTheJsonPath) {
  const ScratchFolder folder;
  folder.write("inner/blur.cl", "kernel void blur() {}");
  folder.write("secret.cl", "outside");
  std::filesystem::create_symlink("../secret.cl", folder.path() / "inner/link.cl");
  std::string lines;
  for (const char* const sources :
       {R"json({})json", R"json([])json", R"json([5])json", R"json([{}])json", R"json([{"file": 5}])json",
        R"json([{"file": "blur.txt"}])json", R"json([{"file": "../secret.cl"}])json",
        R"json([{"file": "none.cl"}])json", R"json([{"file": "blur.cl", "formats": "so"}])json",
        R"json([{"file": "blur.cl", "formats": []}])json", R"json([{"file": "blur.cl", "formats": [1]}])json",
        R"json([{"file": "blur.cl", "format": "so"}])json",
        R"json([{"file": "blur.cl", "entries": ["k(x: f33)"]}])json",
        R"json([{"file": "blur.cl"}, {"file": "blur.cl"}])json"}) {
    const auto pack = pack_from_json(description("\"sources\": " + std::string(sources)), folder.path() / "inner");
    std::string text = pack ? "accepted" : pack.error().text();
    const std::string root = folder.path().string();
    for (std::size_t at = 0; (at = text.find(root, at)) != std::string::npos;) text.replace(at, root.size(), "FOLDER");
    lines += (lines.empty() ? "" : "\n") + text;
  }
  test::expect_golden("errors/pack_sources", lines);
  const auto link = pack_from_json(description(R"json("sources": [{"file": "link.cl"}])json"), folder.path() / "inner");
  EXPECT_EQ(link.error().code(), Errc::invalid_argument);
}

TEST(PackRecipe, ASourceIsReadByItsEnding) {
  const ScratchFolder folder;
  const auto file = folder.write("blur.comp", "void main() {}");
  EXPECT_EQ(must(read_source(file)), (PackSource{"blur.comp", Language::glsl, {}, {}, "void main() {}"}));
  EXPECT_EQ(read_source(folder.path() / "none.cl").error().code(), Errc::io);
  const auto other = read_source(folder.write("blur.txt", "x"));
  EXPECT_EQ(other.error().code(), Errc::invalid_argument);
  EXPECT_NE(other.error().message().find("does not end with .c, .cl, .comp, .glsl, .hlsl, .slang, .wgsl or .mlir"),
            std::string_view::npos);
}

}  // namespace
}  // namespace pintle::io
