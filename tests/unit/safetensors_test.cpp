// Files that data/make_safetensors.py wrote with Python and NumPy, files written by hand, and what is refused.
#include "io/safetensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "io/safetensors_dtype.h"
#include "pintle/must.h"
#include "unit/golden.h"
#include "unit/scratch_folder.h"

namespace pintle::io {
namespace {

using test::data_file;

/// A file with this header and data.
std::string file_of(std::string_view header, std::string_view data = {}) {
  std::string file(base::text_in(base::little<std::uint64_t>(header.size())));
  return file.append(header).append(data);
}

Result<TensorSet> parse(std::string_view file) { return parse_safetensors(base::bytes_in(file)); }

std::string refusal(std::string_view file, Errc code = Errc::invalid_argument) {
  const auto set = parse(file);
  if (set) return "accepted";
  EXPECT_EQ(set.error().code(), code) << set.error().text();
  return set.error().text();
}

template <class T>
std::vector<T> elements(const TensorView& tensor) {
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

template <class T>
void expect_counting(const TensorSet& set, const std::string& kind, DType dtype, const std::vector<T>& wanted) {
  const auto tensor = set.tensor("a." + kind);
  ASSERT_TRUE(tensor) << tensor.error().text();
  EXPECT_EQ(tensor->dtype, dtype) << kind;
  EXPECT_EQ(tensor->shape, Shape({2, 3})) << kind;
  EXPECT_TRUE(tensor->is_aligned()) << kind;
  EXPECT_EQ(elements<T>(*tensor), wanted) << kind;
}

template <class T>
void expect_counting(const TensorSet& set, const std::string& kind) {
  expect_counting<T>(set, kind, dtype_of<T>(), {T(0), T(1), T(2), T(3), T(4), T(5)});
}

TEST(Safetensors, ReadsEveryDType) {
  const TensorFile file = must(read_safetensors(data_file("data/every_dtype.safetensors")));
  const TensorSet& set = file.contents;
  EXPECT_EQ(set.tensors.size(), 16u);
  expect_counting<std::int8_t>(set, "I8");
  expect_counting<std::int16_t>(set, "I16");
  expect_counting<std::int32_t>(set, "I32");
  expect_counting<std::int64_t>(set, "I64");
  expect_counting<std::uint8_t>(set, "U8");
  expect_counting<std::uint16_t>(set, "U16");
  expect_counting<std::uint32_t>(set, "U32");
  expect_counting<std::uint64_t>(set, "U64");
  expect_counting<float>(set, "F32");
  expect_counting<double>(set, "F64");
  expect_counting<std::complex<float>>(set, "C64");
  expect_counting<std::uint8_t>(set, "BOOL", DType::boolean, {0, 1, 0, 1, 0, 1});
  expect_counting<std::uint16_t>(set, "F16", DType::f16, {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500});
  expect_counting<std::uint16_t>(set, "BF16", DType::bf16, {0x0000, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0});
  expect_counting<std::uint8_t>(set, "F8_E4M3", DType::f8_e4m3fn, {0x00, 0x38, 0x40, 0x44, 0x48, 0x4a});
  expect_counting<std::uint8_t>(set, "F8_E5M2", DType::f8_e5m2, {0x00, 0x3c, 0x40, 0x42, 0x44, 0x45});
}

TEST(Safetensors, ReadsMetadata) {
  const TensorFile file = must(read_safetensors(data_file("data/every_dtype.safetensors")));
  EXPECT_EQ(file.contents.metadata, (std::map<std::string, std::string>{{"format", "np"}}));
}

TEST(Safetensors, ReadsEveryShapeAndName) {
  const TensorFile file = must(read_safetensors(data_file("data/shapes.safetensors")));
  std::vector<std::pair<std::string, Shape>> found;
  for (const TensorView& tensor : file.contents.tensors) found.emplace_back(tensor.name, tensor.shape);
  EXPECT_EQ(found, (std::vector<std::pair<std::string, Shape>>{{"b.eight", Shape{1, 2, 1, 2, 1, 2, 1, 2}},
                                                               {"a.scalar", Shape{}},
                                                               {"b.empty", Shape{0, 3}},
                                                               {"c.\"\xc3\xa9\n", Shape{5}}}));
  EXPECT_TRUE(file.contents.metadata.empty());
}

TEST(Safetensors, TensorsAreViewsOfTheMapping) {
  TensorFile first = must(read_safetensors(data_file("data/every_dtype.safetensors")));
  const std::byte* const start = first.file.bytes().data();
  const TensorFile second(std::move(first));
  for (const TensorView& tensor : second.contents.tensors) {
    EXPECT_GE(tensor.bytes.data(), start);
    EXPECT_LE(tensor.bytes.data() + tensor.bytes.size(), start + second.file.bytes().size());
  }
}

TEST(Safetensors, TheOrderOfTheKeysIsFree) {
  for (
      const char* const header : {
          R"({"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
          R"({"z":{"shape":[1],"data_offsets":[0,1],"dtype":"U8"},"b":{"dtype":"U8","data_offsets":[1,3],"shape":[2]}}   )",
          "{ \"z\" : {\"shape\":[1],\n\"data_offsets\":[0,1],\"dtype\":\"U8\"},\"b\":"
          "{\"dtype\":\"U8\",\"data_offsets\":[1,3],\"shape\":[2]},\"__metadata__\":{}}\n",
      }) {
    const std::string file = file_of(header, "xyz");
    const auto set = parse(file);
    ASSERT_TRUE(set) << set.error().text();
    EXPECT_EQ(base::text_in(must(set->tensor("b")).bytes), "yz");
    EXPECT_EQ(set->tensors.back().name, "b");
  }
}

TEST(Safetensors, EmptyTensorsMayLieAnywhereBetweenOthers) {
  const std::string file = file_of(
      R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},)"
      R"("c":{"dtype":"F32","shape":[7,0],"data_offsets":[1,1]}})",
      "x");
  const TensorSet set = must(parse(file));
  EXPECT_EQ(set.tensors[0].name, "b");
  EXPECT_EQ(must(set.tensor("c")).shape, Shape({7, 0}));
}

TEST(Safetensors, TellsWhichTensorsAreNotAligned) {
  alignas(8) char file[128] = {};
  const std::string text = file_of(
      R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"I16","shape":[1],"data_offsets":[1,3]}}  )",
      "xyz");
  ASSERT_LE(text.size(), sizeof file);
  ASSERT_EQ((text.size() - 3) % 2, 0u);
  std::ranges::copy(text, file);
  const TensorSet set = must(parse({file, text.size()}));
  EXPECT_TRUE(must(set.tensor("a")).is_aligned());
  EXPECT_FALSE(must(set.tensor("b")).is_aligned());
}

