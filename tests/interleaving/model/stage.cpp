#include "interleaving/model/stage.h"

namespace pintle::interleaving {
namespace {

std::vector<Scenario>& registered() {
  static auto& list = *new std::vector<Scenario>;
  return list;
}

}  // namespace

const std::vector<Scenario>& scenarios() { return registered(); }

Registration::Registration(std::initializer_list<Scenario> scenarios) {
  registered().insert(registered().end(), scenarios);
}

Stage::~Stage() {
  if (execution_.violation()) {
    static auto& abandoned = *new std::vector<std::vector<Thing>>;  // reachable, so no leak is reported
    abandoned.push_back(std::move(things_));
    return;
  }
  for (auto thing = things_.rbegin(); thing != things_.rend(); ++thing) {
    if (thing->end != nullptr) thing->end(thing->memory);
    thing->free(thing->memory);
  }
}

void Stage::run() {
  execution_.run();
  for (const auto& check : final_checks_) {
    if (!execution_.violation()) check();
  }
}

}  // namespace pintle::interleaving
