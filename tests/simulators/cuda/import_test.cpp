// Memory of the host that the device uses in place: the driver is told of its pages, and takes them back when no kernel
// runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pages.h"
#include "pintle/device.h"
#include "pintle/must.h"
#include "pintle/queue.h"
#include "rig.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

/// Adds to each word of the pages, on the device.
void add(Rig& rig, backend::MemoryId imported, const Pages& pages, std::uint32_t value) {
  const auto count = static_cast<std::uint32_t>(pages.words().size());
  List list;
  rig.launch(
      list, Entries::add,
      {buffer_argument(range_of(imported, 0, pages.bytes().size())), scalar_argument(value), scalar_argument(count)},
      count / 64);
  rig.run(list);
}

TEST(CudaImport, KernelsAndTheHostHaveTheSameBytes) {
  Rig rig;
  const Pages pages(4, 5);
  const auto imported = must(rig.device->import_memory(pages.bytes()));
  EXPECT_EQ(must(rig.device->map(imported)).data(), pages.bytes().data());
  add(rig, imported, pages, 2);
  EXPECT_THAT(pages.words(), Each(7u));
  pages.words()[1] = 100;
  EXPECT_EQ(rig.read(imported, 8)[4], std::byte{100});
  rig.device->release(imported);
}

TEST(CudaImport, ItsReleaseWaitsForNobodysKernel) {
  Rig rig;
  const Pages pages(1);
  const auto imported = must(rig.device->import_memory(pages.bytes()));
  volatile std::uint32_t* const gate = rig.hold();
  rig.device->release(imported);  // the driver keeps its caller until the gate is opened
  rig.let_go(gate);
}

TEST(CudaImport, ComesBehindTheReleaseOfTheSamePages) {
  Rig rig;
  const Pages pages(1, 1);
  const auto first = must(rig.device->import_memory(pages.bytes()));
  volatile std::uint32_t* const gate = rig.hold();
  rig.device->release(first);
  std::optional<Result<backend::MemoryId>> again;
  std::thread importing([&] { again = rig.device->import_memory(pages.bytes()); });
  rig.let_go(gate);
  importing.join();
  ASSERT_TRUE(*again) << again->error().text();
  add(rig, **again, pages, 2);
  EXPECT_THAT(pages.words(), Each(3u));
}

TEST(CudaImport, IsRefusedWithTheDriversWordsWhereThePagesAreRegistered) {
  Rig rig;
  const Pages pages(4);
  const auto imported = must(rig.device->import_memory(pages.bytes()));
  for (const auto bytes : {pages.bytes(), pages.bytes().subspan(Pages::size, Pages::size)}) {
    const auto refused = rig.device->import_memory(bytes);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::unsupported);
    EXPECT_EQ(refused.error().vendor()->number, 712);
    EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("in place"), HasSubstr("cuMemHostRegister")));
  }
  rig.device->release(imported);
  EXPECT_TRUE(rig.device->import_memory(pages.bytes().subspan(Pages::size)));
}

TEST(CudaImport, BeginsWithAPage) {
  Rig rig;
  const Pages pages(2);
  const auto refused = rig.device->import_memory(pages.bytes().subspan(16, 100));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::unsupported);
  EXPECT_FALSE(refused.error().vendor());
  EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("(4096)"), HasSubstr("[cuda:0]")));
  EXPECT_TRUE(rig.device->import_memory(pages.bytes().first(100)));  // the rest of the page is nobody else's
}

TEST(CudaImport, ARefusedOneIsACopyWhereNobodyWritesIt) {
  const Device device = must(open("cuda:0"));
  Queue queue = must(device.create_queue());
  const Pages pages(1, 5);
  const std::span<const std::uint32_t> values = pages.words();
  const Buffer first = must(device.import_host(values, {}, "first"));
  const Buffer second = must(device.import_host(values, {}, "second"));
  EXPECT_TRUE(second.is_sealed());
  pages.words()[0] = 6;
  EXPECT_EQ(must(read<std::uint32_t>(queue, first))[0], 6u);
  EXPECT_THAT(must(read<std::uint32_t>(queue, second)), Each(5u));
  const std::span<std::uint32_t> writable = pages.words();
  EXPECT_EQ(device.import_host(writable).error().code(), Errc::unsupported);
}

TEST(CudaImport, PagesThatNobodyMayWriteAreReadInPlace) {
  Rig rig;
  const Pages pages(1, 9);
  pages.allow(PROT_READ);
  const auto imported = must(rig.device->import_memory(pages.bytes()));
  const auto bytes = rig.read(imported, Pages::size);
  EXPECT_EQ(std::memcmp(bytes.data(), pages.bytes().data(), Pages::size), 0);
}

TEST(CudaImport, PagesThatNobodyMayReadAreRefused) {
  Rig rig;
  const Pages pages(3);
  pages.allow(PROT_NONE);
  const auto refused = rig.device->import_memory(pages.bytes());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::unsupported);
  EXPECT_EQ(refused.error().vendor()->symbol, "CUDA_ERROR_INVALID_VALUE");
}

TEST(CudaImport, ADeviceThatClosesGivesItBack) {
  const Pages pages(1);
  const auto other = must(try_open(0, {{"primary", ""}}));  // so that the context stays
  {
    const auto device = must(try_open(0, {{"primary", ""}}));
    ASSERT_TRUE(device->import_memory(pages.bytes()));
    EXPECT_FALSE(other->import_memory(pages.bytes()));
  }
  EXPECT_TRUE(other->import_memory(pages.bytes()));
}

}  // namespace
}  // namespace pintle::test
