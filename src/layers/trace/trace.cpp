// Draws what a device does: a track for each queue, and a slice for each submission. Where the device has a clock,
// slices for the commands lie inside.
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <ranges>
#include <vector>

#include "base/contain.h"
#include "base/log.h"
#include "kit/accesses.h"
#include "kit/chrome_trace.h"
#include "kit/command_text.h"
#include "kit/device_clock.h"
#include "kit/forwarding.h"
#include "kit/options.h"

namespace pintle::layers {
namespace {

using backend::Command;
using backend::Commands;
using backend::MemoryId;
using backend::QueueId;

/// A submission under way. Moving it does not move what the device inside has been given.
struct Job {
  std::uint64_t serial = 0;
  Deadline submitted;
  std::vector<std::pair<std::string, std::string>> texts = {};  // of the commands: name, arguments as JSON
  std::vector<Command> commands = {};                           // with timestamps between; empty: the list unchanged
  std::vector<std::uint64_t> ticks = {};
  MemoryId stamps = MemoryId::none;
};

struct Track {
  std::uint64_t number = 0;
  QueueKind kind = QueueKind::compute;
  Deadline end = {};  // of the track's last slice
  std::deque<Job> jobs = {};
};

class Device final : public kit::Forwarding {
 public:
  Device(std::unique_ptr<backend::Device> inner, std::shared_ptr<kit::ChromeTrace> file)
      : Forwarding("trace", std::move(inner)), file_(std::move(file)), process_(file_->add_process(info_.id)) {
    has_clock_ = info_.capability(Feature::timestamp).support == Support::native;
    if (const auto clocks = inner_->calibrate(); has_clock_ && clocks) clocks_ = *clocks;
  }
  ~Device() override {
    inner_.reset();
    const auto drawn = base::contain("drawing the end of a trace", [&]() -> Result<void> {
      for (Track& track : tracks_ | std::views::values) {
        for (Job& job : track.jobs)
          draw(track, {job.serial, job.submitted, job.texts}, Clock::now(), "unfinished submission");
      }
      return {};
    });
    if (!drawn) base::log(LogLevel::error, "trace", "{}", drawn.error().text());
  }

  Result<backend::ProgramId> load(const backend::ProgramImage& image) override {
    return base::contain("tracing a program", [&]() -> Result<backend::ProgramId> {
      std::vector<Entry> entries(image.entries.begin(), image.entries.end());
      auto program = Forwarding::load(image);
      std::lock_guard lock(mutex_);
      if (program) entries_[*program] = std::move(entries);
      return program;
    });
  }
  void unload(backend::ProgramId program) noexcept override {
    Forwarding::unload(program);
    std::lock_guard lock(mutex_);
    entries_.erase(program);
  }

  Result<QueueId> create_queue(const backend::QueueRequest& request) override {
    return base::contain("tracing a queue", [&]() -> Result<QueueId> {
      PINTLE_ASSIGN(queue, Forwarding::create_queue(request));
      std::lock_guard lock(mutex_);
      tracks_[queue] = {++last_track_, request.kind};
      const char* const kind = request.kind == QueueKind::copy ? "copy" : "compute";
      file_->name_track(process_, last_track_, fmt::format("queue {} ({}) {}", last_track_, kind, request.label));
      return queue;
    });
  }
  void destroy_queue(QueueId queue) noexcept override {
    Forwarding::destroy_queue(queue);
    std::lock_guard lock(mutex_);
    tracks_.erase(queue);
  }

  Result<std::uint64_t> submit(QueueId queue, std::span<const backend::QueuePoint> waits,
                               const Commands& list) override {
    return base::contain("tracing a submission", [&]() -> Result<std::uint64_t> {
      Job job = describe(queue, list);
      const bool is_timed = !job.commands.empty();
      auto serial = Forwarding::submit(queue, waits, is_timed ? Commands{job.commands, list.arguments} : list);
      if (!serial && is_timed) inner_->release(job.stamps);
      if (!serial) return serial;
      job.serial = *serial;
      std::lock_guard lock(mutex_);
      tracks_[queue].jobs.push_back(std::move(job));
      return serial;
    });
  }
  Result<std::uint64_t> reached(QueueId queue) override {
    auto serial = Forwarding::reached(queue);
    if (serial) observe(queue, *serial);
    return serial;
  }
  Result<void> wait(QueueId queue, std::uint64_t serial, Deadline deadline) override {
    auto waited = Forwarding::wait(queue, serial, deadline);
    if (waited) observe(queue, serial);
    return waited;
  }

 private:
  Job describe(QueueId queue, const Commands& list) {
    Job job{0, Clock::now()};
    std::unique_lock lock(mutex_);
    for (const Command& command : list.commands)
      job.texts.emplace_back(name_of(command), kit::text_of(command, list.arguments));
    const bool can_time = has_clock_ && tracks_[queue].kind == QueueKind::compute && !list.commands.empty();
    lock.unlock();
    if (can_time) put_timestamps(job, list);
    return job;
  }