TEST(Safetensors, AMissingTensorIsNamed) {
  const TensorSet set = must(parse(file_of("{}")));
  const auto tensor = set.tensor("layer.0");
  ASSERT_FALSE(tensor);
  EXPECT_EQ(tensor.error().code(), Errc::not_found);
  EXPECT_EQ(tensor.error().message(), "No tensor is called \"layer.0\"; there are 0.");
}

TEST(Safetensors, RefusalsOfTheStartNameTheOffset) {
  using namespace std::string_view_literals;
  std::string all;
  for (const std::string& file : {
           std::string(),
           std::string("1234567"),
           std::string("\x02\0\0\0\0\0\0\0{"sv),
           std::string("\x01\xe1\xf5\x05\0\0\0\0"sv),
           std::string("\x00\xe1\xf5\x05\0\0\0\0"sv),
           std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}"sv),
           file_of(""),
           file_of(" {}"),
           file_of("[]"),
           std::string("\x93NUMPY\x01\x00"sv),
       }) {
    all += (all.empty() ? "" : "\n") + refusal(file);
  }
  test::expect_golden("errors/safetensors_start", all);
}

TEST(Safetensors, RefusalsOfTheHeaderNameTheKey) {
  using namespace std::string_view_literals;
  std::string all;
  for (
      const std::string_view header : {
          "{"sv,
          "{} x"sv,
          "{}\0"sv,
          "{\"\xff\":1}"sv,
          R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})"sv,
          R"({"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})"sv,
          R"({"__metadata__":{},"__metadata__":{}})"sv,
          R"({"__metadata__":{"a":"b","a":"c"}})"sv,
          R"({"__metadata__":[]})"sv,
          R"({"__metadata__":{"layers":32}})"sv,
          R"({"a":1})"sv,
          R"({"a":{}})"sv,
          R"({"a":{"dtype":"U8","shape":[0]}})"sv,
          R"({"a":{"dtype":"U8","data_offsets":[0,0]}})"sv,
          R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"scale":1}})"sv,
          R"({"a":{"dtype":8,"shape":[0],"data_offsets":[0,0]}})"sv,
          R"({"a":{"dtype":"f32","shape":[0],"data_offsets":[0,0]}})"sv,
          R"({"a":{"dtype":"","shape":[0],"data_offsets":[0,0]}})"sv,
          R"({"layer.0":{"dtype":"U8","shape":0,"data_offsets":[0,0]}})"sv,
          R"({"layer.0":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}})"sv,
          R"({"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,0]}})"sv,
          R"({"a":{"dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,0]}})"sv,
          R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0]}})"sv,
          R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0,0]}})"sv,
          R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,"0"]}})"sv,
          R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[1,0]}})"sv,
          R"([[[[[[[[[[[[[[[[[)"sv,
          R"({"a":[[[[[[[[[[[[[[[[[)"sv,
      }) {
    all += (all.empty() ? "" : "\n") + refusal(file_of(header));
  }
  test::expect_golden("errors/safetensors_header", all);
}

