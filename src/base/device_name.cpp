#include "base/device_name.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "base/contain.h"

namespace pintle::base {
namespace {

bool is_digit(char letter) noexcept { return letter >= '0' && letter <= '9'; }
bool is_letter(char letter) noexcept { return letter >= 'a' && letter <= 'z'; }

char lower(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char letter) { return lower(letter); });
  return out;
}

bool has_word(std::string_view slug, std::string_view beginning) {
  for (auto at = slug.find(beginning); at != std::string_view::npos; at = slug.find(beginning, at + 1)) {
    if (at == 0 || slug[at - 1] == '-') return true;
  }
  return false;
}

/// How well a word selects a device.
enum class Match : std::uint8_t { none, name, driver, exact };

Match match(const DeviceInfo& device, std::string_view word) {
  const std::string name = device_slug(device.name);
  const std::string uuid = lower(device.uuid);
  if (name == word || uuid == word) return Match::exact;
  if (uuid.starts_with(word) || has_word(device_slug(device.driver), word)) return Match::driver;
  return has_word(name, word) ? Match::name : Match::none;
}

/// The driver's words come first: software devices take the name of the processor, and their drivers tell them apart.
std::string word_of(std::span<const DeviceInfo> devices, std::size_t index) {
  constexpr std::size_t shortest = 3;
  const std::string all = device_slug(devices[index].driver) + "-" + device_slug(devices[index].name);
  for (const auto part : all | std::views::split('-')) {
    const std::string_view word(part.begin(), part.end());
    if (word.size() < shortest || !is_letter(word.front())) continue;
    if (devices_called(word, devices).size() == 1) return std::string(word);
  }
  return {};
}

}  // namespace

std::string device_slug(std::string_view text) {
  std::string slug;
  for (const char raw : text) {
    const char letter = lower(raw);
    if (is_letter(letter) || is_digit(letter)) slug += letter;
    else if (!slug.empty() && slug.back() != '-') slug += '-';
  }
  if (slug.ends_with('-')) slug.pop_back();
  return slug;
}

std::vector<std::size_t> devices_called(std::string_view word, std::span<const DeviceInfo> devices) {
  std::vector<std::size_t> called;
  const std::string wanted = lower(word);
  Match best = Match::name;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Match found = match(devices[i], wanted);
    if (found > best) called.clear();
    if (found < best) continue;
    best = found;
    called.push_back(i);
  }
  return called;
}

}  // namespace pintle::base

namespace pintle {

std::vector<std::string> ids_by_name(std::span<const DeviceInfo> devices) noexcept {
  return base::contain_or(std::vector<std::string>(), [&] {
    std::vector<std::string> ids;
    while (!devices.empty()) {
      const auto other = std::ranges::find_if(
          devices, [&](const DeviceInfo& device) { return device.backend != devices.front().backend; });
      const auto group = devices.first(static_cast<std::size_t>(other - devices.begin()));
      for (std::size_t i = 0; i < group.size(); ++i) {
        const std::string word = group.size() == 1 ? std::string() : base::word_of(group, i);
        ids.push_back(word.empty() ? group[i].id : group[i].backend + ":" + word);
      }
      devices = devices.subspan(group.size());
    }
    return ids;
  });
}

}  // namespace pintle
