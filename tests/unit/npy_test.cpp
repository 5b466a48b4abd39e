// Files that NumPy wrote (data/make_npy.py), files written by hand, and what is refused.
#include "io/npy.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "pintle/must.h"
#include "unit/golden.h"
#include "unit/scratch_folder.h"

namespace pintle::io {
namespace {

using test::data_file;

/// A version 1.0 file with this dictionary and data.
std::string file_of(std::string_view dict, std::string_view data = {}) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += base::text_in(base::little(static_cast<std::uint16_t>(dict.size())));
  return file.append(dict).append(data);
}

Result<Array> parse(std::string_view file) { return parse_npy(base::bytes_in(file)); }

std::string refusal(std::string_view file) {
  const auto array = parse(file);
  if (array) return "accepted";
  EXPECT_EQ(array.error().code(), Errc::invalid_argument);
  return array.error().text();
}

template <class T>
std::vector<T> elements(const Array& array) {
  std::vector<T> values(array.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

/// NumPy's files count up from 0 in C order.
template <class T>
void expect_counting(std::string_view name, DType dtype, const Shape& shape) {
  const auto array = read_npy(data_file("data") / (std::string(name) + ".npy"));
  ASSERT_TRUE(array) << array.error().text();
  EXPECT_EQ(array->dtype, dtype) << name;
  EXPECT_EQ(array->shape, shape) << name;
  std::vector<T> wanted(*shape.count());
  for (std::int8_t next = 0; T & element : wanted) element = static_cast<T>(next++);
  EXPECT_EQ(elements<T>(*array), wanted) << name;
}

template <class T>
void expect_both_orders(const std::string& kind, DType dtype) {
  expect_counting<T>("little_" + kind, dtype, {2, 3});
  expect_counting<T>("big_" + kind, dtype, {2, 3});
}

TEST(Npy, ReadsEveryDTypeInBothByteOrders) {
  expect_both_orders<std::int8_t>("i1", DType::i8);
  expect_both_orders<std::int16_t>("i2", DType::i16);
  expect_both_orders<std::int32_t>("i4", DType::i32);
  expect_both_orders<std::int64_t>("i8", DType::i64);
  expect_both_orders<std::uint8_t>("u1", DType::u8);
  expect_both_orders<std::uint16_t>("u2", DType::u16);
  expect_both_orders<std::uint32_t>("u4", DType::u32);
  expect_both_orders<std::uint64_t>("u8", DType::u64);
  expect_both_orders<float>("f4", DType::f32);
  expect_both_orders<double>("f8", DType::f64);
  expect_both_orders<std::complex<float>>("c8", DType::complex64);
}

TEST(Npy, ReadsHalfFloats) {
  const std::vector<std::uint16_t> wanted{0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500};  // 0 to 5
  for (const char* const name : {"data/little_f2.npy", "data/big_f2.npy"}) {
    const Array array = must(read_npy(data_file(name)));
    EXPECT_EQ(array.dtype, DType::f16);
    EXPECT_EQ(elements<std::uint16_t>(array), wanted);
  }
}

TEST(Npy, ReadsBools) {
  const Array array = must(read_npy(data_file("data/bool.npy")));
  EXPECT_EQ(array.dtype, DType::boolean);
  EXPECT_EQ(elements<std::uint8_t>(array), (std::vector<std::uint8_t>{0, 1, 0, 1, 0, 1}));
}

TEST(Npy, ReadsEveryShape) {
  expect_counting<double>("scalar_f8", DType::f64, {});
  expect_counting<std::int32_t>("vector_i4", DType::i32, {5});
  expect_counting<float>("empty_f4", DType::f32, {0, 3});
  expect_counting<std::uint8_t>("eight_dims_u1", DType::u8, {1, 2, 1, 2, 1, 2, 1, 2});
}

TEST(Npy, BringsFortranOrderIntoCOrder) {
  expect_counting<float>("fortran_f4", DType::f32, {2, 3, 4});
  expect_counting<std::complex<float>>("fortran_big_c8", DType::complex64, {3, 2});
  const Array empty = must(parse(file_of("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 0)}")));
  EXPECT_EQ(empty.shape, Shape({3, 0}));
  EXPECT_TRUE(empty.bytes.empty());
}

TEST(Npy, ReadsVersionsTwoAndThree) {
  expect_counting<float>("version2_f4", DType::f32, {2, 3});
  expect_counting<float>("version3_f4", DType::f32, {2, 3});
}

TEST(Npy, ReadsWhatOtherWritersWrite) {
  for (const char* const dict : {
           "{'descr':'<i2','fortran_order':False,'shape':(2,)}\n",
           "{\"shape\": (2L,), \"fortran_order\": False, \"descr\": \"<i2\",}",
           " { 'fortran_order' : False , 'descr' : '=i2' , 'shape' : ( 2 , ) , } \n",
           "{'descr': '|i2', 'fortran_order': True, 'shape': (2,)}",
       }) {
    const auto array = parse(file_of(dict, std::string_view("\x01\x00\x02\x00", 4)));
    ASSERT_TRUE(array) << array.error().text();
    EXPECT_EQ(elements<std::int16_t>(*array), (std::vector<std::int16_t>{1, 2}));
  }
}

TEST(Npy, RefusesWhatHasNoDType) {
  std::string all;
  for (const char* const name : {"complex128", "nine_dims_u1", "record", "text"}) {
    const auto array = read_npy(data_file("data") / (std::string(name) + ".npy"));
    ASSERT_FALSE(array) << name;
    EXPECT_EQ(array.error().code(), Errc::invalid_argument);
    all += (all.empty() ? "" : "\n") + std::string(array.error().message());
  }
  test::expect_golden("errors/npy_no_dtype", all);
}

TEST(Npy, RefusalsOfTheStartNameTheOffset) {
  using namespace std::string_view_literals;
  std::string all;
  for (const std::string_view file : {
           ""sv,
           "\x93NUM"sv,
           "PK\x03\x04 is a zip"sv,
           "\x93NUMPY"sv,
           "\x93NUMPY\x01"sv,
           "\x93NUMPY\x04\x00\x00\x00"sv,
           "\x93NUMPY\x01\x01\x00\x00"sv,
           "\x93NUMPY\x01\x00\x05"sv,
           "\x93NUMPY\x02\x00\x05\x00\x00"sv,
           "\x93NUMPY\x01\x00\x09\x00{'descr'"sv,
           "\x93NUMPY\x03\x00\xff\xff\xff\xff{"sv,
       }) {
    all += (all.empty() ? "" : "\n") + refusal(file);
  }
  test::expect_golden("errors/npy_start", all);
}

TEST(Npy, AFileOfAnotherFormatIsCalledByItsName) {
  EXPECT_EQ(refusal(std::string_view("PK\x03\x04\x14\0", 6)),
            "Offset 0 of the .npy file holds a zip archive (as .npz files and PyTorch's are) where \"\\x93NUMPY\" is "
            "expected.");
  EXPECT_NE(refusal("<html><body>Not Found").find("holds an HTML page"), std::string::npos);
  EXPECT_NE(refusal(std::string_view("\x10\0\0\0\0\0\0\0{}              ", 24)).find("holds a safetensors file"),
            std::string::npos);
}

TEST(Npy, RefusalsOfTheHeaderNameTheOffset) {
  std::string all;
  for (const char* const dict : {
           "",
           "[]",
           "{}",
           "{'descr': '<f4'}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}",
           "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
           "{descr: '<f4'}",
           "{'descr' '<f4'}",
           "{'descr': '<f4}",
           "{'descr': 'f4'}",
           "{'descr': ''}",
           "{'descr': '<q9'}",
           "{'descr': '<f4', 'fortran_order': 0}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2,",
       }) {
    all += (all.empty() ? "" : "\n") + refusal(file_of(dict));
  }
  test::expect_golden("errors/npy_header", all);
}

TEST(Npy, RefusalsOfTheSizeNameTheOffset) {
  std::string all;
  for (const auto& [dict, data] : std::vector<std::pair<std::string, std::string>>{
           {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234567"},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "123456789"},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", ""},
           {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 7)}", "1"},
           {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 536870912)}", ""},
           {"{'descr': '<f8', 'fortran_order': True, 'shape': (1152921504606846976,)}", "12345678"},
           {"{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", "\x01\x01\x02"},
       }) {
    all += (all.empty() ? "" : "\n") + refusal(file_of(dict, data));
  }
  test::expect_golden("errors/npy_size", all);
}

TEST(Npy, EveryTruncationIsRefused) {
  const std::string whole(base::text_in(must(base::read_file(data_file("data/fortran_f4.npy")))));
  ASSERT_TRUE(parse(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse(std::string_view(whole).substr(0, size))) << size;
}

TEST(Npy, ReadsItsOwnFiles) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "array.npy";
  const Array array{DType::i16, {2}, std::vector<std::byte>(4, std::byte{3})};
  must(write_npy(array, path));
  EXPECT_EQ(must(read_npy(path)), array);
}

TEST(Npy, WritesWhatItReads) {
  for (const DType dtype :
       {DType::boolean, DType::i8, DType::i16, DType::i32, DType::i64, DType::u8, DType::u16, DType::u32, DType::u64,
        DType::f16, DType::bf16, DType::f32, DType::f64, DType::f8_e4m3fn, DType::f8_e5m2, DType::complex64}) {
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{0}, Shape{1, 2, 1, 2, 1, 2, 1, 3}}) {
      Array array{dtype, shape, std::vector<std::byte>(*checked_bytes(dtype, shape))};
      for (std::size_t index = 0; index < array.bytes.size(); ++index) {
        array.bytes[index] = static_cast<std::byte>(dtype == DType::boolean ? index % 2 : index % 251);
      }
      EXPECT_EQ(must(parse_npy(must(serialize_npy(array)))), array) << name(dtype) << shape.text();
    }
  }
}

