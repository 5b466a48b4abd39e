/* Programs: packs of variants, loaded programs and their kernels. */
#ifndef PINTLE_C_PROGRAM_H
#define PINTLE_C_PROGRAM_H

#include "pintle/c/handles.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a pack file or folder. PINTLE_INVALID_ARGUMENT names the place of the mistake; PINTLE_IO the path. Any thread.
 */
PINTLE_C_API pintle_status pintle_pack_open(const char* path, pintle_pack* pack, pintle_error* error);
/* Reads the bytes of a pack file, which are copied. Any thread. */
PINTLE_C_API pintle_status pintle_pack_parse(const void* bytes, size_t size, pintle_pack* pack, pintle_error* error);
/* Makes a pack of one variant: `code` in `format` ("c", "opencl_c", "spirv" ...), of which `signatures` declare the
 * entries: "scale(a: f32, x: read_write f32[n], n: u32) group 64". With a count of 0 the entries are those that the
 * code says, and `signatures` may be NULL: of "wgsl", "stablehlo" and "spirv", and of "opencl_c" and "glsl", where the
 * call blocks while a compiler reads them. An entry that no signature can have is left out. PINTLE_INVALID_ARGUMENT
 * where the code does not tell, or the compiler is not here, with what to do; PINTLE_BUILD_FAILED with the compiler's
 * words. Any thread. */
PINTLE_C_API pintle_status pintle_pack_source(const char* format, const void* code, size_t size,
                                              const char* const* signatures, size_t count, pintle_pack* pack,
                                              pintle_error* error);
/* Lets go of the pack. Programs that were loaded from it stay. Any thread. */
PINTLE_C_API pintle_status pintle_pack_release(pintle_pack pack, pintle_error* error);

/* Loads the best variant for the device. Blocks while it compiles. PINTLE_BUILD_FAILED says why each variant was
 * refused, or has the log. Any thread. */
PINTLE_C_API pintle_status pintle_program_load(pintle_device device, pintle_pack pack, pintle_program* program,
                                               pintle_error* error);
/* The number of entries of a program. Any thread. */
PINTLE_C_API pintle_status pintle_program_entry_count(pintle_program program, size_t* count, pintle_error* error);
/* The name of an entry; it lives as long as the program. PINTLE_INVALID_ARGUMENT for an index beyond the end. Any
 * thread. */
PINTLE_C_API pintle_status pintle_program_entry_name(pintle_program program, size_t index, const char** name,
                                                     pintle_error* error);
/* Unloads the program, when its kernels are released and the last submission that uses it has ended. Any thread. */
PINTLE_C_API pintle_status pintle_program_release(pintle_program program, pintle_error* error);

/* The kernel of an entry. PINTLE_NOT_FOUND lists the entries. The kernel keeps its program loaded. Any thread. */
PINTLE_C_API pintle_status pintle_program_kernel(pintle_program program, const char* entry, pintle_kernel* kernel,
                                                 pintle_error* error);
/* Lets go of the kernel. Lists, recordings and work in flight keep what they need of it. Any thread. */
PINTLE_C_API pintle_status pintle_kernel_release(pintle_kernel kernel, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
