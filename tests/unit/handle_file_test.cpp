// Sets of handles as files: what is saved byte for byte, and what is refused with nothing written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "io/safetensors.h"
#include "pintle/native/faulty.h"
#include "pintle/pintle.h"
#include "unit/scratch_folder.h"

namespace pintle {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::uint32_t>;

class HandleFile : public testing::Test {
 protected:
  HandleFile() : device_(must(open("faulty(cpu?inline)?call=open&ordinal=1000000&code=unavailable"))) {
    queue_ = must(device_.create_queue());
  }

  void add(std::string name, const Words& words, const Shape& shape) {
    Handle handle = must(Handle::create(device_, std::move(name), DType::u32, shape, Keep::host_shadow()));
    must(handle.write(queue_, words));
    must(set_.add(std::move(handle)));
  }
  Words words_of(std::string_view name) { return must(read<std::uint32_t>(queue_, must(set_.find(name))->view())); }
  /// Tensors of u32, one dimension each.
  void write_file(const std::vector<std::pair<std::string, Words>>& tensors) {
    io::TensorSet file;
    for (const auto& [name, words] : tensors)
      file.tensors.push_back({name, DType::u32, Shape{words.size()}, std::as_bytes(std::span(words))});
    must(io::write_safetensors(file, path()));
  }
  /// The text of the error, having seen that no handle changed.
  std::string refused(Errc code, const HandleLoadOptions& options = {}) {
    std::vector<Words> before, after;
    for (const std::string& name : set_.names()) before.push_back(words_of(name));
    const auto result = set_.load(queue_, path(), options);
    for (const std::string& name : set_.names()) after.push_back(words_of(name));
    EXPECT_EQ(before, after);
    if (result) return "accepted";
    EXPECT_EQ(result.error().code(), code) << result.error().text();
    EXPECT_THAT(result.error().text(), HasSubstr("While loading"));
    return result.error().text();
  }
  void fail_next(std::string_view call, Errc code) {
    const auto control = must(device_.native<layers::FaultyControl>());
    must(control.arm(control.self, call, 1, code));
  }

  [[nodiscard]] std::filesystem::path path(std::string_view name = "state.safetensors") const {
    return folder_.path() / name;
  }
  /// The files there are.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }

