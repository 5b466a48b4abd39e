#include "spirv/listing.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "spirv/tables.h"

namespace pintle::spirv {
namespace {

constexpr std::uint32_t op_undef = 1;
constexpr std::uint32_t op_line = 8;
constexpr std::uint32_t op_type_void = 19;
constexpr std::uint32_t op_no_line = 317;
constexpr std::uint32_t version_1_4 = 0x00010400;

/// The section of types, constants and variables begins with one of these.
bool begins_globals(std::uint32_t number) noexcept {
  return number == op_undef || number == op_line || number == op_no_line || number == op::variable ||
         (number >= op_type_void && number <= op::spec_constant_op);
}

std::string text_at(const Line& line, std::size_t first, std::size_t& next) {
  std::string text;
  for (next = first; next < line.operands.size();) {
    const std::uint32_t word = line.operands[next++];
    for (std::uint32_t shift = 0; shift < 32; shift += 8) {
      const char letter = static_cast<char>(word >> shift & 0xff);
      if (letter == '\0') return text;
      text += letter;
    }
  }
  return text;
}

std::vector<std::uint32_t> words_of(std::string_view text) {
  std::vector<std::uint32_t> words(text.size() / 4 + 1);
  for (std::size_t index = 0; index < text.size(); ++index)
    words[index / 4] |= std::uint32_t{static_cast<unsigned char>(text[index])} << index % 4 * 8;
  return words;
}

/// The functions that `first` reaches, itself included, and the ids that their code names.
std::set<std::uint32_t> named_from(const Lines& functions, std::uint32_t first) {
  std::map<std::uint32_t, std::set<std::uint32_t>> named;  // by function
  std::uint32_t current = 0;
  for (const Line& line : functions) {
    if (line.op == op::function) current = line.at(1);
    named[current].insert(line.operands.begin(), line.operands.end());  // numbers that are no ids do no harm
  }
  std::set<std::uint32_t> all{first};
  for (std::vector<std::uint32_t> rest{first}; !rest.empty();) {
    const auto found = named.find(rest.back());
    rest.pop_back();
    if (found == named.end()) continue;
    for (const std::uint32_t id : found->second) {
      if (all.insert(id).second && named.contains(id)) rest.push_back(id);
    }
  }
  return all;
}

void drop_functions(Lines& functions, const std::set<std::uint32_t>& kept) {
  bool is_kept = true;
  std::erase_if(functions, [&](const Line& line) {
    if (line.op == op::function) is_kept = kept.contains(line.at(1));
    return !is_kept;
  });
}

/// Ids of variables with a binding outside of set 0, or from `kept_bindings` on.
std::set<std::uint32_t> bound_beyond(const Lines& head, std::uint32_t kept_bindings) {
  std::set<std::uint32_t> beyond;
  for (const Line& line : head) {
    if (line.op != op::decorate) continue;
    const bool is_far = (line.at(1) == decoration::binding && line.at(2) >= kept_bindings) ||
                        (line.at(1) == decoration::descriptor_set && line.at(2) != 0);
    if (is_far) beyond.insert(line.at(0));
  }
  return beyond;
}

/// Drops what the entry's function does not reach. What a dropped function defines has no name or decoration any more.
void drop_unreached(Listing& listing, std::uint32_t function, std::uint32_t kept_bindings) {
  const std::set<std::uint32_t> named = named_from(listing.functions, function);
  drop_functions(listing.functions, named);
  std::set<std::uint32_t> dropped;
  for (const std::uint32_t id : bound_beyond(listing.head, kept_bindings)) {
    if (!named.contains(id)) dropped.insert(id);
  }
  std::erase_if(listing.globals, [&](const Line& line) {
    if (line.op != op::variable || named.contains(line.at(1))) return false;
    return line.at(2) == class_workgroup || line.at(2) == class_push_constant || dropped.contains(line.at(1));
  });
  std::set<std::uint32_t> defined;
  for (const Lines* lines : {&listing.head, &listing.globals, &listing.functions}) {
    for (const Line& line : *lines) {
      if (lines == &listing.head && (line.op == op::name || line.op == op::decorate)) continue;
      defined.insert(line.operands.begin(), line.operands.end());
    }
  }
  std::erase_if(listing.head, [&](const Line& line) {
    return (line.op == op::name || line.op == op::decorate) && !defined.contains(line.at(0));
  });
}

/// The decorations of each group of a module.
std::map<std::uint32_t, Lines> groups_in(const Lines& head) {
  std::map<std::uint32_t, Lines> groups;
  for (const Line& line : head) {
    if (line.op == op::decoration_group) groups.try_emplace(line.at(0));
  }
  for (const Line& line : head) {
    if (line.op != op::decorate) continue;
    if (const auto group = groups.find(line.at(0)); group != groups.end()) group->second.push_back(line);
  }
  return groups;
}

/// Decorates the targets of an instruction as their group is decorated: ids, or structs, each with a member's number.
void spread(const Line& line, const Lines& decorations, Lines& head) {
  const bool has_members = line.op == op::group_member_decorate;
  const std::size_t words = has_members ? 2 : 1;
  for (std::size_t at = 1; at + words <= line.operands.size(); at += words) {
    const auto target = line.operands.begin() + static_cast<std::ptrdiff_t>(at);
    for (const Line& decoration : decorations) {
      Line own{has_members ? op::member_decorate : op::decorate, {target, target + static_cast<std::ptrdiff_t>(words)}};
      own.operands.insert(own.operands.end(), decoration.operands.begin() + 1, decoration.operands.end());
      head.push_back(std::move(own));
    }
  }
}

/// A list has one form of decorations: those of groups become those of the groups' targets.
void spread_groups(Lines& head) {
  const auto groups = groups_in(head);
  if (groups.empty()) return;
  Lines whole;
  for (Line& line : head) {
    const auto group = groups.find(line.at(0));
    const bool is_of_group = line.op == op::group_decorate || line.op == op::group_member_decorate;
    if (is_of_group && group != groups.end()) spread(line, group->second, whole);
    const bool goes = is_of_group || line.op == op::decoration_group || line.op == op::decorate || line.op == op::name;
    if (group == groups.end() || !goes) whole.push_back(std::move(line));
  }
  head = std::move(whole);
}

}  // namespace

Listing list_module(std::span<const std::uint32_t> words) {
  Listing listing;
  std::copy_n(words.begin(), listing.header.size(), listing.header.begin());
  Lines* section = &listing.head;
  for (std::size_t at = listing.header.size(); at < words.size(); at += words[at] >> 16) {
    const auto operands = words.subspan(at + 1, (words[at] >> 16) - 1);
    const std::uint32_t number = words[at] & 0xffff;
    if (section == &listing.head && begins_globals(number)) section = &listing.globals;
    if (number == op::function) section = &listing.functions;
    section->push_back({number, {operands.begin(), operands.end()}});
  }
  spread_groups(listing.head);
  return listing;
}

std::vector<std::byte> code_of(const Listing& listing) {
  std::vector<std::uint32_t> words(listing.header.begin(), listing.header.end());
  for (const Lines* lines : {&listing.head, &listing.globals, &listing.functions}) {
    for (const Line& line : *lines) {
      words.push_back(static_cast<std::uint32_t>(line.operands.size() + 1) << 16 | line.op);
      words.insert(words.end(), line.operands.begin(), line.operands.end());
    }
  }
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

void keep_entry(Listing& listing, std::string_view name, std::string_view new_name, std::uint32_t kept_bindings) {
  std::uint32_t function = 0;
  std::set<std::uint32_t> others;
  for (Line& line : listing.head) {
    if (line.op != op::entry_point) continue;
    std::size_t next = 0;
    if (function != 0 || line.at(0) != 5 || text_at(line, 2, next) != name) {
      others.insert(line.at(1));
      line.op = 0;  // dropped below
      continue;
    }
    function = line.at(1);
    std::vector<std::uint32_t> operands(line.operands.begin(), line.operands.begin() + 2);
    for (const std::uint32_t word : words_of(new_name)) operands.push_back(word);
    operands.insert(operands.end(), line.operands.begin() + static_cast<std::ptrdiff_t>(next), line.operands.end());
    line.operands = std::move(operands);
  }
  others.erase(function);
  std::erase_if(listing.head, [&](const Line& line) {
    const bool is_mode = line.op == op::execution_mode || line.op == op::execution_mode_id;
    return line.op == 0 || (is_mode && others.contains(line.at(0)));
  });
  if (!others.empty() && listing.header[1] < version_1_4) drop_unreached(listing, function, kept_bindings);
}

}  // namespace pintle::spirv
