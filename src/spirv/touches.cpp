#include "spirv/touches.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace pintle::spirv {
namespace {

using Ids = std::vector<std::uint32_t>;

/// The bodies of the function and of all that it calls.
std::vector<const Body*> bodies_of(const Tables& tables, std::uint32_t function) {
  std::vector<const Body*> bodies;
  std::set<std::uint32_t> seen{function};
  for (Ids rest{function}; !rest.empty();) {
    const auto found = tables.bodies.find(rest.back());
    rest.pop_back();
    if (found == tables.bodies.end()) continue;
    bodies.push_back(&found->second);
    for (const Call& call : found->second.calls) {
      if (seen.insert(call.function).second) rest.push_back(call.function);
    }
  }
  return bodies;
}

using Passed = std::unordered_map<std::uint32_t, Ids>;

/// What callers pass for each parameter.
Passed passed_in(const Tables& tables, const std::vector<const Body*>& bodies) {
  Passed passed;
  for (const Body* const body : bodies) {
    for (const Call& call : body->calls) {
      const auto callee = tables.bodies.find(call.function);
      if (callee == tables.bodies.end()) continue;
      const Ids& parameters = callee->second.parameters;
      for (std::size_t index = 0; index < std::min(parameters.size(), call.arguments.size()); ++index)
        passed[parameters[index]].push_back(call.arguments[index]);
    }
  }
  return passed;
}

/// The ids, and all that they are made of.
std::set<std::uint32_t> reached_from(std::set<std::uint32_t> ids, const Tables& tables, const Passed& passed) {
  for (Ids rest(ids.begin(), ids.end()); !rest.empty();) {
    const std::uint32_t pointer = rest.back();
    rest.pop_back();
    const auto follow = [&](const auto& from) {
      const auto found = from.find(pointer);
      if (found == from.end()) return;
      for (const std::uint32_t base : found->second) {
        if (ids.insert(base).second) rest.push_back(base);
      }
    };
    follow(tables.bases);
    follow(passed);
  }
  return ids;
}

}  // namespace

std::vector<std::uint32_t> touched_by(const Tables& tables, std::uint32_t function,
                                      std::set<std::uint32_t> Body::* how) {
  const auto bodies = bodies_of(tables, function);
  std::set<std::uint32_t> touched;
  for (const Body* const body : bodies) touched.insert((body->*how).begin(), (body->*how).end());
  touched = reached_from(std::move(touched), tables, passed_in(tables, bodies));
  return {touched.begin(), touched.end()};
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> combined_by(const Tables& tables, std::uint32_t function) {
  const auto bodies = bodies_of(tables, function);
  const auto passed = passed_in(tables, bodies);
  const std::set<std::uint32_t> variables(tables.variables.begin(), tables.variables.end());
  std::set<std::pair<std::uint32_t, std::uint32_t>> combined;
  const auto add = [&](std::uint32_t image, std::uint32_t sampler) {
    for (const std::uint32_t from : reached_from({image}, tables, passed)) {
      if (!variables.contains(from)) continue;
      for (const std::uint32_t by : reached_from({sampler}, tables, passed)) {
        if (variables.contains(by)) combined.emplace(from, by);
      }
    }
  };
  for (const Body* const body : bodies) {
    for (const auto& [image, sampler] : body->combined) add(image, sampler);
  }
  return {combined.begin(), combined.end()};
}

}  // namespace pintle::spirv