  test::ScratchFolder folder_;
  Device device_;
  Queue queue_;
  HandleSet set_;
};

TEST_F(HandleFile, IsWhatSerializingTheSameTensorsGives) {
  const Words weights{1, 2, 3, 4, 5, 6}, moments{7};
  add("weights", weights, {2, 3});
  add("moments", moments, Shape{});
  must(set_.save(queue_, path()));
  io::TensorSet same;
  same.tensors.push_back({"weights", DType::u32, {2, 3}, std::as_bytes(std::span(weights))});
  same.tensors.push_back({"moments", DType::u32, Shape{}, std::as_bytes(std::span(moments))});
  EXPECT_EQ(must(base::read_file(path())), must(io::serialize_safetensors(same)));
  EXPECT_THAT(files(), ElementsAre("state.safetensors"));
}

TEST_F(HandleFile, ReplacesAnOldFileWhole) {
  add("a", {1, 2}, {2});
  folder_.write("state.safetensors", std::string(100'000, 'x'));
  must(set_.save(queue_, path()));
  must(must(set_.find("a"))->write(queue_, Words{3, 4}));
  must(set_.load(queue_, path()));
  EXPECT_EQ(words_of("a"), (Words{1, 2}));
  EXPECT_THAT(files(), ElementsAre("state.safetensors"));
}

TEST_F(HandleFile, AnEmptySetIsAFileToo) {
  must(set_.save(queue_, path()));
  EXPECT_TRUE(must(io::read_safetensors(path())).contents.tensors.empty());
  must(set_.load(queue_, path()));
  must(set_.checkpoint(queue_));
  must(set_.restore(queue_));
}

TEST_F(HandleFile, WhatCannotBeWrittenLeavesTheOldFile) {
  add("a", {1, 2}, {2});
  must(set_.save(queue_, path()));
  const auto before = must(base::read_file(path()));
  must(must(set_.find("a"))->write(queue_, Words{3, 4}));
  fail_next("submit", Errc::out_of_memory);
  EXPECT_FALSE(set_.save(queue_, path()));
  const auto nowhere = set_.save(queue_, folder_.path() / "no" / "folder");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code(), Errc::io) << nowhere.error().text();
  EXPECT_EQ(must(base::read_file(path())), before);
  EXPECT_THAT(files(), ElementsAre("state.safetensors"));
}

TEST_F(HandleFile, ABoolThatIsNoneIsNotSaved) {
  Handle flags = must(Handle::create(device_, "flags", DType::boolean, {3}, Keep::lost()));
  must(flags.write(queue_, std::vector<std::byte>{std::byte{0}, std::byte{1}, std::byte{2}}));
  must(set_.add(std::move(flags)));
  const auto saved = set_.save(queue_, path());
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code(), Errc::invalid_argument);
  EXPECT_THAT(saved.error().text(), AllOf(HasSubstr("\"flags\""), HasSubstr("index 2")));
  EXPECT_TRUE(files().empty());
}

// P2: what is missing does not silently stay what it was.
TEST_F(HandleFile, MissingTensorsAreRefusedByName) {
  add("a", {1, 2}, {2});
  add("b", {3}, {1});
  write_file({{"a", {8, 8}}});
  EXPECT_THAT(refused(Errc::not_found), AllOf(HasSubstr("Handle (\"b\")"), HasSubstr("there are: \"a\"")));
  must(set_.load(queue_, path(), {.reuse_last = {"b"}, .ignore = {}}));
  EXPECT_EQ(words_of("a"), (Words{8, 8}));
  EXPECT_EQ(words_of("b"), Words{3});
}

// What may be missing is loaded where it is there.
TEST_F(HandleFile, ReuseLastIsForTheMissingOnly) {
  add("a", {1}, {1});
  write_file({{"a", {8}}});
  must(set_.load(queue_, path(), {.reuse_last = {"a"}, .ignore = {}}));
  EXPECT_EQ(words_of("a"), Words{8});
}

// P1: unknown names are not accepted.
TEST_F(HandleFile, LeftOverTensorsAreRefusedByName) {
  add("a", {1}, {1});
  write_file({{"a", {8}}, {"extra", {9}}, {"more", {9}}});
  EXPECT_THAT(refused(Errc::not_found), AllOf(HasSubstr("(\"extra\", \"more\")"), HasSubstr("there are: \"a\"")));
  EXPECT_THAT(refused(Errc::not_found, {.reuse_last = {}, .ignore = {"more"}}),
              AllOf(HasSubstr("(\"extra\")"), Not(HasSubstr("\"more\""))));
  must(set_.load(queue_, path(), {.reuse_last = {}, .ignore = {"more", "extra"}}));
  EXPECT_EQ(words_of("a"), Words{8});
}

// P1: nor are they in the options.
TEST_F(HandleFile, ATensorOfADTypeThatPintleLacksIsIgnoredOrReused) {
  add("a", {1, 2}, {2});
  std::string header =
      R"({"a":{"dtype":"U32","shape":[2],"data_offsets":[0,8]},"scale":{"dtype":"F8_E8M0","shape":[4],"data_offsets":[8,12]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string file(base::text_in(base::little<std::uint64_t>(header.size())));
  file += header + std::string("\3\0\0\0\4\0\0\0....", 12);
  must(base::write_file(path(), base::bytes_in(file)));
  EXPECT_THAT(refused(Errc::not_found), HasSubstr("Tensor of the file (\"scale\")"));
  must(set_.load(queue_, path(), {.reuse_last = {}, .ignore = {"scale"}}));
  EXPECT_EQ(words_of("a"), (Words{3, 4}));
  add("scale", {9}, {1});
  EXPECT_THAT(refused(Errc::unsupported), AllOf(HasSubstr("\"scale\""), HasSubstr("F8_E8M0")));
  must(set_.load(queue_, path(), {.reuse_last = {"scale"}, .ignore = {}}));
  EXPECT_EQ(words_of("scale"), (Words{9}));
}

TEST_F(HandleFile, UnknownNamesInTheOptionsAreRefused) {
  add("a", {1}, {1});
  write_file({{"a", {8}}});
  EXPECT_THAT(refused(Errc::not_found, {.reuse_last = {"A"}, .ignore = {}}),
              AllOf(HasSubstr("reuse_last (\"A\")"), HasSubstr("there are: \"a\"")));
  EXPECT_THAT(refused(Errc::not_found, {.reuse_last = {}, .ignore = {"b"}}), HasSubstr("ignore (\"b\")"));
  EXPECT_THAT(refused(Errc::invalid_argument, {.reuse_last = {}, .ignore = {"a"}}), HasSubstr("ignore (\"a\")"));
}

// P3: dtype and shape are compared, not the size.
TEST_F(HandleFile, OtherShapesAndTypesAreRefusedWithBoth) {
  add("a", {1, 2}, {1, 2});
  add("b", {3}, {1});
  const Words other{8, 8};
  const auto write = [&](DType dtype, const Shape& shape) {
    io::TensorSet file;
    const auto bytes = std::as_bytes(std::span(other));
    file.tensors.push_back({"a", dtype, shape, bytes.first(*checked_bytes(dtype, shape))});
    file.tensors.push_back({"b", DType::u32, {1}, bytes.first(4)});
    must(io::write_safetensors(file, path()));
  };
  write(DType::u32, {2});
  EXPECT_THAT(refused(Errc::invalid_argument),
              AllOf(HasSubstr("(u32 [2])"), HasSubstr("(u32 [1,2])"), HasSubstr("[Handle \"a\"]")));
  write(DType::f32, {1, 2});
  EXPECT_THAT(refused(Errc::invalid_argument), AllOf(HasSubstr("(f32 [1,2])"), HasSubstr("(u32 [1,2])")));
  write(DType::u32, {1, 1});
  EXPECT_THAT(refused(Errc::invalid_argument), HasSubstr("(u32 [1,1])"));
  write(DType::u32, {1, 2});
  must(set_.load(queue_, path()));
  EXPECT_EQ(words_of("a"), other);
}

TEST_F(HandleFile, TruncatedAndForeignFilesAreRefused) {
  add("a", {1, 2, 3, 4}, {4});
  must(set_.save(queue_, path()));
  const auto whole = must(base::read_file(path()));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    must(base::write_file(path(), std::span(whole).first(size)));
    EXPECT_THAT(refused(Errc::invalid_argument), HasSubstr("state.safetensors")) << size;
  }
  folder_.write("state.safetensors", "This is a text, and no file of tensors.");
  EXPECT_THAT(refused(Errc::invalid_argument), HasSubstr("state.safetensors"));
  std::filesystem::remove(path());
  EXPECT_THAT(refused(Errc::io), HasSubstr("state.safetensors"));
}

