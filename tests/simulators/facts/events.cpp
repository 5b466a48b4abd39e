// What events tell, and when.
#include "facts/held.h"

namespace facts {
namespace {

std::string wait_for_unrecorded(Session& session) {
  const Status waited = session.cuda.cuStreamWaitEvent(session.stream, session.create_event(), 0);
  return codes({waited, session.finish(session.stream)});
}

/// Behind a kernel that is held, and when it has ended.
std::string query(Session& session) {
  const Event event = session.create_event();
  Status before = Status::CUDA_SUCCESS;
  {
    Held held(session);
    expect(session.cuda.cuEventRecord(event, session.stream), "cuEventRecord");
    before = session.cuda.cuEventQuery(event);
  }
  expect(session.finish(session.stream), "the wait for the stream");
  return codes({before, session.cuda.cuEventQuery(event)});
}

std::string record_again_while_pending(Session& session) {
  const Event event = session.create_event();
  Held held(session);
  const Status first = session.cuda.cuEventRecord(event, session.stream);
  return codes({first, session.cuda.cuEventRecord(event, session.stream)});
}

/// A stream waits for a record that stands before a second held kernel; the event is then recorded behind that one.
std::string wait_keeps_its_record(Session& session) {
  const Event event = session.create_event();
  unsigned* const flag = session.words(1);
  unsigned* const gate = session.words(2);
  const Function hold = session.function("hold"), add = session.function("add");
  Held held(session);
  expect(session.cuda.cuEventRecord(event, session.stream), "cuEventRecord");
  expect(session.cuda.cuStreamWaitEvent(session.other, event, 0), "cuStreamWaitEvent");
  expect(session.launch(add, session.other, flag, 1u), "cuLaunchKernel");
  expect(session.launch(hold, session.stream, gate), "cuLaunchKernel");
  const Status recorded = session.cuda.cuEventRecord(event, session.stream);
  held.open();
  const bool is_first = comes([&] { return *static_cast<volatile unsigned*>(flag) != 0; });
  *static_cast<volatile unsigned*>(gate) = 1;
  expect(recorded, "cuEventRecord");
  return is_first ? "yes" : "no";
}

/// What the elapsed time between two events answers; `record` records what it will of them, and waits.
template <class Record>
std::string elapsed(Session& session, unsigned flags_of_second, Record record) {
  const Event first = session.create_event(event_default), second = session.create_event(flags_of_second);
  record(first, second);
  float milliseconds = 0;
  return text(session.cuda.cuEventElapsedTime(&milliseconds, first, second));
}

std::string elapsed_unrecorded(Session& session) {
  return elapsed(session, event_default, [](Event, Event) {});
}

std::string elapsed_half_recorded(Session& session) {
  return elapsed(session, event_default, [&](Event first, Event) {
    expect(session.cuda.cuEventRecord(first, session.stream), "cuEventRecord");
    expect(session.finish(session.stream), "the wait for the stream");
  });
}

/// The second is recorded first, where the time is wanted in reverse.
std::string elapsed_recorded(Session& session, unsigned flags_of_second) {
  return elapsed(session, flags_of_second, [&](Event first, Event second) {
    expect(session.cuda.cuEventRecord(second, session.stream), "cuEventRecord");
    expect(session.cuda.cuEventRecord(first, session.stream), "cuEventRecord");
    expect(session.finish(session.stream), "the wait for the stream");
  });
}

std::string elapsed_pending(Session& session) {
  const Event first = session.create_event(event_default), second = session.create_event(event_default);
  expect(session.cuda.cuEventRecord(first, session.stream), "cuEventRecord");
  const Held held(session);  // first it waits for the stream
  expect(session.cuda.cuEventRecord(second, session.stream), "cuEventRecord");
  float milliseconds = 0;
  return text(session.cuda.cuEventElapsedTime(&milliseconds, first, second));
}

constexpr Rule rules[] = {
    {"event.a_wait_keeps_the_record_that_it_saw", "not measured", &wait_keeps_its_record},
    {"event.query_unrecorded", "line 221", [](Session& s) { return text(s.cuda.cuEventQuery(s.create_event())); }},
    {"event.wait_for_unrecorded", "lines 223 and 224", &wait_for_unrecorded},
    {"event.query_before_and_after", "lines 1049 and 722", &query},
    {"event.record_again_while_pending", "line 508", &record_again_while_pending},
    {"event.time_between_unrecorded", "line 225", &elapsed_unrecorded},
    {"event.time_to_unrecorded", "line 226", &elapsed_half_recorded},
    {"event.time_to_one_without_time", "line 227",
     [](Session& s) { return elapsed_recorded(s, event_disable_timing); }},
    {"event.time_to_a_pending_one", "line 228", &elapsed_pending},
    {"event.time_in_reverse", "line 229", [](Session& s) { return elapsed_recorded(s, event_default); }},
};

}  // namespace

std::span<const Rule> event_rules() { return rules; }

}  // namespace facts
