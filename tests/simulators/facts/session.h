// What most rules are asked with: a context that is current, two streams, the kernels, and pinned words.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "facts/api.h"

namespace facts {

/// A context beside the first, and what was made in it.
struct OtherContext {
  Context context = nullptr;
  Stream stream = nullptr;
  Event event = nullptr;
  Function nothing = nullptr;  ///< Null where nothing was compiled.
  Function add = nullptr;
};

/// What the rules of one process share. Nothing of it is given back, since the process ends with it.
class Session {
 public:
  /// `code` is what the compiler made of the kernels; empty where nothing was compiled. `options` are those with which
  /// this program asks the same driver with the same code. Throws Unprepared.
  Session(const Api& api, std::string code, std::vector<std::string> options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// A kernel of the source; NotAsked where it is not there.
  [[nodiscard]] Function function(const char* name) const { return function_of(module_, name); }
  [[nodiscard]] Function function_of(Module module, const char* name) const;
  /// Loads the kernels once more; NotAsked where nothing was compiled.
  [[nodiscard]] Module load() const;
  [[nodiscard]] Status load(Module* module) const;

  [[nodiscard]] DevicePointer allocate(std::size_t bytes) const;
  [[nodiscard]] void* pinned(std::size_t bytes) const;
  /// So many words of pinned memory, which are 0. Every context has them.
  [[nodiscard]] unsigned* words(std::size_t count);
  [[nodiscard]] Stream create_stream() const;
  [[nodiscard]] Event create_event(unsigned flags = event_disable_timing) const;
  /// Made at the first call. It is not current.
  [[nodiscard]] const OtherContext& other_context();

  /// One item.
  template <class... Values>
  Status launch(Function kernel, Stream on, Values... values) const {
    std::array<void*, sizeof...(Values) + 1> pointers{static_cast<void*>(&values)...};
    return cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, on, pointers.data(), nullptr);
  }
  /// Waits until the stream has done everything; the code of a fault. The stream is of the current context.
  [[nodiscard]] Status finish(Stream on) const;
  /// Words of device memory, when the first stream has done everything.
  [[nodiscard]] std::vector<unsigned> read(DevicePointer from, std::size_t count) const;
  /// Writes words to device memory, and waits.
  void write(DevicePointer to, const std::vector<unsigned>& values) const;

  const Driver& cuda;
  const More& more;
  const std::vector<std::string> options;
  Context context = nullptr;
  Stream stream = nullptr;
  Stream other = nullptr;

 private:
  std::string code_;
  Module module_ = nullptr;
  unsigned* words_ = nullptr;
  std::size_t words_given_ = 0;
  std::optional<OtherContext> other_context_;
};

/// A context that is current for as long as this lives.
class Current {
 public:
  Current(const Session& session, Context context) : session_(session) {
    expect(session.cuda.cuCtxPushCurrent(context), "cuCtxPushCurrent");
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current() {
    Context popped = nullptr;
    static_cast<void>(session_.cuda.cuCtxPopCurrent(&popped));
  }

 private:
  const Session& session_;
};

/// No context is current for as long as this lives.
class NoContext {
 public:
  explicit NoContext(const Session& session) : session_(session) {
    expect(session.cuda.cuCtxPopCurrent(&popped_), "cuCtxPopCurrent");
  }
  NoContext(const NoContext&) = delete;
  NoContext& operator=(const NoContext&) = delete;
  ~NoContext() { static_cast<void>(session_.cuda.cuCtxPushCurrent(popped_)); }

 private:
  const Session& session_;
  Context popped_ = nullptr;
};

}  // namespace facts