TEST(Npy, WritesTheBytesThatNumpyWrites) {
  for (const char* const name : {"data/little_f4.npy", "data/little_u1.npy", "data/bool.npy", "data/scalar_f8.npy",
                                 "data/vector_i4.npy", "data/empty_f4.npy", "data/little_c8.npy"}) {
    const auto numpys = must(base::read_file(data_file(name)));
    EXPECT_EQ(must(serialize_npy(must(parse_npy(numpys)))), numpys) << name;
  }
}

TEST(Npy, TheLargestHeaderFits) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const Array array{DType::complex64, Shape{most, most, most, most, most, most, most, 0}, {}};
  EXPECT_EQ(must(parse_npy(must(serialize_npy(array)))), array);
}

TEST(Npy, DTypesThatNumpyHasNotAreRecordsOfOneField) {
  for (const auto& [kind, dtype] : std::vector<std::pair<std::string, DType>>{
           {"bfloat16", DType::bf16}, {"float8_e4m3fn", DType::f8_e4m3fn}, {"float8_e5m2", DType::f8_e5m2}}) {
    const auto numpys = must(base::read_file(data_file("data") / (kind + ".npy")));
    const Array array = must(parse_npy(numpys));
    EXPECT_EQ(array.dtype, dtype);
    EXPECT_EQ(array.shape, Shape({2, 3}));
    EXPECT_EQ(must(serialize_npy(array)), numpys) << kind;
  }
  const std::vector<std::uint16_t> wanted{0x0000, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0};
  EXPECT_EQ(elements<std::uint16_t>(must(read_npy(data_file("data/bfloat16.npy")))), wanted);
  EXPECT_EQ(elements<std::uint16_t>(must(read_npy(data_file("data/big_bfloat16.npy")))), wanted);
}

