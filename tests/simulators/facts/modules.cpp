// Which code is refused, and with what; and which source the compiler refuses.
#include <string>
#include <vector>

#include "facts/code_for_sm_80.h"
#include "facts/session.h"
#include "vendor/cuda/nvrtc.h"

namespace facts {
namespace {

std::string load(Session& session, const std::string& code) {
  Module module = nullptr;
  return text(session.cuda.cuModuleLoadDataEx(&module, code.c_str(), 0, nullptr, nullptr));
}

std::string load_ptx(Session& session, const char* version, const char* target, const char* body = "{\n ret;\n}\n") {
  return load(session, std::string(".version ") + version + "\n.target " + target +
                           "\n.address_size 64\n.visible .entry tiny()\n" + body);
}

/// A kernel that calls what is nowhere.
std::string load_unresolved(Session& session) {
  return load(session,
              ".version 7.0\n.target sm_75\n.address_size 64\n.extern .func nowhere;\n.visible .entry tiny()\n{\n "
              "call nowhere;\n ret;\n}\n");
}

/// The magic number of ELF files and zeros.
std::string load_zeros(Session& session) {
  std::string code(4096, '\0');
  code.replace(0, 4, "\177ELF");
  return load(session, code);
}

unsigned digit(char letter) { return static_cast<unsigned>(letter <= '9' ? letter - '0' : letter - 'a' + 10); }

std::string load_for_sm_80(Session& session) {
  std::string code;
  for (std::size_t at = 0; at + 1 < code_for_sm_80.size(); at += 2)
    code += static_cast<char>(16 * digit(code_for_sm_80[at]) + digit(code_for_sm_80[at + 1]));
  return load(session, code);
}

std::string missing_function(Session& session) {
  Function found = nullptr;
  return text(session.cuda.cuModuleGetFunction(&found, session.load(), "no_such_kernel"));
}

/// The number of the compiler's refusal; 0 where it takes the source.
std::string compile(const char* source, std::vector<std::string> options) {
  const auto compiler = Compiler::open();
  if (!compiler) throw NotAsked("there is no compiler");
  const auto made = compiler->compile({source, "facts.cu", std::move(options)});
  if (made) return "0";
  return made.error().vendor() ? std::to_string(made.error().vendor()->number) : "no number";
}

constexpr Rule rules[] = {
    {"code.ptx_9.0", "line 539", [](Session& s) { return load_ptx(s, "9.0", "sm_75"); }, Of::cuda},
    {"code.ptx_9.1", "line 540", [](Session& s) { return load_ptx(s, "9.1", "sm_75"); }, Of::cuda},
    {"code.ptx_9.2", "line 541", [](Session& s) { return load_ptx(s, "9.2", "sm_75"); }, Of::cuda},
    {"code.ptx_99.0", "line 538", [](Session& s) { return load_ptx(s, "99.0", "sm_75"); }, Of::cuda},
    {"code.target_sm_121", "line 542", [](Session& s) { return load_ptx(s, "9.0", "sm_121"); }, Of::cuda},
    {"code.target_sm_121_of_ptx_7.0", "line 543", [](Session& s) { return load_ptx(s, "7.0", "sm_121"); }, Of::cuda},
    {"code.target_sm_90a", "line 544", [](Session& s) { return load_ptx(s, "8.0", "sm_90a"); }, Of::cuda},
    {"code.target_sm_100a", "line 545", [](Session& s) { return load_ptx(s, "9.0", "sm_100a"); }, Of::cuda},
    {"code.target_sm_50", "line 546", [](Session& s) { return load_ptx(s, "7.0", "sm_50"); }, Of::cuda},
    {"code.target_sm_30", "line 547", [](Session& s) { return load_ptx(s, "6.0", "sm_30"); }, Of::cuda},
    {"code.target_sm_999", "line 548", [](Session& s) { return load_ptx(s, "7.0", "sm_999"); }, Of::cuda},
    {"code.calls_what_is_nowhere", "line 549", &load_unresolved, Of::cuda},
    {"code.syntax_error", "line 554", [](Session& s) { return load_ptx(s, "7.0", "sm_75", "{\n st.glob.u99\n"); },
     Of::cuda},
    {"code.for_sm_80", "line 533", &load_for_sm_80, Of::cuda},
    {"code.garbage", "line 550", [](Session& s) { return load(s, std::string(4096, 'x')); }},
    {"code.empty", "line 551", [](Session& s) { return load(s, std::string(16, '\0')); }},
    {"code.magic_and_zeros", "line 553", &load_zeros},
    {"code.missing_function", "line 556", &missing_function},
    {"compiler.unknown_architecture", "line 605",
     [](Session&) { return compile("extern \"C\" __global__ void f() {}", {"--gpu-architecture=sm_70"}); }, Of::cuda},
    {"compiler.syntax_error", "line 606",
     [](Session&) { return compile("extern \"C\" __global__ void f( { }", {"--gpu-architecture=compute_90"}); },
     Of::cuda},
};

}  // namespace

std::span<const Rule> module_rules() { return rules; }

}  // namespace facts
