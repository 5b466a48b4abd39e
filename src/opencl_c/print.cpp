#include "opencl_c/print.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/log.h"

namespace pintle::opencl_c {
namespace {

/// What a thread has printed of a line that has not ended. Groups of one thread follow each other.
struct Line {
  std::array<char, 2048> text;
  std::size_t size;

  void end() noexcept {
    base::log_message(LogLevel::info, "cpu", std::string_view(text.data(), size));
    size = 0;
  }
  void add(std::string_view more) noexcept {
    for (const char letter : more) {
      if (letter == '\n') {
        end();
        continue;
      }
      if (size == text.size()) end();
      text[size++] = letter;
    }
  }
};

thread_local constinit Line line{};

/// The arguments of one call, lane by lane.
class Words {
 public:
  Words(const char* kinds, const std::uint64_t* words) noexcept : kinds_(kinds), words_(words) {}

  [[nodiscard]] bool is_empty() const noexcept { return *kinds_ == '\0'; }
  [[nodiscard]] char kind() const noexcept { return *kinds_; }
  [[nodiscard]] unsigned lanes() const noexcept { return static_cast<unsigned>(kinds_[1] - '0'); }
  [[nodiscard]] std::uint64_t lane(unsigned index) const noexcept { return words_[index]; }
  void pass() noexcept {
    words_ += lanes();
    kinds_ += 2;
  }

 private:
  const char* kinds_;
  const std::uint64_t* words_;
};

/// One conversion: "%-8.3v4hlf" is flags, width and precision, four lanes, a length and a letter.
struct Conversion {
  std::array<char, 24> format{};  ///< What snprintf gets, without length and letter.
  std::size_t size = 0;
  std::string_view length;
  char letter = '\0';
  std::size_t end = 0;  ///< Behind it in the text.

  void take(char one) noexcept {
    if (size < format.size() - 4) format[size++] = one;
  }
};

bool is_any_of(char letter, std::string_view letters) noexcept { return letters.find(letter) != letters.npos; }

/// A star has an argument.
void read_star(Conversion& conversion, Words& words) noexcept {
  std::array<char, 12> digits{};
  if (words.is_empty()) return;
  const int length = std::snprintf(digits.data(), digits.size(), "%d", static_cast<int>(words.lane(0)));
  for (int i = 0; i < length; ++i) conversion.take(digits[static_cast<std::size_t>(i)]);
  words.pass();
}

Conversion read(std::string_view text, std::size_t at, Words& words) noexcept {
  Conversion conversion;
  conversion.take('%');
  for (; at < text.size() && is_any_of(text[at], "-+ #0123456789.*"); ++at) {
    if (text[at] == '*') read_star(conversion, words);
    else conversion.take(text[at]);
  }
  if (at < text.size() && text[at] == 'v') {
    for (++at; at < text.size() && is_any_of(text[at], "0123456789");) ++at;
  }
  const std::size_t length = at;
  while (at < text.size() && is_any_of(text[at], "hl")) ++at;
  conversion.length = text.substr(length, at - length);
  conversion.letter = at < text.size() ? text[at] : '\0';
  conversion.end = std::min(at + 1, text.size());
  return conversion;
}

/// An integer as wide as the length says; without one it is an int, and "hl" is one of a vector's.
std::int64_t integer_of(std::uint64_t word, std::string_view length, bool is_signed) noexcept {
  const int bits = length == "hh" ? 8 : length == "h" ? 16 : length == "l" ? 64 : 32;
  const std::uint64_t high = word << (64 - bits);
  return is_signed ? std::bit_cast<std::int64_t>(high) >> (64 - bits)
                   : std::bit_cast<std::int64_t>(high >> (64 - bits));
}

template <class Value>
void write(Conversion conversion, std::string_view end, Value value) noexcept {
  for (const char letter : end) conversion.format[conversion.size++] = letter;
  std::array<char, 400> text;
  const int size = std::snprintf(text.data(), text.size(), conversion.format.data(), value);
  if (size > 0) line.add({text.data(), std::min(static_cast<std::size_t>(size), text.size() - 1)});
}

/// A conversion that does not fit its argument prints what the argument is.
void write_lane(const Conversion& conversion, char kind, std::uint64_t word) noexcept {
  const char letter = conversion.letter;
  if (kind == 'f') {
    const char own[] = {is_any_of(letter, "fFeEgGaA") ? letter : 'g'};
    return write(conversion, {own, 1}, std::bit_cast<double>(word));
  }
  if (kind == 'p' && letter == 's') {
    const auto* const text = reinterpret_cast<const char*>(word);
    return write(conversion, "s", text == nullptr ? "(null)" : text);
  }
  if (kind == 'p' || letter == 'p') return write(conversion, "p", reinterpret_cast<const void*>(word));
  if (letter == 'c') return write(conversion, "c", static_cast<int>(word));
  const char own[] = {'l', is_any_of(letter, "diuoxX") ? letter : 'd'};
  write(conversion, {own, 2}, integer_of(word, conversion.length, own[1] == 'd' || own[1] == 'i'));
}

void write_argument(const Conversion& conversion, Words& words) noexcept {
  if (words.is_empty()) return;
  for (unsigned i = 0; i < words.lanes(); ++i) {
    if (i != 0) line.add(",");
    write_lane(conversion, words.kind(), words.lane(i));
  }
  words.pass();
}

}  // namespace

void print(const char* format, const char* kinds, const std::uint64_t* given) noexcept {
  if (format == nullptr) {
    if (line.size != 0) line.end();
    return;
  }
  if (!base::log_enabled(LogLevel::info)) return;
  const std::string_view text = format;
  Words words(kinds, given);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find('%', at), text.size());
    line.add(text.substr(at, next - at));
    if (next == text.size()) return;
    const Conversion conversion = read(text, next + 1, words);
    if (conversion.letter == '%') line.add("%");
    else write_argument(conversion, words);
    at = conversion.end;
  }
}

}  // namespace pintle::opencl_c
