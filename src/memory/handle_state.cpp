#include "memory/handle_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/contain.h"
#include "base/quote.h"
#include "io/safetensors.h"

namespace pintle {

std::string_view name(Keep::Kind kind) noexcept {
  switch (kind) {
    case Keep::Kind::lost: return "lost";
    case Keep::Kind::host_shadow: return "host_shadow";
    case Keep::Kind::refill: return "refill";
  }
  return "unknown";
}

namespace memory {
namespace {

// A name that no file can hold is refused at once, before there is anything to save.
Result<void> check_name(const std::string& name) {
  if (name.empty()) return Error(Errc::invalid_argument, "Name (\"\") of a handle is empty.");
  const auto written = io::serialize_safetensors({{{name, DType::u8, Shape{0}, {}}}, {}});
  if (written) return {};
  return written.error().during(fmt::format("naming a handle {}", base::quote(name)));
}

}  // namespace

Error empty_handle() { return {Errc::invalid_argument, "This Handle is empty: it was moved from or never made."}; }

std::string quoted_names(std::span<const std::string> names) {
  constexpr std::size_t most = 16;
  std::string text;
  for (const std::string& name : names.first(std::min(most, names.size())))
    text += (text.empty() ? "" : ", ") + base::quote(name);
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text.empty() ? "none" : text;
}

Result<std::unique_ptr<HandleState>> HandleState::create(const Device& device, std::string name, DType dtype,
                                                         const Shape& shape, Keep keep, const HandleOptions& options) {
  PINTLE_TRY(check_name(name));
  std::unique_ptr<HandleState> state(new HandleState(device, std::move(name), std::move(keep), options));
  const Keep& kept = state->keep_;
  if (kept.kind() == Keep::Kind::refill && !kept.fill())
    return Error(Errc::invalid_argument,
                 fmt::format("Keep (refill) of {} has no function to fill it with.", state->text()));
  if (kept.dtype() && *kept.dtype() != dtype) {
    return Error(Errc::invalid_argument, fmt::format("Keep (refill) of {} fills ({}), not the handle's dtype ({}).",
                                                     state->text(), pintle::name(*kept.dtype()), pintle::name(dtype)));
  }
  PINTLE_ASSIGN(placed, state->allocate(dtype, shape));
  state->front_ = std::move(placed);
  return state;
}

std::string HandleState::text() const { return fmt::format("[Handle {}]", base::quote(name_)); }

// A recovery between the two calls would give the memory the wrong generation. No later recovery brings a generation
// back, so the loop finds each one.
Result<PlacedBuffer> HandleState::allocate(DType dtype, const Shape& shape) const {
  for (;;) {
    const std::uint64_t generation = device_.generation();
    auto buffer = device_.allocate(dtype, shape,
                                   {.label = name_, .placement = options_.placement, .alignment = options_.alignment});
    if (!buffer) return buffer.error().during("allocating " + text());
    if (device_.generation() == generation) return PlacedBuffer{*std::move(buffer), generation};
  }
}

Result<void> HandleState::check_current() const {
  const std::uint64_t now = device_.generation();
  if (front_.generation == now) return {};
  return Error(
      Errc::stale,
      fmt::format("{} has its memory in generation ({}) of [{}], which is at generation ({}): restore, write or "
                  "renew it.",
                  text(), front_.generation, device_.id(), now));
}

Result<BufferView> HandleState::next() {
  PINTLE_TRY(check_current());
  if (!back_) {
    PINTLE_ASSIGN(placed, allocate(dtype(), shape()));
    if (placed.generation != front_.generation) return check_current().error();
    back_ = std::move(placed.buffer);
  }
  return back_->view();
}

Result<void> HandleState::flip() {
  PINTLE_TRY(check_current());
  if (!back_) return Error(Errc::invalid_argument, fmt::format("{} has no back to flip to; next() makes it.", text()));
  std::swap(front_.buffer, *back_);
  return {};
}

Result<void> HandleState::renew() {
  if (!is_stale()) return {};
  PINTLE_ASSIGN(placed, allocate(dtype(), shape()));
  back_.reset();
  front_ = std::move(placed);
  return {};
}

Result<void> HandleState::check_source(std::optional<DType> dtype, std::uint64_t size) const {
  if (dtype && *dtype != this->dtype()) {
    return Error(Errc::invalid_argument, fmt::format("Elements of dtype ({}) do not fit the dtype ({}) of {}.",
                                                     pintle::name(*dtype), pintle::name(this->dtype()), text()));
  }
  if (size == size_bytes()) return {};
  const std::uint64_t element = dtype ? bytes_of(*dtype) : 1;
  return Error(Errc::invalid_argument,
               fmt::format("Count ({}) of {} differs from the count ({}) of {}.", size / element,
                           dtype ? "elements" : "bytes", size_bytes() / element, text()));
}

Result<void> HandleState::settle(Deadline deadline) {
  auto settled = shadow_.settle(deadline);
  if (!settled) return settled.error().during("waiting for the checkpoint of " + text() + " on its way");
  return {};
}

Result<HandleContents> HandleState::contents_from(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  HandleContents contents{bytes, std::move(owner), nullptr, std::nullopt, view()};
  if (keep() == Keep::Kind::host_shadow) {
    contents.shadow = shadow_.memory(size_bytes());
    std::ranges::copy(bytes, contents.shadow.get());
    contents.bytes = {contents.shadow.get(), bytes.size()};
    contents.owner = contents.shadow;
  }
  if (!is_stale()) return contents;
  PINTLE_ASSIGN(placed, allocate(dtype(), shape()));
  contents.target = placed.buffer.view();
  contents.placed = std::move(placed);
  return contents;
}

bool HandleState::is_kept() {
  if (keep() == Keep::Kind::host_shadow) return shadow_.is_there();
  return keep() == Keep::Kind::refill;
}

Error HandleState::nothing_kept() const {
  const std::string_view why =
      keep() == Keep::Kind::lost ? "nothing of it is kept" : "no checkpoint or write of it was reached";
  const std::string what = fmt::format("{} with Keep ({}) cannot be restored: {}.", text(), pintle::name(keep()), why);
  const auto current = check_current();
  return current ? Error(Errc::invalid_argument, what)
                 : Error(Errc::stale, what + " " + std::string(current.error().message()));
}

Result<HostBytes> HandleState::refilled() const {
  const HostBytes bytes(new std::byte[size_bytes()]());
  auto filled = base::contain("calling its function", [&] { return keep_.fill()({bytes.get(), size_bytes()}); });
  if (!filled) return filled.error().during("refilling " + text());
  return bytes;
}

Result<HandleContents> HandleState::kept_contents() {
  if (!is_kept()) return nothing_kept();
  HandleContents contents{{}, nullptr, nullptr, std::nullopt, view()};
  if (is_stale()) {
    PINTLE_ASSIGN(placed, allocate(dtype(), shape()));
    contents.target = placed.buffer.view();
    contents.placed = std::move(placed);
  }
  HostBytes bytes;
  if (keep() == Keep::Kind::refill) {
    PINTLE_ASSIGN(filled, refilled());
    bytes = std::move(filled);
  } else {
    bytes = shadow_.last();
  }
  contents.bytes = {bytes.get(), size_bytes()};
  contents.owner = std::move(bytes);
  return contents;
}

void HandleState::accept(HandleContents&& contents, const Point& point) noexcept {
  if (contents.placed) {
    back_.reset();
    front_ = *std::move(contents.placed);
  }
  if (contents.shadow) shadow_.expect(std::move(contents.shadow), point);
}

Result<HostBytes> HandleState::begin_checkpoint(CommandList& list) {
  if (keep() != Keep::Kind::host_shadow) {
    return Error(Errc::invalid_argument,
                 fmt::format("{} with Keep ({}) has no checkpoints, which Keep (host_shadow) has.", text(),
                             pintle::name(keep())));
  }
  PINTLE_TRY(check_current());
  HostBytes copy = shadow_.memory(size_bytes());
  list.download_retained(copy, {copy.get(), size_bytes()}, view());
  return copy;
}

Result<Point> submit_writes(Queue& queue, std::vector<HandleWrite> writes, Deadline deadline) {
  CommandList list;
  for (const HandleWrite& write : writes) {
    const HandleContents& contents = write.contents;
    if (contents.owner) list.upload_retained(contents.target, contents.owner, contents.bytes);
    else list.upload(contents.target, contents.bytes);
  }
  PINTLE_ASSIGN(point, queue.submit(std::move(list), {.timeout = deadline - Clock::now()}));
  for (HandleWrite& write : writes) write.handle->accept(std::move(write.contents), point);
  return std::move(point);
}

}  // namespace memory
}  // namespace pintle
