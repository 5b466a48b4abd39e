#include "bytes.h"

#include <algorithm>

#include "random.h"

namespace pintle::differential {

Cells Bytes::at(const Place& from) const {
  const Cells& all = storages_.at(from.storage);
  Cells cells(from.count);
  std::copy_n(all.values.begin() + from.first, from.count, cells.values.begin());
  std::copy_n(all.known.begin() + from.first, from.count, cells.known.begin());
  return cells;
}

void Bytes::put(const Place& to, const Cells& cells) {
  Cells& all = storages_.at(to.storage);
  std::ranges::copy(cells.values, all.values.begin() + to.first);
  std::ranges::copy(cells.known, all.known.begin() + to.first);
}

void Bytes::write_pattern(const Place& to, std::uint32_t number) {
  Cells cells(to.count);
  for (std::uint32_t i = 0; i < to.count; ++i) cells.values[i] = pattern(number, i);
  std::ranges::fill(cells.known, char{1});
  put(to, cells);
}

void Bytes::act(const Deed& deed) {
  Cells cells(deed.to.count);
  switch (deed.op) {
    case Op::copy:
    case Op::to_image:
    case Op::from_image:
    case Op::pull:
    case Op::push: return put(deed.to, at(deed.from));
    case Op::fill:
      std::ranges::fill(cells.values, deed.a);
      std::ranges::fill(cells.known, char{1});
      return put(deed.to, cells);
    case Op::add_to:
    case Op::paint:
      cells = at(deed.from);
      for (std::uint32_t& value : cells.values) value += deed.a;
      return put(deed.to, cells);
    case Op::affine:
      cells = at(deed.to);
      for (std::uint32_t& value : cells.values) value = value * deed.a + deed.b;
      return put(deed.to, cells);
    case Op::gather: {
      cells = at(deed.to);
      const Cells source = at(deed.from);
      for (std::uint32_t i = 0; i < deed.to.count; ++i) {
        const std::uint32_t j = i * deed.a % deed.to.count;
        cells.values[i] = cells.values[i] * 3 + source.values[j];
        cells.known[i] = static_cast<char>(cells.known[i] & source.known[j]);
      }
      return put(deed.to, cells);
    }
    case Op::upload:
    case Op::keep: return write_pattern(deed.to, static_cast<std::uint32_t>(deed.host));
    case Op::download:
    case Op::receive: downloads_.insert_or_assign(deed.host, at(deed.from)); return;
    default: return;
  }
}

void Bytes::do_all(const std::vector<Deed>& deeds) {
  for (const Deed& deed : deeds) act(deed);
}

void Bytes::forget(const std::vector<Deed>& deeds) {
  for (const Deed& deed : deeds)
    if (deed.to.storage >= 0) put(deed.to, Cells(deed.to.count));
}

}  // namespace pintle::differential
