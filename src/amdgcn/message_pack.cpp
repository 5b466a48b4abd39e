#include "amdgcn/message_pack.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "base/file.h"

namespace pintle::amdgcn {
namespace {

using Bytes = std::span<const std::byte>;

template <class... Values>
Error broken(fmt::format_string<Values...> words, Values&&... values) {
  return {Errc::build_failed, "Code object's metadata " + fmt::format(words, std::forward<Values>(values)...)};
}

}  // namespace

Result<std::string_view> MessagePack::text() {
  PINTLE_ASSIGN(item, next());
  if (item.kind != Kind::text) return wrong("a text");
  return item.text;
}

Result<std::uint32_t> MessagePack::number() {
  PINTLE_ASSIGN(item, next());
  if (item.kind != Kind::number) return wrong("a number");
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  if (item.value <= most) return static_cast<std::uint32_t>(item.value);
  return broken("has the number ({}) at byte ({}), where at most ({}) is expected.", item.value, at_, most);
}

Result<void> MessagePack::skip() {
  for (std::uint64_t left = 1; left != 0; --left) {
    PINTLE_ASSIGN(item, next());
    if (item.kind == Kind::list) left += item.value;
    if (item.kind == Kind::map) left += 2 * item.value;
  }
  return {};
}

/// From 0xc0 on: nil, what is never used, false, true; bytes; extensions; floats; numbers, then those with a sign;
/// extensions of fixed sizes; texts; lists; maps.
MessagePack::Form MessagePack::form_of(std::uint8_t code) noexcept {
  constexpr std::array<Form, 32> forms{
      {{Kind::other, 0, 0},  {Kind::none, 0, 0},  {Kind::other, 0, 0},  {Kind::other, 0, 0},  {Kind::other, 1, 0},
       {Kind::other, 2, 0},  {Kind::other, 4, 0}, {Kind::other, 1, 1},  {Kind::other, 2, 1},  {Kind::other, 4, 1},
       {Kind::other, 0, 4},  {Kind::other, 0, 8}, {Kind::number, 1, 0}, {Kind::number, 2, 0}, {Kind::number, 4, 0},
       {Kind::number, 8, 0}, {Kind::other, 0, 1}, {Kind::other, 0, 2},  {Kind::other, 0, 4},  {Kind::other, 0, 8},
       {Kind::other, 0, 2},  {Kind::other, 0, 3}, {Kind::other, 0, 5},  {Kind::other, 0, 9},  {Kind::other, 0, 17},
       {Kind::text, 1, 0},   {Kind::text, 2, 0},  {Kind::text, 4, 0},   {Kind::list, 2, 0},   {Kind::list, 4, 0},
       {Kind::map, 2, 0},    {Kind::map, 4, 0}}};
  return forms[code & 31];
}

Error MessagePack::wrong(std::string_view expected) const {
  return broken("has something at byte ({}) that is not {}.", at_, expected);
}

Result<std::uint64_t> MessagePack::children(Kind kind) {
  PINTLE_ASSIGN(item, next());
  if (item.kind != kind) return wrong(kind == Kind::list ? "a list" : "a map");
  return item.value;
}

Result<MessagePack::Item> MessagePack::next() {
  at_ = end_;
  PINTLE_ASSIGN(first, take(1));
  const auto code = std::to_integer<std::uint8_t>(first[0]);
  if (code < 0x80) return Item{Kind::number, code, {}};
  if (code < 0x90) return counted(Kind::map, code & 15);
  if (code < 0xa0) return counted(Kind::list, code & 15);
  if (code < 0xc0) return text_of(code & 31);
  if (code >= 0xe0) return Item{Kind::other, 0, {}};  // a number below zero
  const Form form = form_of(code);
  if (form.kind == Kind::none) return broken("has (0xc1) at byte ({}), which begins no value.", at_);
  PINTLE_ASSIGN(bytes, take(form.width));
  std::uint64_t value = 0;
  for (const std::byte byte : bytes) value = value << 8 | std::to_integer<std::uint64_t>(byte);
  if (form.kind == Kind::number) return Item{Kind::number, value, {}};
  if (form.kind == Kind::text) return text_of(value);
  if (form.kind != Kind::other) return counted(form.kind, value);
  PINTLE_TRY(take(value + form.more));
  return Item{Kind::other, 0, {}};
}

Result<MessagePack::Item> MessagePack::text_of(std::uint64_t size) {
  PINTLE_ASSIGN(bytes, take(size));
  return Item{Kind::text, 0, base::text_in(bytes)};
}

/// Every value has at least a byte, so what is left bounds the loop over them.
Result<MessagePack::Item> MessagePack::counted(Kind kind, std::uint64_t count) {
  const std::uint64_t least = kind == Kind::map ? 2 * count : count, left = bytes_.size() - end_;
  if (least <= left) return Item{kind, count, {}};
  return broken("says at byte ({}) that ({}) values follow, and ({}) bytes are left.", at_, least, left);
}

Result<Bytes> MessagePack::take(std::uint64_t size) {
  const std::uint64_t left = bytes_.size() - end_;
  if (size <= left) return bytes_.subspan(std::exchange(end_, end_ + size), size);
  return broken("is cut short: its value at byte ({}) needs ({}) bytes more, and ({}) are left.", at_, size, left);
}

}  // namespace pintle::amdgcn
