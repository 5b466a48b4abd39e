// Every public function, by name, with what it is called on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pintle/pintle.h"

namespace pintle::door {

/// One of each. Default-made they are empty.
struct Objects {
  Device device;
  Queue queue;
  Buffer buffer;
  BufferView view;
  Pool pool;
  Recording recording;
  Program program;
  Kernel kernel;
  ProgramPack pack;
  std::optional<Signal> signal;  // none is default-made
  Point point;
  Point pending;
  Arena arena;
  Handle handle;
  HandleSet set;
  Group group;
  GroupQueue group_queue;
  SymmetricHeap heap;
  SymmetricBuffer symmetric;
  SymmetricSignals signals;

  /// All of them on a device.
  [[nodiscard]] static Objects make(const char* id);
};

/// What a call does where it cannot do its work.
enum class Kind : unsigned char {
  refused,  ///< An error: of an empty object by name, in a forked child `unavailable`.
  plain,    ///< A value, or an answer that needs nothing.
  maker,    ///< As `refused` in a forked child; elsewhere it needs no object.
};

struct Row {
  std::string name;
  Kind kind = Kind::plain;
  std::function<std::optional<Error>(Objects&)> call;  // the error, if there is one
};

class Table {
 public:
  /// A call that answers a Result is refused, and any other plain, unless `kind` says otherwise.
  template <class Call>
  void add(std::string name, Call call, std::optional<Kind> kind = {}) {
    using Answer = std::invoke_result_t<Call, Objects&>;
    constexpr bool is_result = requires(const Answer& answer) { answer.error(); };
    rows_.push_back({std::move(name), kind.value_or(is_result ? Kind::refused : Kind::plain),
                     [call = std::move(call)](Objects& objects) -> std::optional<Error> {
                       if constexpr (is_result) {
                         const Answer answer = call(objects);
                         return answer ? std::nullopt : std::optional(answer.error());
                       } else {
                         static_cast<void>(call(objects));
                         return std::nullopt;
                       }
                     }});
  }
  [[nodiscard]] std::vector<Row> take() { return std::move(rows_); }

 private:
  std::vector<Row> rows_;
};

void add_core(Table& table);
void add_memory(Table& table);
void add_collectives(Table& table);
[[nodiscard]] std::vector<Row> all_rows();

}  // namespace pintle::door
