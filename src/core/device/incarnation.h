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
#include <utility>
#include <vector>

#include "base/fork.h"
#include "base/mutex.h"
#include "core/buffers/buffer_record.h"
#include "core/buffers/object_table.h"
#include "core/buffers/queue_order.h"
#include "core/buffers/stamps.h"
#include "core/queue/queue_state.h"
#include "core/time/worklist.h"
#include "pintle/backend/driver.h"
#include "pintle/buffer.h"
#include "pintle/pool.h"

namespace pintle::core {

struct Flight;
class Loan;
class PoolState;
class ProgramState;
class RecordingState;

/// A submission in the making, to the checks of what it names.
struct Use {
  Stamp stamp;
  Flight& flight;
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

  /// Expires when the device of the backend is gone, which is later than the incarnation's own weak pointers do.
  [[nodiscard]] std::weak_ptr<const void> presence() const noexcept { return presence_; }
  [[nodiscard]] base::Mutex& mutex() noexcept { return mutex_; }
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
  /// Host memory in place, from `offset` on; `keeper` is let go after the last use.
  Result<Buffer> import_host(std::span<std::byte> bytes, std::uint64_t offset, DType dtype, const Shape& shape,
                             const std::string& label, std::shared_ptr<const void> keeper);
  void destroy_buffer(std::uint64_t id) noexcept;
  /// The live incarnation that views with this number belong to; null when it has gone.
  [[nodiscard]] static std::shared_ptr<Incarnation> find(std::uint64_t number);
  /// Maps a live buffer for another device; `unsupported` where it cannot be mapped.
  Result<std::shared_ptr<Loan>> lend(std::uint64_t id, Access access);
  /// Exports a live buffer to another device; `unsupported` where it cannot be exported.
  Result<std::shared_ptr<Loan>> share(std::uint64_t id, Access access, backend::Exported& exported);
  /// Where a live buffer's bytes are, for somebody outside who will use them so; `stale`, `invalid_argument` where it
  /// is sealed or shared. They stay there from now on.
  Result<backend::Range> pin(std::uint64_t id, Access access);
  /// Where they are now; `stale` for a buffer that is gone.
  Result<backend::Range> place_of(std::uint64_t id);
  Result<void> seal(std::uint64_t id);
  /// Lets `kept` go with a live buffer, and before what that keeps already.
  void keep(std::uint64_t id, std::shared_ptr<const void> kept);
  /// `invalid_argument` for a write to a sealed buffer. One that is gone is for others to refuse.
  [[nodiscard]] Result<void> check_access(std::uint64_t id, Access access);
  [[nodiscard]] bool is_sealed(std::uint64_t id);
  /// Waits for the work that used a pool's memory before this buffer did.
  Result<void> await_memory(std::uint64_t id, Deadline deadline);
  /// Waits until all these are finished.
  Result<void> wait_for(const Stamps& stamps, Deadline deadline);
  /// A buffer with the same bytes and no copy; null where it must be copied at once, or the reason why not.
  Result<std::optional<Buffer>> fork(const QueueState& queue, const BufferView& of, const std::string& label);

