// The simulator's rules for memory of the host that it is told of, and for the times of events. Each is a measurement
// of a card, by the line of the probe's output (README.md).
#include <csignal>

#include "pages.h"
#include "rules.h"

namespace pintle::test {
namespace {

Status enroll(const Pages& pages, unsigned flags) {
  return cuda().cuMemHostRegister(pages.bytes().data(), pages.bytes().size(), flags);
}

TEST_F(Rules, HostMemoryIsRegisteredOnce) {  // lines 259 to 266, 268
  const Pages pages(4);
  std::byte* const bytes = pages.bytes().data();
  EXPECT_EQ(enroll(pages, register_device_mapped), Status::CUDA_SUCCESS);
  EXPECT_EQ(enroll(pages, register_device_mapped), Status::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_EQ(cuda().cuMemHostRegister(bytes + Pages::size, 8, 0), Status::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  DevicePointer address = 0;
  EXPECT_EQ(cuda().cuMemHostGetDevicePointer(&address, bytes, 0), Status::CUDA_SUCCESS);
  EXPECT_EQ(address, reinterpret_cast<std::uintptr_t>(bytes));
  EXPECT_EQ(cuda().cuMemFreeHost(bytes), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemHostUnregister(bytes + Pages::size), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemHostUnregister(bytes), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuMemHostUnregister(bytes), Status::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(cuda().cuMemHostRegister(bytes + 100, 5000, 0), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuMemHostUnregister(bytes + 100), Status::CUDA_SUCCESS);
  EXPECT_EQ(enroll(pages, 16), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemHostRegister(bytes, 0, 0), Status::CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Rules, PagesAreRegisteredAsTheyMayBeUsed) {  // lines 267, 269 to 278
  int has_flag = 0;
  EXPECT_EQ(cuda().cuDeviceGetAttribute(&has_flag, DeviceAttribute::read_only_registration, 0), Status::CUDA_SUCCESS);
  EXPECT_EQ(has_flag, 1);
  const Pages pages(2, 5);
  pages.allow(PROT_NONE);
  EXPECT_EQ(enroll(pages, 0), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(enroll(pages, register_read_only), Status::CUDA_ERROR_INVALID_VALUE);
  pages.allow(PROT_READ);
  EXPECT_EQ(enroll(pages, 0), Status::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(enroll(pages, register_read_only | register_device_mapped), Status::CUDA_SUCCESS);
  const DevicePointer to = allocate(4);
  EXPECT_EQ(launch("copy", 1, 1, 0, static_cast<const void*>(pages.words().data()), to), Status::CUDA_SUCCESS);
  EXPECT_EQ(read(to, 1), std::vector<unsigned>{5});
  EXPECT_EQ(cuda().cuMemHostUnregister(pages.bytes().data()), Status::CUDA_SUCCESS);
}

TEST_F(Rules, ARegistrationEndsBehindTheKernelsThatRun) {  // lines 292, 293
  const Pages pages(1, 1);
  volatile unsigned* const gate = hold();
  EXPECT_EQ(enroll(pages, register_device_mapped), Status::CUDA_SUCCESS);
  EXPECT_EQ(launch("add", 1, 1, 0, static_cast<void*>(pages.words().data()), 2u), Status::CUDA_SUCCESS);
  expect_held(gate, [&] { return cuda().cuMemHostUnregister(pages.bytes().data()); });
  EXPECT_EQ(pages.words()[0], 3u);
}

TEST_F(Rules, NoKernelIsGivenWhatWasUnregistered) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Pages pages(1);
  EXPECT_EQ(enroll(pages, register_device_mapped), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuMemHostUnregister(pages.bytes().data()), Status::CUDA_SUCCESS);
  void* const inside = pages.words().data() + 1;
  EXPECT_EXIT(static_cast<void>(launch("add", 1, 1, 0, inside, 2u)), testing::KilledBySignal(SIGSEGV),
              "cuLaunchKernel is called with memory of the host that was unregistered");
  EXPECT_EQ(enroll(pages, register_device_mapped), Status::CUDA_SUCCESS);
  EXPECT_EQ(launch("add", 1, 1, 0, inside, 2u), Status::CUDA_SUCCESS);
  EXPECT_EQ(finish(), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuMemHostUnregister(pages.bytes().data()), Status::CUDA_SUCCESS);
}

TEST_F(Rules, EventsTellTheTimeBetweenThem) {  // lines 225 to 229
  Event first = nullptr, second = nullptr, without = nullptr;
  for (Event* const event : {&first, &second})
    ASSERT_EQ(cuda().cuEventCreate(event, event_default), Status::CUDA_SUCCESS);
  ASSERT_EQ(cuda().cuEventCreate(&without, event_disable_timing), Status::CUDA_SUCCESS);
  float milliseconds = 0;
  EXPECT_EQ(cuda().cuEventElapsedTime(&milliseconds, first, second), Status::CUDA_ERROR_INVALID_HANDLE);
  for (const Event event : {first, without}) EXPECT_EQ(cuda().cuEventRecord(event, stream), Status::CUDA_SUCCESS);
  EXPECT_EQ(finish(), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuEventElapsedTime(&milliseconds, first, without), Status::CUDA_ERROR_INVALID_HANDLE);
  volatile unsigned* const gate = hold();
  EXPECT_EQ(cuda().cuEventRecord(second, stream), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuEventElapsedTime(&milliseconds, first, second), Status::CUDA_ERROR_NOT_READY);
  *gate = 1;
  EXPECT_EQ(finish(), Status::CUDA_SUCCESS);
  float back = 0;
  EXPECT_EQ(cuda().cuEventElapsedTime(&milliseconds, first, second), Status::CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuEventElapsedTime(&back, second, first), Status::CUDA_SUCCESS);
  EXPECT_GT(milliseconds, 0);
  EXPECT_EQ(back, -milliseconds);
}

}  // namespace
}  // namespace pintle::test