TEST(Safetensors, RefusalsOfThePlacesNameTheTensor) {
  std::string all;
  const auto one = [](const char* name, const char* dtype, const char* shape, const char* offsets) {
    return std::string("\"") + name + R"(":{"dtype":")" + dtype + R"(","shape":[)" + shape + R"(],"data_offsets":[)" +
           offsets + "]}";
  };
  for (const auto& [header, data] : std::vector<std::pair<std::string, std::string>>{
           {"{" + one("a", "F32", "2", "0,7") + "}", "1234567"},
           {"{" + one("a", "F32", "2", "0,9") + "}", "123456789"},
           {"{" + one("a", "F32", "", "0,0") + "}", ""},
           {"{" + one("a", "F64", "4294967296,536870912", "0,0") + "}", ""},
           {"{" + one("a", "U8", "18446744073709551615,2", "0,18446744073709551615") + "}", ""},
           {"{" + one("a", "U8", "4", "0,4") + "}", "123"},
           {"{" + one("a", "U8", "18446744073709551615", "0,18446744073709551615") + "}", "123"},
           {"{" + one("a", "U8", "2", "1,3") + "}", "123"},
           {"{" + one("a", "U8", "1", "0,1") + "," + one("b", "U8", "1", "2,3") + "}", "123"},
           {"{" + one("a", "U8", "2", "0,2") + "," + one("b", "U8", "2", "1,3") + "}", "123"},
           {"{" + one("a", "U8", "3", "0,3") + "," + one("b", "U8", "3", "0,3") + "}", "123"},
           {"{" + one("a", "U8", "3", "0,3") + "," + one("b", "U8", "0", "1,1") + "}", "123"},
           {"{" + one("a", "U8", "2", "0,2") + "}", "123"},
           {"{}", "1"},
           {"{" + one("a", "U8", "1", "0,1") + "," + one("b", "BOOL", "3", "1,4") + "}", "x\x01\x01\x02"},
       }) {
    all += (all.empty() ? "" : "\n") + refusal(file_of(header, data));
  }
  test::expect_golden("errors/safetensors_places", all);
}

TEST(Safetensors, WhatPintleHasNotIsUnsupportedByName) {
  test::expect_golden("errors/safetensors_unsupported",
                      refusal(file_of(R"({"w":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}})", "x"),
                              Errc::unsupported));
}

TEST(Safetensors, ATensorOfADTypeThatOnlyTheFormatHasIsLeftOut) {
  for (const auto& [dtype, count] : {std::pair<std::string, int>{"F4", 16},
                                     {"F6_E2M3", 4},
                                     {"F6_E3M2", 12},
                                     {"F8_E8M0", 8},
                                     {"F8_E4M3FNUZ", 3},
                                     {"F8_E5M2FNUZ", 0}}) {
    const int bits = dtype[1] - '0', size = count * bits / 8;
    const std::string header = R"({"w":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"scale":{"dtype":")" + dtype +
                               R"(","shape":[)" + std::to_string(count) + R"(],"data_offsets":[2,)" +
                               std::to_string(2 + size) + R"(]}})";
    const std::string file = file_of(header, "xy" + std::string(static_cast<std::size_t>(size), 'z'));
    const auto set = parse(file);
    ASSERT_TRUE(set) << dtype << ": " << set.error().text();
    ASSERT_EQ(set->tensors.size(), 1u);
    EXPECT_EQ(base::text_in(must(set->tensor("w")).bytes), "xy");
    ASSERT_EQ(set->left_out.size(), 1u);
    EXPECT_EQ(set->left_out[0].dtype, dtype);
    const auto refused = set->tensor("scale");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::unsupported);
    EXPECT_EQ(refused.error().text(), "Tensor \"scale\" has the dtype " + dtype +
                                          ", which Pintle does not have: the file is read without this tensor.");
  }
}