  /// Adds commands that read the clock around each command and that fetch the times. Adds none without memory.
  void put_timestamps(Job& job, const Commands& list) {
    const std::uint64_t bytes = (list.commands.size() + 1) * sizeof(std::uint64_t);
    const auto stamps = inner_->allocate({bytes, 8, Placement::device, "timestamps of a trace"});
    if (!stamps) return;
    job.stamps = *stamps;
    job.ticks.resize(list.commands.size() + 1);
    const auto stamp = [&](std::uint64_t index, bool is_after_call) {
      const backend::Range to{*stamps, 0, index * sizeof(std::uint64_t), sizeof(std::uint64_t)};
      job.commands.push_back({backend::Timestamp{to}, nullptr, is_after_call});
    };
    stamp(0, false);
    for (std::size_t i = 0; i < list.commands.size(); ++i) {
      const auto& operation = list.commands[i].operation;
      const bool is_call = std::get_if<backend::HostCall>(&operation) || std::get_if<backend::Replay>(&operation);
      job.commands.push_back(list.commands[i]);
      job.commands.back().barrier_before |= is_call;  // a host call may touch anything
      stamp(i + 1, is_call);
    }
    const backend::HostTarget to{reinterpret_cast<std::byte*>(job.ticks.data()), bytes};
    job.commands.push_back({backend::Download{to, {*stamps, 0, 0, bytes}}, "timestamps", true});
  }

  std::string name_of(const Command& command) const {
    if (command.label != nullptr) return command.label;
    const auto* exec = kit::exec_of(command);
    const auto program = exec != nullptr ? entries_.find(exec->program) : entries_.end();
    const bool is_known = program != entries_.end() && exec->entry < program->second.size();
    return is_known ? program->second[exec->entry].name : name(command.operation);
  }

  void observe(QueueId queue, std::uint64_t serial) noexcept {
    const Deadline now = Clock::now();
    const auto drawn = base::contain("drawing a trace", [&]() -> Result<void> {
      std::unique_lock lock(mutex_);
      const auto track = tracks_.find(queue);
      if (track == tracks_.end()) return {};
      for (auto& jobs = track->second.jobs; !jobs.empty() && jobs.front().serial <= serial; jobs.pop_front()) {
        draw(track->second, jobs.front(), now, "submission");
        if (jobs.front().stamps != MemoryId::none) inner_->release(jobs.front().stamps);
      }
      return {};
    });
    if (!drawn) base::log(LogLevel::error, "trace", "{}", drawn.error().text());
  }

  void draw(Track& track, const Job& job, Deadline done, std::string_view what) {
    const std::vector<Deadline> times = times_of(track, job, done);
    const auto texts = job.texts | std::views::transform([](const auto& text) {
                         return fmt::format(R"({{"name":{},"what":{}}})", kit::json(text.first), text.second);
                       });
    file_->add_slice(process_, track.number, fmt::format("{} {}", what, job.serial), times.front(), times.back(),
                     fmt::format(R"({{"commands":[{}]}})", fmt::join(texts, ",")));
    for (std::size_t i = 0; i + 1 < times.size() && !job.ticks.empty(); ++i) {
      file_->add_slice(process_, track.number, job.texts[i].first, times[i], times[i + 1], job.texts[i].second);
    }
    track.end = times.back();
  }

  /// When the job began and when each command ended, by the device's clock; without one, only begin and end of the job.
  /// The times lie within what the host has seen and never go backwards, so that slices nest.
  std::vector<Deadline> times_of(const Track& track, const Job& job, Deadline done) const {
    Deadline last = std::min(std::max(job.submitted, track.end), done);
    if (job.ticks.empty()) return {last, done};
    const kit::DeviceClock clock{clocks_.value_or(backend::ClockPair{job.ticks.back(), done}),
                                 info_.nanoseconds_per_tick};
    std::vector<Deadline> times;
    for (const std::uint64_t tick : job.ticks) times.push_back(last = clock.host_time(tick, last, done));
    return times;
  }

  const std::shared_ptr<kit::ChromeTrace> file_;
  const std::uint64_t process_;
  bool has_clock_ = false;
  std::optional<backend::ClockPair> clocks_;
  std::mutex mutex_;
  std::uint64_t last_track_ = 0;
  std::map<QueueId, Track> tracks_;
  std::map<backend::ProgramId, std::vector<Entry>> entries_;
};

class Layer final : public backend::Layer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "trace"; }
  Result<std::unique_ptr<backend::Device>> wrap(std::unique_ptr<backend::Device> inner,
                                                std::span<const backend::Option> options) override {
    return base::contain("wrapping in [trace]", [&]() -> Result<std::unique_ptr<backend::Device>> {
      std::filesystem::path path = "pintle-trace.json";
      const auto read = [&](std::string_view text) {
        path = text;
        return path.has_filename() && std::filesystem::is_directory(std::filesystem::absolute(path).parent_path());
      };
      PINTLE_TRY(kit::read_options("trace", options, {{{"file", "the path of a file in a folder that exists", read}}}));
      return std::make_unique<Device>(std::move(inner), file(std::filesystem::absolute(path)));
    });
  }

 private:
  // Devices that name one file share it while one of these devices lives.
  std::shared_ptr<kit::ChromeTrace> file(const std::filesystem::path& path) {
    std::lock_guard lock(mutex_);
    auto found = files_[path].lock();
    if (!found) files_[path] = found = std::make_shared<kit::ChromeTrace>(path);
    return found;
  }

  std::mutex mutex_;
  std::map<std::filesystem::path, std::weak_ptr<kit::ChromeTrace>> files_;
};

}  // namespace

std::unique_ptr<backend::Layer> create_trace_layer() { return std::make_unique<Layer>(); }

}  // namespace pintle::layers
