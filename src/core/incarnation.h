// One life of a physical device: from opening to loss or close.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fork.h"
#include "core/object_table.h"
#include "core/queue_state.h"
#include "core/stamps.h"
#include "core/worklist.h"
#include "pintle/backend/driver.h"
#include "pintle/buffer.h"

namespace pintle::core {

class Loan;
class ProgramState;
class RecordingState;

/// What stands behind a Buffer.
struct BufferRecord {
  backend::MemoryId memory = backend::MemoryId::none;
  std::uint64_t size = 0;
  std::string label;
  Stamps stamps;
  std::weak_ptr<Loan> loan{};
};

/// Whether an error of a backend ends the incarnation.
[[nodiscard]] constexpr bool is_loss(Errc code) noexcept {
  return code == Errc::device_lost || code == Errc::process_poisoned;
}

/// A backend device, its lock, and everything made on it.
///
/// Lifetime: what a user holds (Device, Buffer, Queue, Program, Recording) shares a *lease*; when the last one goes,
/// the device is closed: drained with a deadline, its queues given up. What the library holds shares the incarnation
/// itself, so a thread that still waits for a point finds the backend alive. `lease()` makes pointers of the first
/// kind, `shared_from_this` of the second.
///
/// Locks: `mutex()` guards the tables, the queues and their rings, and is held around `submit`, `record`, `forget`,
/// `create_queue` and `destroy_queue` of the backend. Under it only leaves are locked (timelines, promises, the
/// reactor's inbox). Two incarnations' mutexes are never held together.
class Incarnation : public std::enable_shared_from_this<Incarnation> {
 public:
  /// Opens the device and returns a lease.
  static Result<std::shared_ptr<Incarnation>> open(const std::string& id, std::uint64_t generation,
                                                   std::unique_ptr<backend::Device> device);
  Incarnation(std::string id, std::uint64_t generation, std::unique_ptr<backend::Device> device);
  ~Incarnation();

  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }
  [[nodiscard]] backend::Device& device() noexcept { return *device_; }
  [[nodiscard]] const DeviceInfo& info() const noexcept { return info_; }
  [[nodiscard]] const std::string& id() const noexcept { return info_.id; }
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
  /// Unique in the process: what views carry.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] bool is_driven() const noexcept { return info_.progress == Progress::driven; }

