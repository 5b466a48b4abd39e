#include "conformance/rig.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "conformance/recorder.h"

namespace pintle::conformance {
namespace {

constexpr Duration rest = std::chrono::seconds(5);

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + "\n" + second;
}

/// Runs the body; what it records goes to the recorder, what it throws becomes the row.
void run_body(const Case& tested, Context& context, Missing missing, ConformRow& row) {
  try {
    tested.body(context);
  } catch (const Stop&) {
    row.result = Outcome::failed;
  } catch (const Skip& skip) {
    const bool fails = skip.why == Skip::Why::missing && missing == Missing::failed;
    row.result = fails ? Outcome::failed : Outcome::skipped;
    row.message = fails ? "this device may not skip: " + skip.reason : skip.reason;
  } catch (const std::exception& error) {
    row.result = Outcome::failed;
    row.message = error.what();
  }
}

}  // namespace

Result<std::unique_ptr<Rig>> Rig::open(std::string_view device) {
  PINTLE_ASSIGN(opened, pintle::open(device));
  PINTLE_ASSIGN(gaps, gaps_of(opened.info().backend));
  return std::make_unique<Rig>(std::move(opened), std::move(gaps));
}

Result<void> Rig::reopen() {
  if (context_) return {};
  PINTLE_ASSIGN(device, pintle::open(id_));
  context_.emplace(std::move(device));
  return {};
}

// A case may leave work behind, or a lost device. Where that stays so, the next case gets a device opened afresh.
Result<void> Rig::settle() {
  const Device device = context_->device();
  auto rested = device.health() ? Result<void>() : device.recover();
  if (rested) rested = device.wait_idle(rest);
  if (!rested) context_.reset();
  return rested;
}

ConformRow Rig::run_plain(const Case& tested, Missing missing) {
  ConformRow row{tested.name(), Outcome::passed, {}};
  static_cast<void>(Recorder::current().take());
  auto ready = reopen();
  if (ready) ready = context_->find_first();
  if (!ready) return {tested.name(), Outcome::failed, "the device gives no queue: " + ready.error().text()};
  run_body(tested, *context_, missing, row);
  if (auto settled = settle(); !settled) {
    record_failure("the device does not come to rest: " + settled.error().text(), std::source_location::current());
  }
  const std::string failures = Recorder::current().take();
  if (!failures.empty()) row.result = Outcome::failed;
  row.message = joined(row.message, failures);
  return row;
}

ConformRow Rig::judge_gap(const Gap& gap, ConformRow row) {
  if (row.result == Outcome::passed) {
    return {row.name, Outcome::failed, "passes although it is listed as a gap; remove its row: " + gap.reason};
  }
  if (row.result != Outcome::failed) return row;
  const auto cases = all_cases();
  const auto probe = std::ranges::find_if(cases, [&](const Case& known) { return known.name() == gap.probe; });
  if (probe == cases.end()) return {row.name, Outcome::failed, "the probe " + gap.probe + " of its gap does not exist"};
  const ConformRow shown = run_plain(*probe, Missing::failed);
  if (shown.result == Outcome::passed) return {row.name, Outcome::gap, gap.reason};
  return {row.name, Outcome::failed,
          fmt::format("the probe {} does not show the refusal: {}", gap.probe, shown.message)};
}

ConformRow Rig::run(const Case& tested, Missing missing) {
  ConformRow row = run_plain(tested, missing);
  const auto gap = std::ranges::find(gaps_, row.name, &Gap::name);
  return gap == gaps_.end() ? row : judge_gap(*gap, std::move(row));
}

}  // namespace pintle::conformance
