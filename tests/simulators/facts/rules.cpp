#include <algorithm>
#include <vector>

#include "facts/rule.h"

namespace facts {

std::span<const Rule* const> all_rules() {
  static const auto& all = *[] {
    auto* const rules = new std::vector<const Rule*>;
    for (const auto of_subject :
         {&depth_rules, &device_rules, &context_rules, &launch_rules, &argument_rules, &event_rules, &memory_rules,
          &registration_rules, &source_rules, &module_rules, &graph_rules, &graph_node_rules, &waiting_rules,
          &copy_waiting_rules, &ended_rules, &fork_rules, &endless_rules, &fault_rules}) {
      for (const Rule& rule : of_subject()) rules->push_back(&rule);
    }
    std::ranges::stable_partition(*rules, [](const Rule* rule) { return rule->runs == Runs::together; });
    return rules;
  }();
  return all;
}

const Rule* find_rule(std::string_view name) {
  const auto rules = all_rules();
  const auto found = std::ranges::find(rules, name, [](const Rule* rule) { return rule->name; });
  return found == rules.end() ? nullptr : *found;
}

}  // namespace facts
