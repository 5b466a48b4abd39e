#include "layers/faulty/plan.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "base/parse.h"
#include "base/quote.h"
#include "kit/options.h"

namespace pintle::layers {
namespace {

struct Read {
  std::string_view call, plan;
  std::uint64_t ordinal = 1, times = 1;
  Errc code = Errc::internal;
};

template <class T>
bool assign(T& target, std::optional<T> value) {
  target = value.value_or(target);
  return value.has_value();
}

Result<Read> read(std::span<const backend::Option> options) {
  using std::string_view;
  Read out;
  const std::array<kit::OptionRule, 5> rules{{
      {"call", "a call of the seam",
       [&](string_view text) { return (out.call = text, faulty_index(text) < faulty_calls.size()); }},
      {"ordinal", "a number, at least 1",
       [&](string_view text) { return assign(out.ordinal, base::parse_number<std::uint64_t>(text, 1)); }},
      {"times", "a number (0: for ever)",
       [&](string_view text) { return assign(out.times, base::parse_number<std::uint64_t>(text)); }},
      {"code", "the name of an error code", [&](string_view text) { return assign(out.code, parse_errc(text)); }},
      {"plan", "a name", [&](string_view text) { return (out.plan = text, !text.empty()); }},
  }};
  PINTLE_TRY(kit::read_options("faulty", options, rules));
  if (out.call.empty() && !options.empty()) {
    return Error(Errc::invalid_argument,
                 fmt::format("The option {} of [faulty] needs the option call.", options[0].key));
  }
  return out;
}

}  // namespace

Result<Fault> fault_of(std::string_view call, std::uint64_t ordinal, std::uint64_t times, Errc code) {
  const std::size_t index = faulty_index(call);
  if (index == faulty_calls.size()) {
    return Error(Errc::invalid_argument,
                 fmt::format("The seam has no call ({}); it has ({}).", base::quote(call),
                             fmt::join(faulty_calls | std::views::transform(&FaultyCall::name), ", ")));
  }
  const auto codes = legal_codes(call);
  if (std::ranges::find(codes, code) == codes.end()) {
    const auto names = codes | std::views::transform([](Errc legal) { return name(legal); });
    return Error(Errc::invalid_argument, fmt::format("The call ({}) does not answer ({}); it answers ({}).", call,
                                                     name(code), fmt::join(names, ", ")));
  }
  return Fault{index, ordinal, times, code};
}

bool Plan::fires(std::size_t call, std::uint64_t ordinal) noexcept {
  std::lock_guard lock(mutex_);
  if (call != fault_.call || ordinal < fault_.ordinal || (fault_.times != 0 && fired_ >= fault_.times)) return false;
  ++fired_;
  return true;
}

bool Plan::fires_on_open() noexcept {
  std::unique_lock lock(mutex_);
  const std::uint64_t ordinal = ++opened_;
  lock.unlock();
  return fires(faulty_index("open"), ordinal);
}

Result<std::shared_ptr<Plan>> Plans::find(const std::string& device, std::span<const backend::Option> options) {
  PINTLE_ASSIGN(text, read(options));
  if (text.call.empty()) return std::make_shared<Plan>(Fault());
  PINTLE_ASSIGN(fault, fault_of(text.call, text.ordinal, text.times, text.code));
  const std::string key =
      fmt::format("{}?{},{},{},{},{}", device, text.call, text.ordinal, text.times, name(text.code), text.plan);
  std::lock_guard lock(mutex_);
  auto plan = plans_[key].lock();
  if (plan) return plan;
  plan = std::make_shared<Plan>(fault);
  plans_[key] = plan;
  if (!text.plan.empty() || plan->is_for_open()) kept_.push_back(plan);
  return plan;
}

}  // namespace pintle::layers
