#include "plugins/opencl_c/job.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace pintle::plugins::opencl_c {
namespace {

std::string beside(llvm::StringRef source, llvm::StringRef name) {
  llvm::SmallString<256> path(llvm::sys::path::parent_path(source));
  llvm::sys::path::append(path, name);
  return std::string(path);
}

std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) words.push_back(word);
  return words;
}

Parameter::Kind kind_of(const std::string& word) {
  if (word == "scalar") return Parameter::Kind::scalar;
  if (word == "value") return Parameter::Kind::value;
  if (word == "local") return Parameter::Kind::local;
  if (word == "image") return Parameter::Kind::image;
  return word == "sampler" ? Parameter::Kind::sampler : Parameter::Kind::buffer;
}

std::uint64_t number_of(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); }

/// "NAME,DTYPE,KINDS,BYTES,LANES,OFFSET"
Member member_of(const std::string& text) {
  std::vector<std::string> words = words_of(text, ',');
  words.resize(6);
  return {words[0], words[1], words[2], number_of(words[3]), number_of(words[4]), number_of(words[5])};
}

/// "KIND|NAME|DECLARED|ACCESS|BYTES|TYPES|MEMBERS"; an image has its dimensions and its texel for bytes and types.
Parameter parameter_of(const std::string& text) {
  std::vector<std::string> words = words_of(text, '|');
  words.resize(7);
  Parameter parameter;
  parameter.kind = kind_of(words[0]);
  parameter.name = words[1];
  parameter.declared = words[2];
  parameter.access = words[3];
  (parameter.kind == Parameter::Kind::image ? parameter.dimensions : parameter.bytes) = number_of(words[4]);
  if (parameter.kind == Parameter::Kind::image) parameter.texel = number_of(words[5]);
  parameter.types = words_of(words[5], '/');
  for (const std::string& member : words_of(words[6], ';')) parameter.members.push_back(member_of(member));
  return parameter;
}

Entry entry_of(const std::string& line) {
  std::vector<std::string> words = words_of(line, '\t');
  Entry entry;
  if (words.size() < 6) return entry;
  entry.name = words[0];
  for (std::size_t i = 0; i < 3; ++i) entry.group[i] = number_of(words[i + 1]);
  entry.subgroup = number_of(words[4]);
  entry.local_bytes = number_of(words[5]);
  for (std::size_t i = 6; i < words.size(); ++i) entry.parameters.push_back(parameter_of(words[i]));
  return entry;
}

}  // namespace

Job read_job(llvm::StringRef source) {
  Job job;
  std::ifstream file(beside(source, "entries"));
  std::string line;
  if (std::getline(file, line)) job.builtins = line;
  while (std::getline(file, line)) {
    Entry entry = entry_of(line);
    if (!entry.name.empty()) job.entries.push_back(std::move(entry));
  }
  return job;
}

void write_refusals(const Job& job, llvm::StringRef source) {
  std::ofstream file(beside(source, "refusals"));
  for (const auto& [entry, reason] : job.refusals) file << entry << ' ' << reason << '\n';
}

}  // namespace pintle::plugins::opencl_c