TEST(Safetensors, ATensorThatIsLeftOutHasItsPlaceAllTheSame) {
  const auto of = [](const std::string& shape, const std::string& offsets, std::string_view data) {
    return refusal(
        file_of(R"({"w":{"dtype":"F4","shape":[)" + shape + R"(],"data_offsets":[)" + offsets + "]}}", data));
  };
  EXPECT_EQ(of("4", "0,2", "xx"), "accepted");
  EXPECT_NE(of("4", "0,3", "xxx").find("takes 2."), std::string::npos);
  EXPECT_NE(of("3", "0,2", "xx").find("takes no whole number."), std::string::npos);
  EXPECT_NE(of("4", "1,3", "xxx").find("leaves a hole before it"), std::string::npos);
  EXPECT_NE(of("4", "0,2", "x").find("behind the end"), std::string::npos);
}

TEST(Safetensors, AFileOfAnotherFormatIsCalledByItsName) {
  const auto holds = [](std::string_view file, std::string_view words) {
    EXPECT_EQ(refusal(file), "Offset 0 of the safetensors file holds " + std::string(words) +
                                 " where the header's length (8 bytes) is expected.");
  };
  holds(std::string_view("PK\x03\x04\x14\0\0\0\x08\0\0\0", 12), "a zip archive (as .npz files and PyTorch's are)");
  holds(std::string_view("\x80\x04\x95\x10\0\0\0\0\0\0\0}", 12), "a Python pickle (which only Python reads)");
  holds("\n<!DOCTYPE html><html>", "an HTML page (as a failed download leaves it)");
  holds("version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS (in the place of the file)");
  holds("\x93NUMPY\x01\x02{'descr'", "a .npy file");
  EXPECT_NE(refusal("no format at all").find("holds the header's length"), std::string::npos);
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string whole(base::text_in(must(base::read_file(data_file("data/every_dtype.safetensors")))));
  ASSERT_TRUE(parse(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse(std::string_view(whole).substr(0, size))) << size;
}

TEST(Safetensors, WritesTheBytesThatOthersWrite) {
  for (const char* const name : {"every_dtype", "shapes", "nothing"}) {
    const auto theirs = must(base::read_file(data_file("data") / (std::string(name) + ".safetensors")));
    TensorSet set = must(parse_safetensors(theirs));
    EXPECT_EQ(must(serialize_safetensors(set)), theirs) << name;
    std::ranges::reverse(set.tensors);
    EXPECT_EQ(must(serialize_safetensors(set)), theirs) << name << " in another order";
  }
}

TEST(Safetensors, EveryDTypeHasAName) {
  for (unsigned number = 1; number <= 16; ++number) {
    const auto dtype = static_cast<DType>(number);
    EXPECT_EQ(must(parse_safetensors_dtype(safetensors_name(dtype))), dtype) << name(dtype);
  }
}

TEST(Safetensors, WrittenTensorsAreAligned) {
  const std::vector<std::byte> bytes(64);
  TensorSet set;
  for (unsigned number = 1; number <= 16; ++number) {
    const auto dtype = static_cast<DType>(number);
    set.tensors.push_back({std::string(name(dtype)), dtype, Shape{3}, std::span(bytes).first(3 * bytes_of(dtype))});
  }
  const test::ScratchFolder folder;
  must(write_safetensors(set, folder.path() / "x.safetensors"));
  const TensorFile file = must(read_safetensors(folder.path() / "x.safetensors"));
  ASSERT_EQ(file.contents.tensors.size(), 16u);
  for (const TensorView& tensor : file.contents.tensors) EXPECT_TRUE(tensor.is_aligned()) << tensor.name;
}

TEST(Safetensors, AFileIsReplacedByItsOwnTensors) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "state.safetensors";
  std::filesystem::copy_file(data_file("data/every_dtype.safetensors"), path);
  TensorFile before = must(read_safetensors(path));
  std::erase_if(before.contents.tensors, [](const TensorView& tensor) { return tensor.name != "a.F32"; });
  before.contents.metadata = {{"step", "7"}, {"by", "\"pintle\"\n"}};
  must(write_safetensors(before.contents, path));
  const TensorFile after = must(read_safetensors(path));
  ASSERT_EQ(after.contents.tensors.size(), 1u);
  EXPECT_EQ(elements<float>(after.contents.tensors[0]), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(after.contents.metadata, before.contents.metadata);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()),
            1);
}

