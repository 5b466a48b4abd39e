// Which memory of the process may be registered, and what is answered to what may not.
#include <sys/mman.h>

#include <cstdint>

#include "facts/session.h"

namespace facts {
namespace {

/// Pages of the process, registered where a rule says so; both end with this.
class Pages {
 public:
  static constexpr std::size_t bytes = std::size_t{1} << 20;

  explicit Pages(const Session& session)
      : session_(session),
        first_(static_cast<char*>(
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0))) {
    if (first_ == MAP_FAILED) throw Unprepared("there are no pages");
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    static_cast<void>(leave());
    ::munmap(first_, bytes);
  }

  Status take(std::size_t offset = 0, std::size_t size = bytes, unsigned flags = 0) {
    return session_.cuda.cuMemHostRegister(first_ + offset, size, flags);
  }
  Status leave(std::size_t offset = 0) { return session_.cuda.cuMemHostUnregister(first_ + offset); }
  void protect(int protection) { ::mprotect(first_, bytes, protection); }
  char* data() { return first_; }

 private:
  const Session& session_;
  char* first_;
};

std::string take_and_leave(Session& session) {
  Pages pages(session);
  return codes({pages.take(), pages.leave(), pages.leave()});
}

std::string take_twice(Session& session) {
  Pages pages(session);
  return codes({pages.take(), pages.take(), pages.take(Pages::bytes / 2, Pages::bytes / 4)});
}

std::string device_address(Session& session) {
  Pages pages(session);
  expect(pages.take(), "cuMemHostRegister");
  DevicePointer address = 0;
  expect(session.cuda.cuMemHostGetDevicePointer(&address, pages.data(), 0), "cuMemHostGetDevicePointer");
  return address == reinterpret_cast<std::uintptr_t>(pages.data()) ? "yes" : "no";
}

std::string leave_inside(Session& session) {
  Pages pages(session);
  expect(pages.take(), "cuMemHostRegister");
  return text(pages.leave(4096));
}

std::string take_unaligned(Session& session) {
  Pages pages(session);
  return codes({pages.take(100, 5000), pages.leave(100)});
}

std::string take_a_hole(Session& session) {
  return text(session.cuda.cuMemHostRegister(reinterpret_cast<void*>(std::uintptr_t{0x10000}), 4096, 0));
}

std::string free_as_pinned(Session& session) {
  Pages pages(session);
  return text(session.cuda.cuMemFreeHost(pages.data()));
}

/// Memory that may only be read; where it is taken, an upload from it and its end.
std::string take_read_only(Session& session, unsigned flags) {
  Pages pages(session);
  const DevicePointer to = session.allocate(Pages::bytes);
  pages.protect(PROT_READ);
  const Status taken = pages.take(0, Pages::bytes, flags);
  if (taken != Status::CUDA_SUCCESS) return text(taken);
  const Status copied = session.cuda.cuMemcpyHtoDAsync(to, pages.data(), Pages::bytes, session.stream);
  return codes({taken, copied, session.finish(session.stream)});
}

constexpr Rule rules[] = {
    {"register.and_its_end_and_once_more", "lines 259, 264 and 265", &take_and_leave},
    {"register.twice_and_a_part", "lines 259 to 261", &take_twice},
    {"register.device_address_is_the_hosts", "line 262", &device_address},
    {"register.its_end_inside", "line 263", &leave_inside},
    {"register.unaligned", "line 266", &take_unaligned},
    {"register.a_hole", "line 267", &take_a_hole},
    {"register.free_pages_as_pinned", "line 268", &free_as_pinned},
    {"register.read_only_pages", "line 269", [](Session& s) { return take_read_only(s, 0); }},
    {"register.read_only_pages_as_such", "line 270", [](Session& s) { return take_read_only(s, register_read_only); },
     Of::cuda},  // the flag's number means another thing to HIP
};

}  // namespace

std::span<const Rule> registration_rules() { return rules; }

}  // namespace facts
