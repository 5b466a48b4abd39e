// What the standard allows, and a card does (NVIDIA's driver 580 at 1,021 launches): a queue has room for so many
// commands, and then an enqueue blocks until one has ended. A full queue flushes itself. What stands behind a user
// event that is not set takes no room, since it could never make any.
#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <type_traits>

#include "enqueues.h"
#include "habit.h"

namespace pintle::hostile {
namespace {

constexpr std::size_t most = 8;

struct Command {
  cl_event event = nullptr;
  cl_event user = nullptr;  // what it waits for, by itself or behind another
};

struct FullQueue {
  static inline cl_icd_dispatch next;

  template <class Enqueue, class Run>
  static auto around(Enqueue& enqueue, Run run);
};

std::mutex mutex;
auto& queues = *new std::map<cl_command_queue, std::deque<Command>>;
auto& unset = *new std::set<cl_event>;  // user events

bool has_ended(cl_event event) {
  cl_int state = CL_QUEUED;
  FullQueue::next.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  return state <= CL_COMPLETE;
}

bool takes_room(const Command& command) { return !unset.contains(command.user); }

/// Called with the lock held. The oldest command that takes room, with a reference, where there is no room.
cl_event find_full(cl_command_queue queue) {
  auto& commands = queues[queue];
  while (!commands.empty() && has_ended(commands.front().event)) {
    FullQueue::next.clReleaseEvent(commands.front().event);
    commands.pop_front();
  }
  if (static_cast<std::size_t>(std::ranges::count_if(commands, takes_room)) < most) return nullptr;
  const cl_event oldest = std::ranges::find_if(commands, takes_room)->event;
  FullQueue::next.clRetainEvent(oldest);
  return oldest;
}

void wait_for_room(cl_command_queue queue) {
  for (;;) {
    cl_event oldest = nullptr;
    {
      const std::lock_guard lock(mutex);
      oldest = find_full(queue);
    }
    if (oldest == nullptr) return;
    FullQueue::next.clFlush(queue);
    FullQueue::next.clWaitForEvents(1, &oldest);
    FullQueue::next.clReleaseEvent(oldest);
  }
}

void add(cl_command_queue queue, cl_event event, std::span<const cl_event> waits) {
  const std::lock_guard lock(mutex);
  auto& commands = queues[queue];
  const auto user = std::ranges::find_if(waits, [](cl_event each) { return unset.contains(each); });
  const cl_event before = commands.empty() ? nullptr : commands.back().user;
  commands.push_back({event, user != waits.end() ? *user : before});
}

template <class Answer>
bool is_good(Answer answer) {
  if constexpr (std::is_pointer_v<Answer>) return answer != nullptr;
  else return answer == CL_SUCCESS;
}

template <class Enqueue, class Run>
auto FullQueue::around(Enqueue& enqueue, Run run) {
  wait_for_room(enqueue.queue());
  cl_event own = nullptr;
  cl_event* const given = enqueue.event();
  if (given == nullptr) enqueue.set_event(&own);
  const auto answer = run();
  if (!is_good(answer)) return answer;
  if (given != nullptr) next.clRetainEvent(own = *given);
  add(enqueue.queue(), own, {enqueue.waits(), enqueue.wait_count()});
  return answer;
}

cl_event CL_API_CALL create_user_event(cl_context context, cl_int* status) {
  const cl_event made = FullQueue::next.clCreateUserEvent(context, status);
  const std::lock_guard lock(mutex);
  if (made != nullptr) unset.insert(made);
  return made;
}

cl_int CL_API_CALL set_user_event(cl_event event, cl_int state) {
  {
    const std::lock_guard lock(mutex);
    unset.erase(event);
  }
  return FullQueue::next.clSetUserEventStatus(event, state);
}

/// Its events would keep the queue.
cl_int CL_API_CALL release_queue(cl_command_queue queue) {
  cl_uint references = 0;
  FullQueue::next.clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof references, &references, nullptr);
  std::deque<Command> ended;
  {
    const std::lock_guard lock(mutex);
    const auto found = queues.find(queue);
    const bool is_last = found != queues.end() && references <= 1 + found->second.size();
    if (is_last) ended = std::move(queues.extract(found).mapped());
  }
  const cl_int status = FullQueue::next.clReleaseCommandQueue(queue);
  for (const Command& command : ended) FullQueue::next.clReleaseEvent(command.event);
  return status;
}

}  // namespace

void install_full_queue(cl_icd_dispatch& table) {
  FullQueue::next = table;
  stand_around_enqueues<FullQueue>(table);
  table.clCreateUserEvent = &create_user_event;
  table.clSetUserEventStatus = &set_user_event;
  table.clReleaseCommandQueue = &release_queue;
}

}  // namespace pintle::hostile
