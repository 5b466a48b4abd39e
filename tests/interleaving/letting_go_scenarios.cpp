// A wait that returns has seen the owners go, though the core thread raises the timeline before it lets go of them.
#include "core/time/letting_go.h"
#include "interleaving/core_timeline.h"

namespace pintle::interleaving {
namespace {

/// A queue's timeline, and the owner of what its submission has borrowed.
struct Lent {
  explicit Lent(Stage& stage) : timeline(stage.make<Timeline>(0U)) {}

  // As QueueState::finish_up_to and Worklist.
  void observe() {
    letting_go.begin();
    raise(timeline, 1);
    is_gone.store(true);
    letting_go.end();
  }
  // As SignalState::wait.
  void wait_for_it(Stage& stage) {
    stage.check(wait(stage, timeline, 1) == PointStatus::reached, Fault::wrong_answer, "The point is not reached.");
    while (letting_go.is_going_on()) ModelSync::pause();
    stage.check(is_gone.load(), Fault::wrong_answer, "A wait returns before the owner has gone.");
  }

  Timeline& timeline;
  core::BasicLettingGo<ModelSync> letting_go;
  ModelSync::Atomic<bool> is_gone{false};
};

void a_wait_sees_the_owner_go(Stage& stage) {
  auto& lent = stage.make<Lent>(stage);
  stage.thread("observes", [&] { lent.observe(); });
  stage.thread("waits", [&] { lent.wait_for_it(stage); });
}

// The thread that leads now lets go of something else while the one that led before is still inside a destructor.
void two_threads_let_go(Stage& stage) {
  auto& lent = stage.make<Lent>(stage);
  stage.thread("observes", [&] { lent.observe(); });
  stage.thread("lets go, too", [&] {
    lent.letting_go.begin();
    lent.letting_go.end();
  });
  stage.thread("waits", [&] { lent.wait_for_it(stage); });
}

const Registration registration = {
    {"a_wait_sees_the_owner_go", a_wait_sees_the_owner_go},
    {"two_threads_let_go", two_threads_let_go},
};

}  // namespace
}  // namespace pintle::interleaving
