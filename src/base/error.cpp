#include "pintle/error.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <new>
#include <vector>

#include "base/contain.h"

namespace pintle {
namespace {

struct Named {
  Errc code;
  std::string_view name;
};

constexpr std::array<Named, 14> codes{{
    {Errc::invalid_argument, "invalid_argument"},
    {Errc::unsupported, "unsupported"},
    {Errc::unavailable, "unavailable"},
    {Errc::not_found, "not_found"},
    {Errc::out_of_memory, "out_of_memory"},
    {Errc::build_failed, "build_failed"},
    {Errc::timeout, "timeout"},
    {Errc::cancelled, "cancelled"},
    {Errc::device_lost, "device_lost"},
    {Errc::process_poisoned, "process_poisoned"},
    {Errc::peer_lost, "peer_lost"},
    {Errc::stale, "stale"},
    {Errc::io, "io"},
    {Errc::internal, "internal"},
}};

std::uint64_t next_origin() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

std::string_view name(Errc code) noexcept {
  for (const Named& row : codes) {
    if (row.code == code) return row.name;
  }
  return "unknown";
}

std::optional<Errc> parse_errc(std::string_view name) noexcept {
  for (const Named& row : codes) {
    if (row.name == name) return row.code;
  }
  return std::nullopt;
}

struct Error::Body {
  Body(Errc error_code, std::string words, std::source_location place, std::uint64_t birth) noexcept
      : origin(birth), code(error_code), message(std::move(words)), where(place) {}
  // A copy is a new object with one owner, but the same error.
  Body(const Body& other)
      : origin(other.origin),
        code(other.code),
        message(other.message),
        where(other.where),
        vendor(other.vendor),
        device(other.device),
        generation(other.generation),
        context(other.context),
        left_out(other.left_out) {}
  Body& operator=(const Body&) = delete;
  ~Body() = default;

  static Body* retain(Body* body) noexcept {
    if (body != nullptr) body->references.fetch_add(1, std::memory_order_relaxed);
    return body;
  }
  static void release(Body* body) noexcept {
    if (body != nullptr && body->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete body;
  }
  static Body* out_of_memory() noexcept;
  static const Body& moved_from() noexcept;
  static const Body& of(const Body* body) noexcept { return body != nullptr ? *body : moved_from(); }

  std::atomic<std::uint64_t> references{1};
  std::uint64_t origin;
  Errc code;
  std::string message;
  std::source_location where;
  std::optional<VendorError> vendor;
  std::string device;
  std::uint64_t generation = 0;
  /// Adds a line. An error keeps its first and last lines, so its text stays short along a chain of work.
  void add_context(std::string what);
  std::vector<std::string> context;
  std::uint64_t left_out = 0;  // lines in the middle, for which one line stands
};

// Both messages fit a string's own storage, so that making them allocates nothing. The storage is never destroyed.
Error::Body* Error::Body::out_of_memory() noexcept {
  alignas(Body) static std::array<std::byte, sizeof(Body)> storage;
  static Body* const body = new (storage.data()) Body(Errc::out_of_memory, "Memory ran out.", {}, next_origin());
  return retain(body);
}

const Error::Body& Error::Body::moved_from() noexcept {
  alignas(Body) static std::array<std::byte, sizeof(Body)> storage;
  static const Body* const body = new (storage.data()) Body(Errc::internal, "Error is moved.", {}, next_origin());
  return *body;
}

void Error::Body::add_context(std::string what) {
  constexpr std::size_t kept = 4;  // at each end
  context.push_back(std::move(what));
  if (context.size() <= 2 * kept + 1) return;
  left_out += left_out == 0 ? 2 : 1;
  context[kept] = "going on through (" + std::to_string(left_out) + ") more steps";
  context.erase(context.begin() + kept + 1);
}

Error::Error(Errc code, std::string message, std::source_location where) noexcept
    : body_(new(std::nothrow) Body(code, std::move(message), where, next_origin())) {
  if (body_ == nullptr) body_ = Body::out_of_memory();
}

Error::Error(const Error& other) noexcept : body_(Body::retain(other.body_)) {}
Error::Error(Error&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}

Error& Error::operator=(const Error& other) noexcept {
  Body* const old = std::exchange(body_, Body::retain(other.body_));
  Body::release(old);
  return *this;
}

Error& Error::operator=(Error&& other) noexcept {
  Body* const taken = std::exchange(other.body_, nullptr);
  Body::release(std::exchange(body_, taken));
  return *this;
}

Error::~Error() { Body::release(body_); }

Errc Error::code() const noexcept { return Body::of(body_).code; }
std::string_view Error::message() const noexcept { return Body::of(body_).message; }
std::source_location Error::where() const noexcept { return Body::of(body_).where; }
const std::optional<VendorError>& Error::vendor() const noexcept { return Body::of(body_).vendor; }
std::string_view Error::device() const noexcept { return Body::of(body_).device; }
std::uint64_t Error::generation() const noexcept { return Body::of(body_).generation; }
std::span<const std::string> Error::context() const noexcept { return Body::of(body_).context; }

std::string Error::text() const noexcept {
  return base::contain_or(std::string("Memory ran out."), [&] {
    const Body& body = Body::of(body_);
    std::string text = body.message;
    if (body.vendor) {
      text += " [" + body.vendor->library;
      if (!body.vendor->symbol.empty()) text += " " + body.vendor->symbol;
      text += " (" + std::to_string(body.vendor->number) + ")]";
    }
    for (const std::string& line : body.context) text += "\n - While " + line;
    return text;
  });
}

// Where memory runs out, the unchanged first cause is worth more than another error.
template <class Change>
Error Error::changed(Change change) const noexcept {
  Body* copy = nullptr;
  try {
    copy = new Body(Body::of(body_));
    change(*copy);
    return Error(copy);
  } catch (...) {
    delete copy;
    return *this;
  }
}

Error Error::during(std::string what) const noexcept {
  return changed([&](Body& body) { body.add_context(std::move(what)); });
}

Error Error::with_vendor(VendorError vendor) const noexcept {
  return changed([&](Body& body) { body.vendor = std::move(vendor); });
}

Error Error::with_device(std::string id, std::uint64_t generation) const noexcept {
  return changed([&](Body& body) {
    body.device = std::move(id);
    body.generation = generation;
  });
}

bool Error::same_origin(const Error& other) const noexcept {
  return Body::of(body_).origin == Body::of(other.body_).origin;
}

}  // namespace pintle
