#include "kit/code_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/file.h"
#include "base/hash.h"
#include "base/platform.h"
#include "base/quote.h"

namespace pintle::kit {

CodeFile::~CodeFile() {
  if (kind_ == Kind::temporary) ::unlink(path_.c_str());
}

Result<std::vector<std::byte>> CodeFile::code() const {
  if (::lseek(file_.number(), 0, SEEK_SET) != 0) {
    return Error(Errc::io, fmt::format("File {} cannot be read again: {}.", base::quote(path_.string(), 4096),
                                       base::system_words(errno)));
  }
  PINTLE_ASSIGN(bytes, base::read_open_file(file_.number(), path_, std::numeric_limits<std::uint64_t>::max()));
  if (kind_ == Kind::cached) bytes.resize(bytes.size() - std::min(bytes.size(), sizeof(base::Digest)));
  return std::move(bytes);
}

}  // namespace pintle::kit
