// What the habits of the layer for OpenCL share: each is a small layer over the ones before.
#pragma once

#include <CL/cl_layer.h>

#include "common/habits.h"

namespace pintle::hostile {

/// Puts the functions of a habit into the table, and keeps what stood there for its own calls.
using Install = void (*)(cl_icd_dispatch& table);

void install_device_name(cl_icd_dispatch& table);
void install_late_commands(cl_icd_dispatch& table);
void install_late_callbacks(cl_icd_dispatch& table);
void install_early_reads(cl_icd_dispatch& table);
void install_argument_info(cl_icd_dispatch& table);
void install_releases(cl_icd_dispatch& table);
void install_arguments(cl_icd_dispatch& table);

}  // namespace pintle::hostile
