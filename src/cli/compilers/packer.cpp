// pintle_packer DESCRIPTION PACK: `pintle pack DESCRIPTION -o PACK` for Pintle's own build, without the rest of the
// command.
#include <cstdio>
#include <utility>

#include "cli/compilers/build.h"
#include "cli/compilers/slang.h"
#include "cli/compilers/slang_signatures.h"
#include "io/pack.h"
#include "io/pack_recipe.h"

namespace pintle::cli {
namespace {

Result<void> pack(const char* description, const char* file) {
  PINTLE_ASSIGN(recipe, io::read_recipe(description));
  PINTLE_TRY(complete_entries(recipe));
  PINTLE_TRY(define_sides(recipe));
  PINTLE_ASSIGN(built, build(std::move(recipe)));
  for (const NotBuilt& one : built.missing)
    std::printf("not built: %s from %s: %s\n", one.format.c_str(), one.source.c_str(), one.reason().c_str());
  return io::write_pack(built.pack, file);
}

}  // namespace
}  // namespace pintle::cli

int main(int count, char** words) {
  if (const auto status = pintle::cli::slang_child(count, words)) return *status;
  if (count != 3) return std::fputs("pintle_packer DESCRIPTION PACK\n", stderr), 2;
  const auto packed = pintle::cli::pack(words[1], words[2]);
  if (packed) return 0;
  std::fprintf(stderr, "pintle_packer: %s\n", packed.error().text().c_str());
  return 1;
}
