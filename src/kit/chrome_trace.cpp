#include "kit/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contain.h"
#include "base/file.h"
#include "base/log.h"

namespace pintle::kit {
namespace {

// Microseconds with the nanoseconds behind the point: exact, so that slices nest exactly.
std::string microseconds(Duration duration) {
  const auto count = std::max<std::int64_t>(duration.count(), 0);
  return fmt::format("{}.{:03}", count / 1000, count % 1000);
}

}  // namespace

std::string json(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (code >= 0x20 && code < 0x7f) out += c;
    else out += code < 0x20 ? fmt::format("\\u{:04x}", code) : "?";
  }
  return out + '"';
}

ChromeTrace::~ChromeTrace() {
  const auto written = base::contain("writing a trace", [&] {
    const std::string text = fmt::format(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"dropped\":{}}},\"traceEvents\":[{}\n]}}\n", dropped_, events_);
    return base::write_file(path_, base::bytes_in(text));
  });
  if (!written) base::log(LogLevel::error, "trace", "{}", written.error().text());
}

std::uint64_t ChromeTrace::add_process(std::string_view name) {
  std::unique_lock lock(mutex_);
  const std::uint64_t process = ++processes_;
  lock.unlock();
  this->name("process_name", process, 0, name);
  return process;
}

void ChromeTrace::name_track(std::uint64_t process, std::uint64_t track, std::string_view name) {
  this->name("thread_name", process, track, name);
}

void ChromeTrace::name(std::string_view what, std::uint64_t process, std::uint64_t track, std::string_view name) {
  add(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", what, process, track,
                  json(name)));
}

void ChromeTrace::add_slice(std::uint64_t process, std::uint64_t track, std::string_view name, Deadline begin,
                            Deadline end, std::string_view arguments) {
  add(fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{}}})", json(name), process, track,
                  microseconds(begin - start_), microseconds(end - begin), arguments));
}

void ChromeTrace::add(const std::string& event) {
  std::lock_guard lock(mutex_);
  if (count_ == most_events) {
    ++dropped_;
    return;
  }
  events_ += count_++ == 0 ? "\n" : ",\n";
  events_ += event;
}

}  // namespace pintle::kit