  /// A user's handle to a new pool.
  Result<std::shared_ptr<PoolState>> create_pool(PoolOptions options);
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
  Result<void> resolve(CommandList& list, Use* use);
  /// Gives a buffer bytes of its own, behind everything that uses them; its copy goes to the front of the flight.
  Result<void> unshare(std::uint64_t id, Use& use);
  /// The flight was refused: buffers that it gave bytes of their own have those that they had.
  void undo(Flight& flight, Worklist& worklist) noexcept;
  /// Refuses what nobody may do with a sealed, shared or lazy buffer in a replay; `access` is how it is bound.
  Result<void> check_bound(std::uint64_t id, Access access);
  /// A lazy, sealed or shared buffer has been made at some time.
  [[nodiscard]] bool has_specials() const noexcept { return has_specials_; }
  /// A buffer over memory that is there.
  [[nodiscard]] NewBuffer keep_buffer(BufferRecord record, DType dtype, const Shape& shape);
  /// The same for a record that is filled in already where it is.
  [[nodiscard]] NewBuffer hand_out_buffer(std::uint64_t id, std::uint64_t size, DType dtype, const Shape& shape) {
    count_held();
    return {this, id, size, dtype, shape};
  }
  /// The next record needs no memory.
  void reserve_record() { buffers_.reserve_one(); }
  [[nodiscard]] std::pair<std::uint64_t, BufferRecord*> make_record() { return buffers_.make(); }
  /// Bytes of what is asked for, checked against the device's limits.
  [[nodiscard]] Result<std::uint64_t> check_request(DType dtype, const Shape& shape, std::uint64_t alignment) const;
  [[nodiscard]] bool is_finished(const Stamps& stamps) const noexcept;
  [[nodiscard]] bool is_finished(const Stamp& stamp) const noexcept;
  /// Whether work that `queue` gets from now on comes after all these.
  [[nodiscard]] bool is_after(const QueueState& queue, const Stamps& stamps) const;
  /// A submission waits for another.
  void note_order(Stamp later, Stamp earlier);
  [[nodiscard]] const ObjectTable<BufferRecord>& buffers() const noexcept { return buffers_; }
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
  /// A user holds one more buffer or pool; all of these share one lease. With the lock held.
  void count_held() {
    if (held_++ == 0) held_lease_ = lease();
  }
  /// One less; returns the lease when it was the last, to be dropped without the lock.
  [[nodiscard]] std::shared_ptr<Incarnation> count_gone() noexcept {
    return --held_ == 0 ? std::exchange(held_lease_, nullptr) : nullptr;
  }
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
  void retire_memory(BufferRecord& record, Worklist& worklist);
  void give_back(Origin&& origin, backend::MemoryId memory, Stamps&& stamps, Worklist& worklist);
  [[nodiscard]] bool has_retired();
  void abandon(const std::shared_ptr<PoolState>& pool) noexcept;
  void dispose_pools(Worklist& worklist);
  [[nodiscard]] std::shared_ptr<QueueState> find_queue(std::uint64_t number) const noexcept;
  template <class Lend>
  Result<std::shared_ptr<Loan>> loan_of(std::uint64_t id, Access access, Lend lend);
  Result<backend::MemoryId> allocate_memory(const backend::MemoryRequest& request);
  [[nodiscard]] NewBuffer keep_import(backend::MemoryId imported, BufferRecord record, DType dtype, const Shape& shape);
  Result<void> prepare(CommandList& list, Use* use);
  Result<void> ready(BufferRecord& record, std::uint64_t id, Access access, Use* use);
  Result<void> materialize(BufferRecord& record);
  void settle(BufferRecord& record);
  void wait_behind(const Stamps& stamps, Use& use);
  Result<void> copy_apart(BufferRecord& record, std::uint64_t id, Use& use);
  [[nodiscard]] Error shared_refusal(std::uint64_t id);
  [[nodiscard]] Error sealed_refusal(std::uint64_t id);
  [[nodiscard]] bool is_shared(std::uint64_t id);
  template <class Create>
  Result<std::shared_ptr<QueueState>> make_queue(const QueueOptions& options, std::string_view what, Create create);
  [[nodiscard]] Error describe_exhaustion(const Error& error);
  [[nodiscard]] Error exhausted_locked(const Error& error) const;
  [[nodiscard]] std::vector<std::shared_ptr<QueueState>> queues();

  const std::shared_ptr<const void> presence_ = std::make_shared<char>();  // before the device: goes after it
  base::Mutex mutex_;
  std::unique_ptr<backend::Device> device_;
  DeviceInfo info_;
  std::uint64_t generation_;
  std::uint64_t number_;
  std::weak_ptr<Lease> lease_;

  std::atomic<bool> lost_{false};
  std::optional<Error> loss_;  // written once, before lost_
  std::atomic<std::uint64_t> successor_{0};
  std::uint64_t held_ = 0;
  std::shared_ptr<Incarnation> held_lease_;  // while there is one

  ObjectTable<BufferRecord> buffers_;
  std::vector<std::shared_ptr<QueueState>> queues_;
  std::uint64_t next_queue_ = 1;
  std::uint64_t next_recording_ = 1;
  std::uint64_t next_pool_ = 1;
  std::vector<Retired> retired_;
  std::vector<std::shared_ptr<PoolState>> pools_;
  QueueOrder order_;
  bool has_specials_ = false;
};

}  // namespace pintle::core
