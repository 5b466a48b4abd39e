// An open device as its parts share it: the device and its one queue, errors, and whether it is lost.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backends/webgpu/found_device.h"
#include "kit/host_access.h"
#include "kit/loss.h"

namespace pintle::webgpu {

/// The words of the last error that no scope has caught. Thread-safe.
class Uncaught {
 public:
  void note(std::string words) {
    const std::lock_guard lock(mutex_);
    words_ = std::move(words);
  }
  [[nodiscard]] std::optional<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(words_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<std::string> words_;
};

class Context final : private kit::Loss::Waits {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Context>> open(const FoundDevice& found);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] wg::Device device() const noexcept { return device_; }
  [[nodiscard]] wg::Queue queue() const noexcept { return queue_; }
  [[nodiscard]] const Abilities& abilities() const noexcept { return abilities_; }
  [[nodiscard]] kit::HostAccess& host() noexcept { return host_; }
  [[nodiscard]] const std::shared_ptr<kit::Loss>& shared_loss() const noexcept { return loss_; }
  [[nodiscard]] Result<void> alive() const { return loss_->check(); }
  Error lose(const Error& error) { return loss_->lose(error); }
  [[nodiscard]] Error loss() { return loss_->lose(Error(Errc::internal, "The device is being lost.")); }

  /// Lets callbacks come. Every wait goes through here: nothing else does.
  void pump() noexcept;

  const wg::Table& api;

 private:
  friend class Catch;

  explicit Context(const FoundDevice& found)
      : api(found.implementation->api),
        instance_(found.implementation->instance),
        id_(found.info.id),
        abilities_(found.abilities),
        loss_(std::make_shared<kit::Loss>(id_)) {
    loss_->add(*this);
  }
  void end_waits(const Error&) noexcept override { host_.close(); }
  [[nodiscard]] Result<void> create_device(const FoundDevice& found);

  const wg::Instance instance_;
  const std::string id_;
  const Abilities abilities_;
  wg::Device device_ = nullptr;
  wg::Queue queue_ = nullptr;
  kit::HostAccess host_;
  const std::shared_ptr<Uncaught> uncaught_ = std::make_shared<Uncaught>();
  const std::shared_ptr<kit::Loss> loss_;
  std::mutex catching_;  // one Catch at a time: the scopes of some implementations are the device's, not the thread's
};

/// The failures of calls that one thread makes while it lives. Another thread's calls wait for it.
class Catch {
 public:
  explicit Catch(Context& context);
  Catch(const Catch&) = delete;
  Catch& operator=(const Catch&) = delete;
  ~Catch();

  /// The first failure since the beginning, or since `go_on`: `out_of_memory`, or `internal` with the words of the
  /// implementation; the loss where the device is lost. `what` was being done. Catches nothing from here on.
  [[nodiscard]] Result<void> check(std::string_view what);
  /// Catches again, after a check.
  void go_on() noexcept;

 private:
  [[nodiscard]] std::optional<Error> pop();

  Context& context_;
  bool is_open_ = false;
  const std::unique_lock<std::mutex> lock_;
};

}  // namespace pintle::webgpu
