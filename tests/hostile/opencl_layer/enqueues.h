// Habits that stand before many functions: before those that it names, or before all that enqueue a command.
#pragma once

#include <CL/cl_icd.h>

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace pintle::hostile {

/// The function that stands where `Entry` stood: `Habit::before(run, arguments...)`, where `run()` calls what stood
/// there.
template <class Habit, auto Entry>
struct Before;

template <class Habit, class Returned, class... Arguments,
          Returned (CL_API_CALL* cl_icd_dispatch::*Entry)(Arguments...)>
struct Before<Habit, Entry> {
  static Returned CL_API_CALL call(Arguments... arguments) {
    return Habit::before([&] { return (Habit::next.*Entry)(arguments...); }, arguments...);
  }
};

template <class Habit, auto... Entries>
void stand_before(cl_icd_dispatch& table) {
  ((table.*Entries = &Before<Habit, Entries>::call), ...);
}

/// One enqueue. The events to wait for and the command's own event are its last three arguments, or those before a
/// last one that is the status. `Blocking` is the place of the argument that says whether it blocks; 0: it never does.
template <std::size_t Blocking, class... Arguments>
struct Enqueue {
  using Tuple = std::tuple<Arguments...>;
  static constexpr std::size_t count = sizeof...(Arguments);
  static constexpr std::size_t place =
      count - (std::is_same_v<std::tuple_element_t<count - 1, Tuple>, cl_int*> ? 2 : 1);  // of the event

  Tuple arguments;

  [[nodiscard]] cl_command_queue queue() const { return std::get<0>(arguments); }
  [[nodiscard]] bool is_blocking() const {
    if constexpr (Blocking == 0) return false;
    else return std::get<Blocking>(arguments) != CL_FALSE;
  }
  [[nodiscard]] cl_uint& wait_count() { return std::get<place - 2>(arguments); }
  [[nodiscard]] const cl_event*& waits() { return std::get<place - 1>(arguments); }
  [[nodiscard]] cl_event* event() const { return std::get<place>(arguments); }
  void set_event(cl_event* event) { std::get<place>(arguments) = event; }
};

/// The function that stands where `Entry` stood: `Habit::around(enqueue, run)`, where `run()` calls what stood there.
template <class Habit, std::size_t Blocking, auto Entry>
struct Around;

template <class Habit, std::size_t Blocking, class Returned, class... Arguments,
          Returned (CL_API_CALL* cl_icd_dispatch::*Entry)(Arguments...)>
struct Around<Habit, Blocking, Entry> {
  static Returned CL_API_CALL call(Arguments... arguments) {
    Enqueue<Blocking, Arguments...> enqueue{{arguments...}};
    return Habit::around(enqueue, [&] { return std::apply(Habit::next.*Entry, enqueue.arguments); });
  }
};

template <class Habit, std::size_t Blocking, auto... Entries>
void stand_around(cl_icd_dispatch& table) {
  ((table.*Entries = &Around<Habit, Blocking, Entries>::call), ...);
}

template <class Habit>
void stand_around_enqueues(cl_icd_dispatch& table) {
  using Table = cl_icd_dispatch;
  stand_around<Habit, 0, &Table::clEnqueueCopyBuffer, &Table::clEnqueueCopyBufferRect, &Table::clEnqueueCopyImage,
               &Table::clEnqueueCopyBufferToImage, &Table::clEnqueueCopyImageToBuffer, &Table::clEnqueueFillBuffer,
               &Table::clEnqueueFillImage, &Table::clEnqueueNDRangeKernel, &Table::clEnqueueMigrateMemObjects,
               &Table::clEnqueueMarkerWithWaitList, &Table::clEnqueueBarrierWithWaitList,
               &Table::clEnqueueUnmapMemObject, &Table::clEnqueueSVMMemFill, &Table::clEnqueueSVMUnmap>(table);
  stand_around<Habit, 1, &Table::clEnqueueSVMMemcpy, &Table::clEnqueueSVMMap>(table);
  stand_around<Habit, 2, &Table::clEnqueueReadBuffer, &Table::clEnqueueReadBufferRect, &Table::clEnqueueReadImage,
               &Table::clEnqueueWriteBuffer, &Table::clEnqueueWriteBufferRect, &Table::clEnqueueWriteImage,
               &Table::clEnqueueMapBuffer, &Table::clEnqueueMapImage>(table);
}

}  // namespace pintle::hostile