  [[nodiscard]] bool is_lost() const noexcept { return lost_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_usable() const noexcept { return !base::in_forked_child() && !is_lost(); }
  /// Success while the incarnation is usable; otherwise `unavailable` (forked child), the first cause of the loss, or
  /// `stale` naming both generations once there is a successor. `object` is what was used: "[Queue 2]".
  [[nodiscard]] Result<void> usable(std::string_view object) const;
  /// The first cause; only of a lost incarnation.
  [[nodiscard]] const Error& loss() const noexcept { return *loss_; }
  /// A successor has been opened.
  void supersede(std::uint64_t generation) noexcept { successor_.store(generation, std::memory_order_release); }
  /// Why an object of this incarnation does not go with `other`: `stale` for an earlier generation of the same device,
  /// `invalid_argument` for another device.
  [[nodiscard]] Error foreign(std::string_view object, const Incarnation& other) const;
  /// Success for this incarnation's number; otherwise as `foreign`.
  [[nodiscard]] Result<void> check_owner(std::uint64_t number, std::string_view object) const;

  /// Names the device in an error of the backend; a loss ends the incarnation, and the first cause is returned. Takes
  /// the lock.
  [[nodiscard]] Error report(const Error& error);
  /// The same with the lock held.
  [[nodiscard]] Error report_locked(const Error& error, Worklist& worklist);

  Result<Buffer> allocate(DType dtype, const Shape& shape, const BufferOptions& options);
  /// A buffer over memory that the backend takes as it is.
  Result<Buffer> wrap_memory(const backend::NativeObject& memory, DType dtype, const Shape& shape,
                             const std::string& label);
  /// The bytes of another device's buffer, as a buffer of this one.
  Result<Buffer> import_memory(const backend::Exported& exported);
  void destroy_buffer(std::uint64_t id) noexcept;
  /// The live incarnation that views with this number belong to; null when it has gone.
  [[nodiscard]] static std::shared_ptr<Incarnation> find(std::uint64_t number);
  /// Maps a live buffer for another device; `unsupported` where it cannot be mapped.
  Result<std::shared_ptr<Loan>> lend(std::uint64_t id);
  /// Exports a live buffer to another device; `unsupported` where it cannot be exported.
  Result<std::shared_ptr<Loan>> share(std::uint64_t id, backend::Exported& exported);
  /// The backend's memory of a live buffer; `stale` otherwise.
  Result<backend::MemoryId> memory_of(std::uint64_t id);
  [[nodiscard]] std::string buffer_text(std::uint64_t id);

  /// A user's handle to a new queue. When the last copy goes, the queue's work goes on.
  Result<std::shared_ptr<QueueState>> create_queue(const QueueOptions& options);
  /// The same over a queue that the backend takes as it is.
  Result<std::shared_ptr<QueueState>> wrap_queue(const backend::NativeObject& queue, const QueueOptions& options);
  /// A user's handle to a new recording.
  Result<std::shared_ptr<RecordingState>> record(CommandList list);
  /// A user's handle to a loaded program.
  [[nodiscard]] std::shared_ptr<ProgramState> hand_out(std::shared_ptr<ProgramState> program);

  /// Runs a driven device until nothing is runnable, observing as it goes; does nothing on other devices.
  void drive() {
    if (is_driven()) run_driven();
  }
  /// The process ends: finishes what the backend has, with a deadline, then uses the backend no more.
  void end() noexcept;
  /// Drives, then observes every queue.
  Result<void> poll();
  Result<void> wait_idle(Deadline deadline);

  // With the lock held:
  /// Fills in memory ids; `stale` names a buffer that is gone. For a submission (`use`) also stamps the buffers and
  /// refuses slots.
  Result<void> resolve(CommandList& list, std::optional<Stamp> use);
  [[nodiscard]] BufferRecord* find_buffer(std::uint64_t id) noexcept { return buffers_.find(id); }
  [[nodiscard]] Error stale_buffer(std::uint64_t id) const;
  [[nodiscard]] std::string buffer_text_locked(std::uint64_t id);
  /// Has `dispose` called, without the lock, when every stamp is finished; dropped after a loss.
  void retire(Stamps stamps, std::function<void()> dispose, Worklist& worklist);
  /// Passes what has become free, and queues that nobody holds any more, to the worklist.
  void dispose_finished(Worklist& worklist);

 private:
  struct Lease;
  struct Retired {
    Stamps stamps;
    std::function<void()> dispose;
  };

  [[nodiscard]] std::shared_ptr<Incarnation> lease() const;
  /// A pointer to `state` that shares a lease and runs `ended` when the last copy goes.
  template <class State>
  [[nodiscard]] std::shared_ptr<State> hand_out_with(std::shared_ptr<State> state, std::function<void()> ended);
  void close() noexcept;
  void finish_close() noexcept;
  void leak(std::string_view reason) noexcept;
  Result<void> drain(Deadline deadline);
  void run_driven();
  bool drive_once();
  void abandon(const std::shared_ptr<QueueState>& queue) noexcept;
  void retire_recording(std::shared_ptr<RecordingState> recording) noexcept;
  void lose(const Error& error, Worklist& worklist) noexcept;
  void retire_memory(const BufferRecord& record, Worklist& worklist);
  [[nodiscard]] bool is_finished(const Stamps& stamps) const noexcept;
  [[nodiscard]] bool has_retired();
  template <class Lend>
  Result<std::shared_ptr<Loan>> loan_of(std::uint64_t id, Lend lend);
  Buffer keep_buffer(backend::MemoryId memory, DType dtype, const Shape& shape, const backend::MemoryRequest& request);
  template <class Create>
  Result<std::shared_ptr<QueueState>> make_queue(const QueueOptions& options, std::string_view what, Create create);
  [[nodiscard]] Error describe_exhaustion(const Error& error);
  [[nodiscard]] std::vector<std::shared_ptr<QueueState>> queues();

  std::mutex mutex_;
  std::unique_ptr<backend::Device> device_;
  DeviceInfo info_;
  std::uint64_t generation_;
  std::uint64_t number_;
  std::weak_ptr<Lease> lease_;

  std::atomic<bool> lost_{false};
  std::optional<Error> loss_;  // written once, before lost_
  std::atomic<std::uint64_t> successor_{0};
  bool closed_ = false;

  ObjectTable<BufferRecord> buffers_;
  std::vector<std::shared_ptr<QueueState>> queues_;
  std::uint64_t next_queue_ = 1;
  std::uint64_t next_recording_ = 1;
  std::vector<Retired> retired_;
};

}  // namespace pintle::core
