#include "cli/compilers/llvm_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/parse.h"

namespace pintle::cli {
namespace {

constexpr std::string_view name_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";
constexpr std::array<std::string_view, 3> kernel_words{" spir_kernel ", " ptx_kernel ", " amdgpu_kernel "};

std::string_view name_at(std::string_view text) { return text.substr(0, text.find_first_not_of(name_letters)); }

struct Function {
  std::size_t begin = 0;  // of "define"
  std::size_t name = 0;   // of the name, behind "@"
  std::set<std::string_view> uses;
};

using Functions = std::map<std::string_view, Function>;

/// All names behind "@" in a body.
std::set<std::string_view> names_in(std::string_view body) {
  std::set<std::string_view> names;
  for (auto at = body.find('@'); at != std::string_view::npos; at = body.find('@', at + 1))
    names.insert(name_at(body.substr(at + 1)));
  return names;
}

/// Calls `use` with the place of each line that begins with `word`.
template <class Use>
void each_line_of(std::string_view text, std::string_view word, Use use) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') use(at);
  }
}

Functions functions_in(std::string_view text) {
  Functions functions;
  each_line_of(text, "define ", [&](std::size_t at) {
    const auto name = text.find('@', at) + 1, end = std::min(text.find("\n}", at), text.size());
    functions.emplace(name_at(text.substr(name)), Function{at, name, names_in(text.substr(name, end - name))});
  });
  return functions;
}

/// Functions that are declared only.
std::set<std::string_view> missing_in(std::string_view text) {
  std::set<std::string_view> names;
  each_line_of(text, "declare ", [&](std::size_t at) {
    const std::string_view name = name_at(text.substr(text.find('@', at) + 1));
    if (!name.starts_with("llvm.")) names.insert(name);
  });
  return names;
}

/// What is missing in a function, or in one that it calls.
std::optional<std::string_view> missing_for(std::string_view name, const Functions& functions,
                                            const std::set<std::string_view>& missing,
                                            std::set<std::string_view>& seen) {
  if (missing.contains(name)) return name;
  const auto function = functions.find(name);
  if (function == functions.end() || !seen.insert(name).second) return std::nullopt;
  for (const std::string_view used : function->second.uses) {
    if (const auto lacks = missing_for(used, functions, missing, seen)) return lacks;
  }
  return std::nullopt;
}

/// "define internal void @" of "define dso_local spir_kernel void @": what is internal and unused is deleted.
std::string hidden(std::string head) {
  const auto erase = [&](std::string_view word) {
    if (const auto at = head.find(word); at != std::string::npos) head.replace(at, word.size(), " ");
  };
  for (const std::string_view word : kernel_words) erase(word);
  for (const std::string_view word : {" dso_local ", " protected ", " hidden ", " internal ", " weak ", " weak_odr ",
                                      " linkonce ", " linkonce_odr ", " private "})
    erase(word);
  return "define internal" + head.substr(std::string_view("define").size());
}

}  // namespace

std::string unmangled(std::string_view symbol) {
  if (symbol == "__printf_alloc") return "printf";  // what clang makes of it for AMD's GPUs
  if (!symbol.starts_with("_Z")) return std::string(symbol);
  const std::string_view rest = symbol.substr(2);
  const auto digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  const auto length = base::parse_number<std::uint32_t>(rest.substr(0, digits));
  return std::string(length ? rest.substr(digits, *length) : symbol);
}

KeptKernels keep_kernels(std::string_view text, const std::vector<Entry>& entries) {
  const Functions functions = functions_in(text);
  const auto missing = missing_in(text);
  KeptKernels kept;
  std::set<std::string_view> kernels;
  for (const Entry& entry : entries) {
    std::set<std::string_view> seen;
    const auto lacks = missing_for(entry.name, functions, missing, seen);
    if (!lacks) kernels.insert(entry.name);
    else kept.left_out.push_back({entry.name, fmt::format("calls {}, which is defined nowhere", unmangled(*lacks))});
  }
  std::vector<std::pair<std::size_t, std::size_t>> heads;  // of functions that are hidden
  for (const auto& [name, function] : functions) {
    if (!kernels.contains(name)) heads.emplace_back(function.begin, function.name);
  }
  std::ranges::sort(heads);
  std::size_t done = 0;
  for (const auto& [begin, end] : heads) {
    kept.text += text.substr(done, begin - done);
    kept.text += hidden(std::string(text.substr(begin, end - begin)));
    done = end;
  }
  kept.text += text.substr(done);
  return kept;
}

}  // namespace pintle::cli
