// All 2^32 f32 to f16 and to bf16. The numbers are walked in order, so that the reference is a step in a table: a
// number becomes the next code once it has passed the place where rounding changes.
#include <cstdio>
#include <span>
#include <vector>

#include "pintle/convert.h"
#include "pintle/must.h"
#include "unit/convert_reference.h"

namespace pintle::test {
namespace {

constexpr std::uint32_t words_of_a_block = 1u << 20, infinity = 0x7f800000;

/// What positive numbers become, asked for in rising order.
class Walk {
 public:
  explicit Walk(const Convert& how) : how_(how), reference_(reference_of(how.to)) {}

  std::uint32_t code(std::uint32_t word, std::uint32_t sign_bit) {
    const float number = std::bit_cast<float>(word);
    if (word > infinity) return *reference_.code(sign_bit != 0 ? -number : number, how_, 0, std::uint64_t{word} << 41);
    while (place_ < reference_.end() && has_passed(double{number})) ++place_;
    const bool is_beyond = place_ == reference_.end();
    return sign_bit | (is_beyond && how_.overflow == Overflow::saturate ? place_ - 1 : place_);
  }

 private:
  [[nodiscard]] bool has_passed(double number) const {
    const double next = reference_.value(place_ + 1);
    if (how_.rounding == Rounding::toward_zero) return number >= next;
    const double middle = (reference_.value(place_) + next) / 2;
    return number > middle || (number == middle && place_ % 2 == 1);
  }

  Convert how_;
  const FloatReference& reference_;
  std::uint32_t place_ = 0;
};

/// Converts the block of words from `first` on and counts those that differ from what the walk says.
std::uint64_t wrong_in_block(std::uint32_t first, const Convert& how, Walk& walk) {
  static std::vector<std::uint32_t>& words = *new std::vector<std::uint32_t>(words_of_a_block);
  static std::vector<std::uint16_t>& codes = *new std::vector<std::uint16_t>(words_of_a_block);
  const std::uint32_t sign_bit = first >> 31 << 15;
  for (std::uint32_t i = 0; i < words_of_a_block; ++i) words[i] = first + i;
  must(convert(std::as_writable_bytes(std::span(codes)), std::as_bytes(std::span(words)), how));
  std::uint64_t wrong = 0;
  for (std::uint32_t i = 0; i < words_of_a_block; ++i) {
    const std::uint32_t wanted = walk.code(words[i] & 0x7fffffff, sign_bit);
    if (codes[i] == wanted) continue;
    if (++wrong < 4) std::printf("0x%08x becomes 0x%04x, not 0x%04x\n", words[i], codes[i], wanted);
  }
  return wrong;
}

std::uint64_t wrong_of(const Convert& how) {
  std::uint64_t wrong = 0, count = 0;
  for (const std::uint32_t sign : {0u, 0x80000000u}) {
    Walk walk(how);
    for (std::uint32_t first = 0; first < 0x80000000; first += words_of_a_block) {
      wrong += wrong_in_block(sign | first, how, walk);
      count += words_of_a_block;
    }
  }
  std::printf("f32 to %s: %llu conversions, %llu wrong\n", std::string(name(how.to)).c_str(),
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(wrong));
  std::fflush(stdout);
  return wrong;
}

std::uint64_t wrong_of_all() {
  std::uint64_t wrong = 0;
  for (const Convert& how : {Convert::f32_to_f16, Convert::f32_to_bf16}) {
    wrong += wrong_of(how.with(NanRule::payload));
    wrong += wrong_of(how.with(Rounding::toward_zero).with(Overflow::saturate));
  }
  return wrong;
}

}  // namespace
}  // namespace pintle::test

int main() { return pintle::test::wrong_of_all() == 0 ? 0 : 1; }
