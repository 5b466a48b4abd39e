// What a copy and a fill of a launched graph may become.
#include <vector>

#include "facts/drawn.h"

namespace facts {
namespace {

constexpr std::size_t half = 1024;  // words

/// A copy of pinned words to device memory, and a fill behind it. `x` has room for two of each.
struct Pair {
  explicit Pair(Session& given)
      : session(given), graph(given), x(given.allocate(4 * half * 4)), source(given.words(2 * half)) {
    session.write(x, std::vector<unsigned>(4 * half, 0));
    for (std::size_t index = 0; index < 2 * half; ++index) source[index] = index < half ? 1 : 2;
    copy = Drawn::upload_of(x, source, 4 * half);
    fill = FillNode{x + 8 * half, 0, 5, 4, half, 1};
    copied = graph.copy({}, copy);
    filled = graph.fill({copied}, fill);
    graph.instantiate();
  }
  /// The code of the change, and the first words of the four parts when it has run: "0: 1 0 5 0".
  std::string after(Status set) {
    expect(graph.launch(session.stream), "cuGraphLaunch");
    const std::vector<unsigned> found = session.read(x, 4 * half);
    std::string line = text(set) + ":";
    for (std::size_t part = 0; part < 4; ++part) line += " " + std::to_string(found[part * half]);
    return line;
  }

  Session& session;
  Drawn graph;
  DevicePointer x;
  unsigned* source;
  CopyNode copy;
  FillNode fill;
  GraphNode copied = nullptr, filled = nullptr;
};

/// What the pair does where `change` has changed what its copy does.
template <class Change>
std::string with_copy(Session& session, Change change) {
  Pair pair(session);
  change(pair);
  return pair.after(pair.graph.set(pair.copied, pair.copy));
}

template <class Change>
std::string with_fill(Session& session, Change change) {
  Pair pair(session);
  change(pair);
  return pair.after(pair.graph.set(pair.filled, pair.fill));
}

std::string as_built(Session& session) { return Pair(session).after(Status::CUDA_SUCCESS); }

std::string copy_of_pageable_memory(Session& session) {
  std::vector<unsigned> pageable(half, 9);
  return with_copy(session, [&](Pair& pair) { pair.copy.from.host = pageable.data(); });
}

std::string copy_on_the_device(Session& session) {
  return with_copy(session, [](Pair& pair) { pair.copy = Drawn::copy_of(pair.x, pair.x + 8 * half, 4 * half); });
}

std::string copy_to_another_allocation(Session& session) {
  const DevicePointer other = session.allocate(4 * half);
  return with_copy(session, [&](Pair& pair) { pair.copy.to.device = other; });
}

std::string fill_of_another_allocation(Session& session) {
  const DevicePointer other = session.allocate(4 * half);
  return with_fill(session, [&](Pair& pair) { pair.fill.to = other; });
}

constexpr Rule rules[] = {
    {"graph.copy_and_fill", "line 441", &as_built},
    {"graph.copy_from_elsewhere", "line 442",
     [](Session& s) { return with_copy(s, [](Pair& pair) { pair.copy.from.host = pair.source + half; }); }},
    {"graph.copy_to_elsewhere", "line 443",
     [](Session& s) { return with_copy(s, [](Pair& pair) { pair.copy.to.device = pair.x + 4 * half; }); }},
    {"graph.copy_of_another_size", "line 444",
     [](Session& s) { return with_copy(s, [](Pair& pair) { pair.copy.width = 8 * half; }); }},
    {"graph.copy_from_pageable_memory", "line 445", &copy_of_pageable_memory},
    {"graph.copy_becomes_one_on_the_device", "line 446", &copy_on_the_device},
    {"graph.copy_to_another_allocation", "line 452", &copy_to_another_allocation},
    {"graph.fill_with_another_value", "line 447",
     [](Session& s) { return with_fill(s, [](Pair& pair) { pair.fill.value = 6; }); }},
    {"graph.fill_of_elsewhere", "line 448",
     [](Session& s) { return with_fill(s, [](Pair& pair) { pair.fill.to = pair.x + 12 * half; }); }},
    {"graph.fill_of_another_width", "line 449",
     [](Session& s) { return with_fill(s, [](Pair& pair) { pair.fill.width = 2 * half; }); }},
    {"graph.fill_of_bytes", "line 450",
     [](Session& s) { return with_fill(s, [](Pair& pair) { pair.fill.element_bytes = 1; }); }},
    {"graph.fill_of_another_allocation", "line 451", &fill_of_another_allocation},
};

}  // namespace

std::span<const Rule> graph_node_rules() { return rules; }

}  // namespace facts
