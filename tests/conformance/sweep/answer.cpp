#include "conformance/sweep/answer.h"

#include <algorithm>

namespace pintle::conformance {

Answer execute(const std::function<Result<void>(Run&)>& scenario, Context& test) {
  Run run(test);
  Answer answer{scenario(run), {}};
  answer.errors = run.finish(answer.result);
  answer.wrong = run.bytes_are_wrong();
  answer.callbacks = run.callbacks_came_once();
  return answer;
}

std::vector<std::string> troubles_of_clean_run(const Answer& answer, Context& context) {
  std::vector<std::string> troubles;
  if (!answer.result) troubles.push_back("fails: " + answer.result.error().text());
  for (const Error& error : answer.errors) troubles.push_back("a wait fails: " + error.text());
  if (answer.wrong) troubles.emplace_back("bytes are wrong");
  if (!answer.callbacks) troubles.emplace_back("a callback does not come exactly once");
  const auto idle = context.device().wait_idle(patience);
  if (!idle) troubles.push_back("the device does not come to rest: " + idle.error().text());
  const auto unused = [&] {
    const auto heaps = context.device().budget();
    return heaps && std::ranges::all_of(*heaps, [](const Heap& heap) { return heap.used == 0; });
  };
  if (!context.eventually(unused)) troubles.emplace_back("memory is still held");
  return troubles;
}

}  // namespace pintle::conformance
