// The submissions of hot_path.h through the C interface: a list of one launch, or a recording of one with a slot.
#pragma once

#include <atomic>

#include "budgets/rounds.h"
#include "pintle/c/pintle.h"

namespace budgets {

class CPath {
 public:
  explicit CPath(bool is_recording);
  CPath(const CPath&) = delete;
  CPath& operator=(const CPath&) = delete;
  ~CPath() { let_go(); }

  /// Makes the list that the next `submit` takes; nothing for a recording.
  void prepare();
  /// The measured call.
  [[gnu::noinline]] void submit();

 private:
  [[gnu::noinline]] void submit_one();
  [[nodiscard]] pintle_list launch(const pintle_argument& number);
  void occupy();
  void let_go();

  bool is_recording_;
  pintle_error error_ PINTLE_ERROR_INIT;
  pintle_device device_{};
  pintle_queue queue_{};
  pintle_kernel kernel_{};
  pintle_buffer buffer_{};
  pintle_recording recording_{};
  pintle_list list_{};
  pintle_argument one_{};
  pintle_point done_{};
  std::atomic<bool> busy_{false}, released_{false};
};

/// Whether a program's only argument is "recording" and not "list"; ends it with 2 where it is neither.
bool is_recording(int count, char** arguments);

}  // namespace budgets
