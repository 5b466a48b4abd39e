// A device under the validate layer, with one of everything.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "seam_support.h"

namespace pintle::layers {
std::unique_ptr<backend::Layer> create_validate_layer();
}

namespace pintle::test {

using namespace backend;
using testing::HasSubstr;

class ValidateLayer : public testing::Test {
 protected:
  void open(Scripted::Answers answers = {}) {
    if (!answers.record)
      answers.record = [this](const Commands&) -> Result<RecordingId> { return RecordingId{++last_recording_}; };
    auto inner = std::make_unique<Scripted>(std::move(answers));
    inner->editable_info().limits.max_in_flight = 4;
    device_ = must(layers::create_validate_layer()->wrap(std::move(inner), {}));
    queue_ = must(device_->create_queue({QueueKind::compute, 0, "test"}));
    a_ = must(device_->allocate(sized(256)));
    b_ = must(device_->allocate(sized(256)));
    program_ = must(device_->load({"blur", "*", {}, entries_, {}}));
  }

  [[nodiscard]] static Range range(MemoryId memory, std::uint64_t offset, std::uint64_t size) {
    return {memory, 1, offset, size};
  }
  [[nodiscard]] static Range slot(std::uint32_t index, std::uint64_t size) {
    return {MemoryId::none, 0, 0, size, index};
  }
  [[nodiscard]] Copy copy(std::uint64_t to, std::uint64_t from, std::uint64_t size) const {
    return {range(b_, to, size), range(a_, from, size)};
  }

  // The entry has (x: read f32[], y: write f32[], n: u32).
  [[nodiscard]] static Argument buffer(Access access, const Range& range) {
    return {Argument::Kind::buffer, DType::f32, access, 0, no_slot, range, {}, nullptr};
  }
  [[nodiscard]] static Argument scalar(DType dtype) {
    return {Argument::Kind::scalar, dtype, Access::read, 0, no_slot, {}, {}, nullptr};
  }
  [[nodiscard]] List launch() const {
    List list({Exec{program_, 0, 0, 3, {1, 1, 1}}});
    list.arguments = {buffer(Access::read, range(a_, 0, 64)), buffer(Access::write, range(b_, 0, 64)),
                      scalar(DType::u32)};
    return list;
  }

  void expect_breach(const Result<void>& result, std::string_view words) const {
    ASSERT_FALSE(result) << words;
    EXPECT_EQ(result.error().code(), Errc::internal) << words;
    EXPECT_THAT(result.error().text(), HasSubstr(std::string(words)));
    EXPECT_THAT(result.error().text(), HasSubstr("While checking the contract of ("));
    EXPECT_THAT(result.error().text(), HasSubstr("on [validate(scripted(null))]"));
  }
  template <class T>
  void expect_breach(const Result<T>& result, std::string_view words) const {
    expect_breach(result ? Result<void>() : Result<void>(result.error()), words);
  }
  void refuse(const List& list, std::string_view words) const {
    expect_breach(device_->submit(queue_, {}, list), words);
  }
  void refuse(Operation operation, std::string_view words) const { refuse(List({std::move(operation)}), words); }
  void accept(const List& list) const {
    const auto serial = device_->submit(queue_, {}, list);
    ASSERT_TRUE(serial) << serial.error().text();
    must(device_->wait(queue_, *serial, soon()));
  }
  // A call without an answer shows its breach in the next one.
  void expect_owed(std::string_view words) const {
    expect_breach(device_->allocate(sized(1)), words);
    EXPECT_TRUE(device_->allocate(sized(1))) << "told once";
  }

  std::uint64_t last_recording_ = 0;
  std::vector<Entry> entries_{must(Entry::parse("blur(x: read f32[], y: write f32[], n: u32) group 64"))};
  std::unique_ptr<backend::Device> device_;
  QueueId queue_{};
  MemoryId a_{}, b_{};
  ProgramId program_{};
};

}  // namespace pintle::test
