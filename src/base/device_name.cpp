#include "base/device_name.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "base/contain.h"

namespace pintle::base {
namespace {

bool is_digit(char letter) noexcept { return letter >= '0' && letter <= '9'; }
bool is_letter(char letter) noexcept { return letter >= 'a' && letter <= 'z'; }

char lower_letter(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool has_word(std::string_view slug, std::string_view beginning) {
  for (auto at = slug.find(beginning); at != std::string_view::npos; at = slug.find(beginning, at + 1)) {
    if (at == 0 || slug[at - 1] == '-') return true;
  }
  return false;
}

/// Whether each word of "wgpu-llvmpipe" begins one of the slug.
bool has_words(std::string_view slug, std::string_view words) {
  return std::ranges::all_of(words | std::views::split('-'), [&](const auto word) {
    return !std::ranges::empty(word) && has_word(slug, std::string_view(word.begin(), word.end()));
  });
}

/// How well a word, or several, select a device.
enum class Match : std::uint8_t { none, words, name, driver, exact };

Match match(const DeviceInfo& device, std::string_view word) {
  const std::string name = device_slug(device.name);
  const std::string driver = device_slug(device.driver);
  const std::string uuid = lower(device.uuid);
  if (name == word || uuid == word) return Match::exact;
  if (uuid.starts_with(word) || has_word(driver, word)) return Match::driver;
  if (has_word(name, word)) return Match::name;
  return has_words(driver + "-" + name, word) ? Match::words : Match::none;
}

/// What of a device's description may stand in its id. The driver's words come first: software devices take the name of
/// the processor, and their drivers tell them apart.
std::vector<std::string> words_of(const DeviceInfo& device) {
  constexpr std::size_t shortest = 3;
  std::vector<std::string> words;
  for (const auto part : device_slug(device.driver + " " + device.name) | std::views::split('-')) {
    const std::string_view word(part.begin(), part.end());
    if (word.size() >= shortest && is_letter(word.front())) words.emplace_back(word);
  }
  return words;
}

/// A word that selects this device alone, else two of them.
std::string id_word_of(std::span<const DeviceInfo> devices, std::size_t index) {
  const std::vector<std::string> words = words_of(devices[index]);
  const auto is_enough = [&](const std::string& word) { return devices_called(word, devices).size() == 1; };
  const auto single = std::ranges::find_if(words, is_enough);
  if (single != words.end()) return *single;
  for (std::size_t first = 0; first < words.size(); ++first) {
    for (std::size_t second = first + 1; second < words.size(); ++second) {
      const std::string both = words[first] + "-" + words[second];
      if (is_enough(both)) return both;
    }
  }
  return {};
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower_letter);
  return out;
}

std::string device_slug(std::string_view text) {
  std::string slug;
  for (const char raw : text) {
    const char letter = lower_letter(raw);
    if (is_letter(letter) || is_digit(letter)) slug += letter;
    else if (!slug.empty() && slug.back() != '-') slug += '-';
  }
  if (slug.ends_with('-')) slug.pop_back();
  return slug;
}

std::vector<std::size_t> devices_called(std::string_view word, std::span<const DeviceInfo> devices) {
  std::vector<std::size_t> called;
  const std::string wanted = lower(word);
  Match best = Match::words;
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
        const std::string word = group.size() == 1 ? std::string() : base::id_word_of(group, i);
        ids.push_back(word.empty() ? group[i].id : group[i].backend + ":" + word);
      }
      devices = devices.subspan(group.size());
    }
    return ids;
  });
}

}  // namespace pintle
