// A driver refuses memory that it is to import, as an H200's did with mappings of files: nothing fails for that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cpu_support.h"
#include "device_over.h"

namespace pintle::test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

/// What the driver of some devices does with memory that it is to import, and how often it did.
struct Imports {
  bool refuses = false;
  int taken = 0;
  int refused = 0;
};

/// A cpu device that exports and imports memory within the process, until its driver refuses.
class Choosy final : public kit::Forwarding {
 public:
  explicit Choosy(Imports& imports) : Forwarding("choosy", must(try_open_cpu({}))), imports_(imports) {
    info_.uuid = "choosy";
    for (Capability& row : info_.capabilities) {
      if (row.feature == Feature::memory_export) row.support = Support::native;
    }
  }

  Result<backend::Exported> export_memory(backend::MemoryId memory) override {
    PINTLE_ASSIGN(bytes, inner_->map(memory));
    exported() = bytes;
    inner_->unmap(memory);
    return backend::Exported{::dup(STDERR_FILENO), 0, bytes.size(), bytes.size(), 0};
  }
  Result<backend::MemoryId> import_memory(const backend::MemorySource& source) override {
    const auto* const handle = std::get_if<backend::Exported>(&source);
    ++(imports_.refuses ? imports_.refused : imports_.taken);
    if (imports_.refuses) {
      return Error(handle != nullptr ? Errc::out_of_memory : Errc::unsupported, "The driver takes nothing.")
          .with_vendor({"lib", -2, "NOTHING"});
    }
    return handle == nullptr ? inner_->import_memory(source)
                             : inner_->import_memory(exported().subspan(handle->offset, handle->size));
  }

 private:
  static std::span<std::byte>& exported() {
    static std::span<std::byte> bytes;
    return bytes;
  }

  Imports& imports_;
};

Device choosy(const char* id, Imports& imports) { return device_over(id, std::make_unique<Choosy>(imports)); }

TEST(RefusedImport, ABufferThatNobodyWritesIsACopy) {
  Imports imports{.refuses = true};
  const Device device = choosy("choosy:0", imports);
  Queue queue = must(device.create_queue());
  Words values(1000, 5);
  const Buffer buffer = must(device.import_host(std::as_const(values), {}, "weights"));
  values.assign(values.size(), 6);
  EXPECT_TRUE(buffer.is_sealed());
  EXPECT_EQ(must(read<std::uint32_t>(queue, buffer)), Words(1000, 5));
}

TEST(RefusedImport, ABufferThatIsWrittenIsRefusedWithTheDriversWords) {
  Imports imports{.refuses = true};
  const Device device = choosy("choosy:0", imports);
  Words values(1000, 5);
  const auto refused = device.import_host(values);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::unsupported);
  EXPECT_EQ(refused.error().vendor()->symbol, "NOTHING");
  EXPECT_THAT(refused.error().text(), HasSubstr("The driver takes nothing."));
}

TEST(RefusedImport, ACopyBetweenDevicesGoesThroughTheHost) {
  Imports imports;
  const Device first = choosy("choosy:0", imports), second = choosy("choosy:1", imports);
  Queue queue = must(first.create_queue()), other = must(second.create_queue());
  const Buffer to = must(first.allocate(DType::u32, {1000})), from = must(second.allocate(DType::u32, {1000}));
  const auto cross = [&](std::uint32_t value) {
    must(other.submit_and_wait(CommandList{}.fill(from, value)));
    must(queue.submit_and_wait(CommandList{}.copy(to, from)));
    EXPECT_EQ(must(read<std::uint32_t>(queue, to)), Words(1000, value));
  };
  cross(1);
  EXPECT_EQ(imports.taken, 2);  // the trial, and the buffer: the devices know that they share memory
  imports.refuses = true;
  cross(2);
  EXPECT_EQ(imports.taken, 2);
  EXPECT_EQ(imports.refused, 1);
}

}  // namespace
}  // namespace pintle::test
