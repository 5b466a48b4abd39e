#include <fmt/format.h>

#include <utility>

#include "base/contain.h"
#include "base/fork.h"
#include "memory/request.h"
#include "pintle/resources.h"

namespace pintle {
namespace memory {

class LogSink {
 public:
  explicit LogSink(LogResource::Sink sink) noexcept : sink_(std::move(sink)) {}
  void write(std::string_view line) const {
    if (sink_) sink_(line);
  }

 private:
  LogResource::Sink sink_;
};

namespace {

/// Logs that the buffer has gone.
class LogTicket {
 public:
  LogTicket(std::shared_ptr<const LogSink> sink, const Buffer& buffer)
      : sink_(std::move(sink)), line_(fmt::format("freed {} bytes of {}", buffer.size_bytes(), buffer.text())) {}
  LogTicket(const LogTicket&) = delete;
  LogTicket& operator=(const LogTicket&) = delete;
  ~LogTicket() {
    if (base::in_forked_child()) return;
    // An error here has no caller to return to.
    (void)base::contain("logging", [&]() -> Result<void> {
      sink_->write(line_);
      return {};
    });
  }

 private:
  std::shared_ptr<const LogSink> sink_;
  std::string line_;
};

std::string refusal_text(DType dtype, const Shape& shape, const std::string& what, const Error& error) {
  const auto bytes = requested_bytes(dtype, shape);
  return fmt::format("refused {} bytes for {}: {}: {}", bytes ? std::to_string(*bytes) : "uncountable", what,
                     name(error.code()), error.message());
}

class LogSource final : public Resource::Source {
 public:
  LogSource(Resource upstream, std::shared_ptr<const LogSink> state) noexcept
      : upstream_(std::move(upstream)), state_(std::move(state)) {}
  Result<Buffer> allocate(Queue& queue, DType dtype, const Shape& shape, const BufferOptions& options) override;

 private:
  Resource upstream_;
  std::shared_ptr<const LogSink> state_;
};

}  // namespace
}  // namespace memory

Result<LogResource> LogResource::create(Resource upstream, Sink sink) {
  return memory::adaptor_before<LogResource>(upstream, [&] {
    auto state = std::make_shared<const memory::LogSink>(std::move(sink));
    return LogResource(std::make_shared<memory::LogSource>(upstream, std::move(state)));
  });
}

Result<Buffer> memory::LogSource::allocate(Queue& queue, DType dtype, const Shape& shape,
                                           const BufferOptions& options) {
  return base::contain("allocating with a log", [&]() -> Result<Buffer> {
    const std::string what = memory::request_text(options);
    auto made = upstream_.allocate(queue, dtype, shape, options);
    if (!made) {
      state_->write(memory::refusal_text(dtype, shape, what, made.error()));
      return made;
    }
    auto ticket = std::make_shared<memory::LogTicket>(state_, *made);
    state_->write(fmt::format("allocated {} bytes as {}", made->size_bytes(), made->text()));
    PINTLE_TRY(made->keep(std::move(ticket)));
    return made;
  });
}

}  // namespace pintle
