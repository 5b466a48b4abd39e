// The threads that run a queue: one that submits, some that wait and take what was left, the worker that has the
// watch. The steps are those of `host::Queue` and `host::Lookout`, over the real claim.
#include "host/claim.h"

#include <mutex>

#include "interleaving/model/model_sync.h"
#include "interleaving/model/stage.h"

namespace pintle::interleaving {
namespace {

using Claim = host::BasicClaim<ModelSync>;

struct Work {
  explicit Work(Stage& on) : stage(on) {
    stage.finally([this] {
      const bool is_looked_after = claim.is_left() && is_listed;
      stage.check(ran.load() == submitted.load() || is_looked_after, Fault::unanswered, "Work is left lying.");
    });
  }

  void leave() {
    submitted.fetch_add(1);
    if (claim.leave() != Claim::Submitted::unwatched) return;
    const std::lock_guard lock(list);
    is_listed = true;
    claim.watch();
  }
  /// The worker that it is given to is this thread too.
  void hand_over() {
    submitted.fetch_add(1);
    if (claim.hand_over() == Claim::Submitted::mine) run();
  }
  void take() {
    if (claim.take()) run();
  }
  void look() {
    take();
    const std::lock_guard lock(list);
    if (is_listed && claim.unwatch()) is_listed = false;
  }

  /// By the owner.
  void run() {
    do {
      stage.check(owners.fetch_add(1) == 0, Fault::wrong_answer, "Two own a queue.");
      ran.store(submitted.load());
      owners.fetch_sub(1);
    } while (!claim.release());
  }

  Stage& stage;
  Claim claim;
  ModelSync::Atomic<int> submitted{0};
  ModelSync::Atomic<int> ran{0};
  ModelSync::Atomic<int> owners{0};
  ModelSync::Mutex list;
  bool is_listed = false;
};

void claim_left_and_taken(Stage& stage) {
  auto& work = stage.make<Work>(stage);
  stage.thread("leaves twice", [&] {
    work.leave();
    work.leave();
  });
  stage.thread("waits", [&] { work.take(); });
  stage.thread("waits too", [&] { work.take(); });
}

void claim_left_and_watched(Stage& stage) {
  auto& work = stage.make<Work>(stage);
  work.leave();
  stage.thread("leaves", [&] { work.leave(); });
  stage.thread("waits", [&] { work.take(); });
  stage.thread("looks", [&] { work.look(); });
}

void claim_left_then_handed_over(Stage& stage) {
  auto& work = stage.make<Work>(stage);
  stage.thread("submits", [&] {
    work.leave();
    work.hand_over();
  });
  stage.thread("waits", [&] { work.take(); });
}

void claim_handed_over_and_left(Stage& stage) {
  auto& work = stage.make<Work>(stage);
  stage.thread("submits", [&] {
    work.hand_over();
    work.leave();
  });
  stage.thread("looks", [&] { work.look(); });
  stage.thread("waits", [&] { work.take(); });
}

const Registration registration = {
    {"claim_left_and_taken", claim_left_and_taken},
    {"claim_left_and_watched", claim_left_and_watched},
    {"claim_left_then_handed_over", claim_left_then_handed_over},
    {"claim_handed_over_and_left", claim_handed_over_and_left},
};

}  // namespace
}  // namespace pintle::interleaving