std::string refusal_of(const TensorSet& set) {
  const auto file = serialize_safetensors(set);
  if (file) return "written";
  EXPECT_EQ(file.error().code(), Errc::invalid_argument);
  return file.error().text();
}

TEST(Safetensors, WhatCannotBeWrittenIsNamed) {
  const std::vector<std::byte> data(8, std::byte{1});
  const std::vector<std::byte> two(1, std::byte{2});
  const std::span<const std::byte> bytes(data);
  const Shape nine(std::vector<std::uint64_t>(9, 1));
  std::string all;
  for (const TensorSet& set : std::vector<TensorSet>{
           {{{"__metadata__", DType::u8, {8}, bytes}}, {}},
           {{{"a", DType::f32, {3}, bytes}}, {}},
           {{{"a", DType::f32, {1ull << 62, 4}, bytes}}, {}},
           {{{"a", DType::u8, nine, bytes.first(1)}}, {}},
           {{{"a", static_cast<DType>(99), {8}, bytes}}, {}},
           {{{"a", DType::u8, {8}, bytes}, {"b", DType::f32, {2}, bytes}, {"a", DType::f64, {1}, bytes}}, {}},
           {{{"\xff", DType::u8, {8}, bytes}}, {}},
           {{{"mask", DType::boolean, {1}, two}}, {}},
           {{}, {{"words", "\xc3("}}},
           {{}, {{"\x80", "words"}}},
       }) {
    all += (all.empty() ? "" : "\n") + refusal_of(set);
  }
  test::expect_golden("errors/safetensors_write", all);
}

TEST(Safetensors, ARefusedSetWritesNothing) {
  const test::ScratchFolder folder;
  const auto path = folder.write("state.safetensors", "before");
  EXPECT_FALSE(write_safetensors({{{"a", DType::f32, {3}, {}}}, {}}, path));
  EXPECT_EQ(base::text_in(must(base::read_file(path))), "before");
  EXPECT_EQ(write_safetensors({}, folder.path() / "absent/x").error().code(), Errc::io);
}

TEST(Safetensors, AHeaderOverTheLimitIsRefused) {
  const TensorSet set{{}, {{"words", std::string(max_safetensors_header, 'x')}}};
  EXPECT_NE(refusal_of(set).find("more than the limit (100000000)"), std::string::npos);
}

TEST(Safetensors, ReadingNamesTheFile) {
  const test::ScratchFolder folder;
  const auto path = folder.write("bad.safetensors", "nothing, really");
  const auto file = read_safetensors(path);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().text().find("\n - While reading \"" + path.string() + "\""), std::string::npos);
  EXPECT_EQ(read_safetensors(folder.path() / "none").error().code(), Errc::io);
}

}  // namespace
}  // namespace pintle::io