TEST(Npy, OtherRecordsAreRefused) {
  std::string all;
  for (const char* const descr :
       {"[]", "[('bfloat16')]", "[('bfloat16', '<u4')]", "[('bfloat16', '')]", "[('bfloat16' '<u2')]",
        "[('float16', '<u2')]", "[('bfloat16', '<u2'), ('b', '<u2')]", "[('bfloat16', '<u2', (2,))]",
        "[('bfloat16', '<u2')", "[('bfloat16', '<u2'", "['bfloat16']", "'<V2'", "'|V1'", "'<f1'"}) {
    all += (all.empty() ? "" : "\n") +
           refusal(file_of(std::string("{'descr': ") + descr + ", 'fortran_order': False, 'shape': (1,)}", "ab"));
  }
  test::expect_golden("errors/npy_record", all);
}

TEST(Npy, AnUnknownDTypeIsNotWritten) {
  const auto file = serialize_npy({static_cast<DType>(99), Shape{0}, {}});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message(), "DType (99) of a .npy file is unknown.");
}

TEST(Npy, AMappedArrayIsAViewOfItsFile) {
  MappedArray first = must(map_npy(data_file("data/little_f4.npy")));
  const std::byte* const start = first.file.bytes().data();
  const MappedArray second(std::move(first));
  EXPECT_EQ(second.array.dtype, DType::f32);
  EXPECT_EQ(second.array.shape, Shape({2, 3}));
  EXPECT_EQ(second.array.bytes.data(), start + second.file.bytes().size() - 24);
  const Array copy{second.array.dtype, second.array.shape, {second.array.bytes.begin(), second.array.bytes.end()}};
  EXPECT_EQ(copy, must(read_npy(data_file("data/little_f4.npy"))));
}

