#include <pintle/pintle.h>
#include <pintle/version.h>

#include <cstdio>
#include <vector>

int main(int count, char** words) try {
  std::printf("Pintle %s\n", pintle::version.data());
  const pintle::Device device = must(pintle::open(count > 1 ? words[1] : "cpu"));
  pintle::Queue queue = must(device.create_queue());
  const std::vector<float> sent{1, 2, 3};
  const pintle::Buffer buffer = must(device.allocate_for(sent));
  must(queue.submit(pintle::CommandList{}.upload(buffer, sent)));
  const auto received = must(pintle::read<float>(queue, buffer));
  return received == sent ? 0 : 1;
} catch (const pintle::Exception& failure) {
  std::puts(failure.what());
  return 2;
}