TEST_F(HandleFile, AFailureHalfWayWritesNothing) {
  add("a", {1}, {1});
  add("b", {2}, {1});
  write_file({{"a", {8}}, {"b", {9}}});
  fail_next("submit", Errc::out_of_memory);
  const auto failed = set_.load(queue_, path());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Errc::out_of_memory) << failed.error().text();
  EXPECT_EQ(words_of("a"), Words{1});
  EXPECT_EQ(words_of("b"), Words{2});
  must(set_.load(queue_, path()));
  EXPECT_EQ(words_of("b"), Words{9});
}

// A handle whose memory does not fit leaves the others stale: nothing is half loaded.
TEST_F(HandleFile, MemoryThatDoesNotFitAfterALossLeavesAllAsTheyWere) {
  add("a", {1}, {1});
  add("b", {2}, {1});
  write_file({{"a", {8}}, {"b", {9}}});
  fail_next("submit", Errc::device_lost);
  EXPECT_FALSE(queue_.submit(CommandList{}));
  must(device_.recover());
  queue_ = must(device_.create_queue());
  const auto control = must(device_.native<layers::FaultyControl>());
  const std::uint64_t made = must(device_.native<layers::FaultyCounts>()).of("allocate");
  must(control.arm(control.self, "allocate", made + 2, Errc::out_of_memory));
  EXPECT_FALSE(set_.load(queue_, path()));
  EXPECT_TRUE(must(set_.find("a"))->is_stale());
  const auto reused = set_.load(queue_, path(), {.reuse_last = {"a"}, .ignore = {}});
  ASSERT_TRUE(reused) << reused.error().text();
  EXPECT_EQ(words_of("a"), Words{8});
}