TEST(Npy, ViewsEveryFileThatNeedsNoChange) {
  for (const char* const name : {"version2_f4", "version3_f4", "scalar_f8", "empty_f4", "bool", "little_c8", "big_u1",
                                 "bfloat16", "float8_e5m2", "eight_dims_u1"}) {
    const auto path = data_file("data") / (std::string(name) + ".npy");
    const auto mapped = map_npy(path);
    ASSERT_TRUE(mapped) << mapped.error().text();
    const Array array = must(read_npy(path));
    EXPECT_EQ(mapped->array.shape, array.shape);
    EXPECT_EQ((std::vector(mapped->array.bytes.begin(), mapped->array.bytes.end())), array.bytes) << name;
  }
  const std::string line = file_of("{'descr': '<i2', 'fortran_order': True, 'shape': (2,)}", "1234");
  EXPECT_TRUE(view_npy(base::bytes_in(line)));
}

TEST(Npy, AViewCannotChangeOrderOrEndian) {
  for (const auto& [name, words] :
       std::vector<std::pair<std::string, std::string>>{{"fortran_f4", "Fortran order"},
                                                        {"big_f4", "big-endian elements"},
                                                        {"big_bfloat16", "big-endian elements"}}) {
    const auto path = data_file("data") / (name + ".npy");
    const auto mapped = map_npy(path);
    ASSERT_FALSE(mapped) << name;
    EXPECT_EQ(mapped.error().code(), Errc::unsupported);
    EXPECT_EQ(mapped.error().message(), "Array in the .npy file has " + words + ", which only a copy can change.");
    EXPECT_NE(mapped.error().text().find("\n - While reading \"" + path.string() + "\""), std::string::npos);
  }
}

TEST(Npy, AFileIsReplacedByItsOwnView) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "array.npy";
  std::filesystem::copy_file(data_file("data/vector_i4.npy"), path);
  const MappedArray mapped = must(map_npy(path));
  must(write_npy(ArrayView{DType::i32, Shape{2}, mapped.array.bytes.last(8)}, path));
  EXPECT_EQ(elements<std::int32_t>(must(read_npy(path))), (std::vector<std::int32_t>{3, 4}));
  EXPECT_FALSE(write_npy(ArrayView{DType::i32, Shape{3}, mapped.array.bytes.last(8)}, path));
  EXPECT_EQ(must(read_npy(path)).shape, Shape{2});
}

TEST(Npy, AnArrayWhoseBytesDoNotFitItsShapeIsRefused) {
  const auto file = serialize_npy({DType::f32, Shape{2, 3}, std::vector<std::byte>(20)});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code(), Errc::invalid_argument);
  EXPECT_EQ(file.error().message(), "Size (20) of an array's bytes is not what its shape [2,3] of f32 takes (24).");
  EXPECT_FALSE(serialize_npy({DType::u8, Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}, std::vector<std::byte>(1)}));
}

TEST(Npy, ReadingNamesTheFile) {
  const test::ScratchFolder folder;
  const auto path = folder.write("bad.npy", "nothing");
  const auto array = read_npy(path);
  ASSERT_FALSE(array);
  EXPECT_NE(array.error().text().find("\n - While reading \"" + path.string() + "\""), std::string::npos);
  EXPECT_EQ(read_npy(folder.path() / "none.npy").error().code(), Errc::io);
}

}  // namespace
}  // namespace pintle::io
