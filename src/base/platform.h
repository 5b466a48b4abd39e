// The functions that differ between operating systems. Every `#if` of the library lives in this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pintle::base {

/// Whether this process has rights that its caller lacks: those of a program's owner (setuid, setgid) or of its file.
enum class Rights : std::uint8_t { own, raised };
[[nodiscard]] Rights rights() noexcept;
/// For tests, which have no raised rights.
void pretend_rights(Rights rights) noexcept;
/// A variable of this process's environment; null where there is none. With raised rights there is never one: the
/// caller writes the environment, and must not choose what runs with rights that the caller lacks. The library reads
/// variables only through this function.
[[nodiscard]] const char* variable(const char* name) noexcept;
/// This process's environment as NAME=value strings; empty with raised rights.
[[nodiscard]] std::vector<std::string> environment();
/// The operating system's words for an errno value.
[[nodiscard]] std::string system_words(int number);
[[nodiscard]] std::uint64_t process_id() noexcept;
/// The processor that the calling thread runs on. The thread may have moved by the time that this returns.
[[nodiscard]] std::uint32_t current_processor() noexcept;
/// Moves the calling thread to another processor, where it may use one. Afterwards it may run on all processors that it
/// could use before.
void leave_processor(std::uint32_t processor) noexcept;
/// The processor and the operating system, as packs name the target of machine code: "x86_64-linux".
[[nodiscard]] std::string machine();
/// The level of an x86-64 processor (x86-64-v3 has 3), from 1 to 4; 0 on every other processor.
[[nodiscard]] unsigned processor_level() noexcept;
/// Runs `handler` in each child that is forked from now on. The handler may only do what a signal handler may.
void call_in_forked_children(void (*handler)()) noexcept;
/// How many shared libraries have been loaded so far, unloaded ones included.
[[nodiscard]] std::uint64_t libraries_loaded() noexcept;

}  // namespace pintle::base
