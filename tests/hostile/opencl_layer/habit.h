// What the habits of the layer for OpenCL share: each is a small layer over the ones before.
#pragma once

#include <CL/cl_layer.h>

#include "common/habits.h"

namespace pintle::hostile {

/// Puts the functions of a habit into the table, and keeps what stood there for its own calls.
using Install = void (*)(cl_icd_dispatch& table);

void install_device_texts(cl_icd_dispatch& table);
void install_late_commands(cl_icd_dispatch& table);
void install_late_callbacks(cl_icd_dispatch& table);
void install_full_queue(cl_icd_dispatch& table);
void install_recycled(cl_icd_dispatch& table);
void install_early_reads(cl_icd_dispatch& table);
void install_argument_info(cl_icd_dispatch& table);
void install_releases(cl_icd_dispatch& table);
void install_arguments(cl_icd_dispatch& table);
void install_maps(cl_icd_dispatch& table);
void install_fault(cl_icd_dispatch& table);
void install_waiting_calls(cl_icd_dispatch& table);
void install_discrete(cl_icd_dispatch& table);
void install_largest(cl_icd_dispatch& table);
void install_platform_name(cl_icd_dispatch& table);
void install_texel_questions(cl_icd_dispatch& table);
void install_nonsense(cl_icd_dispatch& table);

[[nodiscard]] std::string name_of(const cl_icd_dispatch& table, cl_kernel kernel);
/// Empty for a program of another format.
[[nodiscard]] std::string source_of(const cl_icd_dispatch& table, cl_program program);
/// Tells a text as OpenCL's questions do.
cl_int answer(const std::string& text, size_t size, void* value, size_t* needed);

}  // namespace pintle::hostile
