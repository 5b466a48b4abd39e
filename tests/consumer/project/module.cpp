// A whole backend outside the tree, of nothing but installed headers: host memory, and work that a waiting thread runs.
#include <pintle/backend/module.h>

#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace {

using namespace pintle;
using namespace pintle::backend;

DeviceInfo describe() {
  DeviceInfo info;
  info.id = info.backend = info.name = "tiny";
  info.driver = "tiny 1";
  info.kind = DeviceKind::simulated;
  info.progress = Progress::driven;
  info.limits = {.max_allocation = 1 << 20, .max_binding = 1 << 20, .max_in_flight = 64};
  info.capabilities = {{Feature::execution, Support::native, ""}};
  return info;
}

class TinyDevice final : public backend::Device {
 public:
  [[nodiscard]] const DeviceInfo& info() const noexcept override { return info_; }
  Result<std::vector<Heap>> budget() override { return std::vector<Heap>(); }

  Result<MemoryId> allocate(const MemoryRequest& request) override {
    const std::lock_guard lock(mutex_);
    memories_[++last_].resize(request.size);
    return MemoryId{last_};
  }
  void release(MemoryId memory) noexcept override {
    const std::lock_guard lock(mutex_);
    memories_.erase(static_cast<std::uint64_t>(memory));
  }

  Result<ProgramId> load(const ProgramImage&) override { return Error(Errc::unsupported, "[tiny] runs no programs."); }
  void unload(ProgramId) noexcept override {}

  Result<QueueId> create_queue(const QueueRequest& request) override {
    if (request.kind == QueueKind::copy) return Error(Errc::unsupported, "[tiny] has no copy queues.");
    const std::lock_guard lock(mutex_);
    queues_[++last_] = {request.first_serial, {}};
    return QueueId{last_};
  }
  void destroy_queue(QueueId queue) noexcept override {
    const std::lock_guard lock(mutex_);
    queues_.erase(static_cast<std::uint64_t>(queue));
  }

  Result<std::uint64_t> submit(QueueId id, std::span<const QueuePoint> waits, const Commands& commands) override {
    const std::lock_guard lock(mutex_);
    Queue& queue = queues_.at(static_cast<std::uint64_t>(id));
    queue.lists.push_back({{waits.begin(), waits.end()}, commands});
    return queue.reached + queue.lists.size();
  }
  Result<std::uint64_t> reached(QueueId queue) override {
    const std::lock_guard lock(mutex_);
    return queues_.at(static_cast<std::uint64_t>(queue)).reached;
  }
  Result<void> wait(QueueId queue, std::uint64_t serial, Deadline) override {
    const std::lock_guard lock(mutex_);
    run(queue, serial);
    return {};
  }

 private:
  struct List {
    std::vector<QueuePoint> waits;
    Commands commands;
  };
  struct Queue {
    std::uint64_t reached = 0;
    std::deque<List> lists;
  };

  void run(QueueId id, std::uint64_t serial) {
    Queue& queue = queues_.at(static_cast<std::uint64_t>(id));
    while (queue.reached < serial && !queue.lists.empty()) {
      for (const QueuePoint& point : queue.lists.front().waits) run(point.queue, point.serial);
      for (const Command& command : queue.lists.front().commands.commands)
        std::visit([this](const auto& operation) { take(operation); }, command.operation);
      queue.lists.pop_front();
      ++queue.reached;
    }
  }

  std::byte* at(const Range& range) {
    return memories_.at(static_cast<std::uint64_t>(range.memory)).data() + range.offset;
  }
  void take(const Copy& copy) { std::memcpy(at(copy.to), at(copy.from), copy.to.size); }
  void take(const Upload& upload) { std::memcpy(at(upload.to), upload.from.data, upload.to.size); }
  void take(const Download& download) { std::memcpy(download.to.data, at(download.from), download.from.size); }
  void take(const Fill& fill) {
    for (std::uint64_t i = 0; i < fill.to.size; ++i) at(fill.to)[i] = fill.pattern.bytes[i % fill.pattern_size];
  }
  void take(const HostCall& call) { call.call(call.state); }
  void take(const auto&) {}  // core submits nothing that the capabilities do not have

  const DeviceInfo info_ = describe();
  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::vector<std::byte>> memories_;
  std::map<std::uint64_t, Queue> queues_;
};

class TinyDriver final : public backend::Driver {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "tiny"; }
  Enumeration enumerate() override { return {.devices = {describe()}, .absences = {}}; }
  Result<std::unique_ptr<backend::Device>> open(std::uint32_t, std::span<const Option>) override {
    return std::make_unique<TinyDevice>();
  }
};

Driver* create() { return new TinyDriver; }

}  // namespace

extern "C" const Module* pintle_backend_module() {
  static constexpr Module module{.name = "tiny", .create = create};
  return &module;
}