// Bytes that went with a device cannot be used again.
TEST_F(HandleFile, AStaleHandleHasNothingToReuse) {
  add("a", {1}, {1});
  add("b", {2}, {1});
  write_file({{"a", {8}}});
  fail_next("submit", Errc::device_lost);
  EXPECT_FALSE(queue_.submit(CommandList{}));
  must(device_.recover());
  queue_ = must(device_.create_queue());
  const auto loaded = set_.load(queue_, path(), {.reuse_last = {"b"}, .ignore = {}});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), Errc::stale);
  EXPECT_THAT(loaded.error().text(), HasSubstr("[Handle \"b\"]"));
  EXPECT_TRUE(must(set_.find("a"))->is_stale());
}

// The file may go once it is mapped.
TEST_F(HandleFile, LoadingReadsTheFileThatWasThere) {
  add("a", {1, 2}, {2});
  write_file({{"a", {8, 9}}});
  Signal gate = must(Signal::create());
  must(queue_.submit(CommandList{}, {.after = {gate.at(1)}}));
  const Point loaded = must(set_.load(queue_, path()));
  write_file({{"a", {0, 0}}});
  std::filesystem::remove(path());
  EXPECT_FALSE(must(loaded.is_reached()));
  must(gate.set(1));
  must(loaded.wait());
  EXPECT_EQ(words_of("a"), (Words{8, 9}));
}

// A handle that the caller took out of the set behind its back is an error, not a crash and not a missing tensor.
TEST_F(HandleFile, AHandleMovedOutOfTheSetIsRefusedByName) {
  add("a", {1}, {1});
  add("b", {2}, {1});
  must(set_.save(queue_, path()));
  const auto expect_refused = [&](const auto& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), Errc::invalid_argument);
    EXPECT_THAT(result.error().text(), HasSubstr("Handle \"a\" of the set"));
  };
  const auto expect_all_refused = [&] {
    expect_refused(set_.save(queue_, path("other")));
    expect_refused(set_.load(queue_, path()));
    expect_refused(set_.checkpoint(queue_));
    expect_refused(set_.restore(queue_));
    expect_refused(set_.lost());
  };
  const Handle taken = std::move(*must(set_.find("a")));
  expect_all_refused();
  *must(set_.find("a")) = must(Handle::create(device_, "c", DType::u32, {1}, Keep::lost()));
  expect_all_refused();
  EXPECT_THAT(files(), ElementsAre("state.safetensors"));
  EXPECT_EQ(words_of("b"), Words{2});
}

TEST_F(HandleFile, ManyNamesAreShortenedInMessages) {
  for (int i = 10; i < 40; ++i) add("layer" + std::to_string(i), {1}, {1});
  const auto found = set_.find("layer");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text(),
              AllOf(HasSubstr("\"layer10\""), HasSubstr("\"layer25\""), HasSubstr("and 14 more")));
  EXPECT_THAT(found.error().text(), Not(HasSubstr("\"layer26\"")));
}

TEST_F(HandleFile, FoundHandlesStayWhereTheyAre) {
  add("a", {1}, {1});
  Handle* const found = must(set_.find("a"));
  for (int i = 0; i < 100; ++i) add("b" + std::to_string(i), {1}, {1});
  const HandleSet moved = std::move(set_);
  EXPECT_EQ(found->name(), "a");
  EXPECT_EQ(moved.names().size(), 101u);
  set_ = HandleSet();
}

}  // namespace
}  // namespace pintle
