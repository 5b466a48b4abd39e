#include "pintle/handle.h"

#include <utility>

#include "base/timeout.h"
#include "memory/handle_state.h"

namespace pintle {

using memory::empty_handle;
using memory::HandleState;

Handle::Handle() noexcept = default;
Handle::Handle(Handle&& other) noexcept = default;
Handle& Handle::operator=(Handle&& other) noexcept = default;
Handle::~Handle() = default;
Handle::Handle(std::unique_ptr<HandleState> state) noexcept : state_(std::move(state)) {}

Result<Handle> Handle::create(const Device& device, std::string name, DType dtype, const Shape& shape, Keep keep,
                              HandleOptions options) {
  return base::enter("creating a handle", [&]() -> Result<Handle> {
    PINTLE_ASSIGN(state, HandleState::create(device, std::move(name), dtype, shape, std::move(keep), options));
    return Handle(std::move(state));
  });
}

std::string_view Handle::name() const noexcept {
  return state_ ? std::string_view(state_->name()) : std::string_view();
}
DType Handle::dtype() const noexcept { return view().dtype(); }

Shape Handle::shape() const noexcept { return view().shape(); }
std::uint64_t Handle::size_bytes() const noexcept { return state_ ? state_->size_bytes() : 0; }
Keep::Kind Handle::keep() const noexcept { return state_ ? state_->keep() : Keep::Kind::lost; }
void Keep::take(Fill (*wrap)(void* function), void* function) noexcept {
  const auto refuse = [](std::span<std::byte>) -> Result<void> { return Error(Errc::out_of_memory, {}); };
  fill_ = base::contain_or(Fill(refuse), [&] { return wrap(function); });
}

std::string Handle::text() const noexcept {
  return base::contain_or(std::string("[Handle]"), [&] { return state_ ? state_->text() : "[Handle]"; });
}
std::uint64_t Handle::generation() const noexcept { return state_ ? state_->generation() : 0; }
bool Handle::is_stale() const noexcept { return !state_ || state_->is_stale(); }
BufferView Handle::view() const noexcept { return state_ ? state_->view() : BufferView(); }

Result<BufferView> Handle::next() {
  if (!state_) return empty_handle();
  return base::enter("making the back of a handle", [&] { return state_->next(); });
}

Result<void> Handle::flip() {
  if (!state_) return empty_handle();
  return base::enter("flipping a handle", [&] { return state_->flip(); });
}

Result<void> Handle::renew() {
  if (!state_) return empty_handle();
  return base::enter("renewing a handle", [&] { return state_->renew(); });
}

Result<Point> Handle::write_bytes(Queue& queue, std::optional<DType> dtype, std::span<const std::byte> from,
                                  Timeout timeout) {
  if (!state_) return empty_handle();
  return base::enter("writing a handle", timeout, [&](Deadline deadline) -> Result<Point> {
    PINTLE_TRY(state_->check_source(dtype, from.size()));
    PINTLE_TRY(state_->settle(deadline));
    std::vector<memory::HandleWrite> writes(1);
    PINTLE_ASSIGN(contents, state_->contents_from(from, nullptr));
    writes[0] = {state_.get(), std::move(contents)};
    return memory::submit_writes(queue, std::move(writes), deadline);
  });
}

Result<Point> Handle::checkpoint(Queue& queue, Timeout timeout) {
  if (!state_) return empty_handle();
  return base::enter("checkpointing a handle", timeout, [&](Deadline deadline) -> Result<Point> {
    PINTLE_TRY(state_->settle(deadline));
    CommandList list;
    PINTLE_ASSIGN(copy, state_->begin_checkpoint(list));
    PINTLE_ASSIGN(point, queue.submit(std::move(list), {.timeout = deadline - Clock::now()}));
    state_->accept_checkpoint(std::move(copy), point);
    return std::move(point);
  });
}

Result<Point> Handle::restore(Queue& queue, Timeout timeout) {
  if (!state_) return empty_handle();
  return base::enter("restoring a handle", timeout, [&](Deadline deadline) -> Result<Point> {
    PINTLE_TRY(state_->settle(deadline));
    std::vector<memory::HandleWrite> writes(1);
    PINTLE_ASSIGN(contents, state_->kept_contents());
    writes[0] = {state_.get(), std::move(contents)};
    return memory::submit_writes(queue, std::move(writes), deadline);
  });
}

}  // namespace pintle
