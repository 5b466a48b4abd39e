/* Packs of several variants, which of them a device takes, and programs loaded with constants and options. */
#ifndef PINTLE_C_LOAD_H
#define PINTLE_C_LOAD_H

#include "pintle/c/buffer.h"
#include "pintle/c/bytes.h"
#include "pintle/c/handles.h"
#include "pintle/c/program.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A constant of a program: a specialisation constant, a side of groups (`group TILE=16`), or in a source a macro that
 * is a number. A whole f64 also fits an integer; any other value must fit the kernel's type exactly. */
typedef struct pintle_constant {
  uint32_t size;
  uint32_t dtype; /* PINTLE_F32 ... */
  const char* name;
  union {
    int64_t i;
    uint64_t u;
    double f64;
    float f32;
    uint16_t f16; /* The bits; bf16 too. */
  } value;
} pintle_constant;

/* A macro of a source: `{"DATA_TYPE", "float"}`. */
typedef struct pintle_macro {
  uint32_t size;
  uint32_t reserved;
  const char* name;
  const char* text;
} pintle_macro;

/* What is fixed when a program is loaded. Only a source has macros, folders and a language; any other format refuses
 * them. */
typedef struct pintle_load_options {
  uint32_t size;
  uint32_t reserved;
  const pintle_constant* constants;
  size_t constant_count;
  const pintle_macro* macros;
  size_t macro_count;
  const char* const* include_folders; /* Where #include looks. */
  size_t include_folder_count;
  const char* language; /* "CL2.0", "c17", "460"; NULL: the device's choice. */
  /* Nanoseconds that loading may take where a driver loads on a thread of its device, then PINTLE_TIMEOUT; 0:
   * PINTLE_TIMEOUT_DEFAULT. */
  int64_t timeout;
} pintle_load_options;

/* A program format that a device would take, and what is missing for it here. The strings live as long as the handle
 * that they were asked of. */
typedef struct pintle_absent_format {
  uint32_t size;
  uint32_t reserved;
  const char* format; /* "opencl_c" */
  const char* reason; /* With the next step: "Install the package clang-19 ..." */
} pintle_absent_format;

/* As pintle_pack_source, with the name that the program has in messages: an identifier. Any thread. */
PINTLE_C_API pintle_status pintle_pack_source_named(const char* name, const char* format, const void* code, size_t size,
                                                    const char* const* signatures, size_t count, pintle_pack* pack,
                                                    pintle_error* error);
/* Makes a pack with the variants of `first` and behind them those of `second`, under the name of `first`. The two stay
 * as they are. Any thread. */
PINTLE_C_API pintle_status pintle_pack_merge(pintle_pack first, pintle_pack second, pintle_pack* pack,
                                             pintle_error* error);
/* The pack as the bytes of one file, which pintle_pack_parse and pintle_pack_open read. PINTLE_INVALID_ARGUMENT where
 * its variants do not go together: two of one format and target, or an entry with other parameters. Any thread. */
PINTLE_C_API pintle_status pintle_pack_serialize(pintle_pack pack, pintle_bytes* bytes, pintle_error* error);

/* The number of program formats that a device takes. Any thread. */
PINTLE_C_API pintle_status pintle_device_format_count(pintle_device device, size_t* count, pintle_error* error);
/* A format that a device takes, best first; it lives as long as the handle. PINTLE_INVALID_ARGUMENT for an index beyond
 * the end. Any thread. */
PINTLE_C_API pintle_status pintle_device_format_name(pintle_device device, size_t index, const char** name,
                                                     pintle_error* error);
/* The number of program formats that a device would take, were all there that they need. Any thread. */
PINTLE_C_API pintle_status pintle_device_absent_format_count(pintle_device device, size_t* count, pintle_error* error);
/* Such a format, and what is missing. PINTLE_INVALID_ARGUMENT for an index beyond the end. Any thread. */
PINTLE_C_API pintle_status pintle_device_absent_format(pintle_device device, size_t index, pintle_absent_format* format,
                                                       pintle_error* error);
/* The number of targets that a device takes besides the one in pintle_device_info. Any thread. */
PINTLE_C_API pintle_status pintle_device_target_count(pintle_device device, size_t* count, pintle_error* error);
/* Such a target, best first, and better than the one in pintle_device_info ("x86_64-v4-linux"); it lives as long as the
 * handle. PINTLE_INVALID_ARGUMENT for an index beyond the end. Any thread. */
PINTLE_C_API pintle_status pintle_device_target_name(pintle_device device, size_t index, const char** name,
                                                     pintle_error* error);
/* Whether a device takes a variant of the pack: its format and target, and limits that an entry fits in.
 * PINTLE_UNSUPPORTED says why it takes none. Nothing is loaded, so a compiler may still refuse the code. Any thread. */
PINTLE_C_API pintle_status pintle_device_takes(pintle_device device, pintle_pack pack, pintle_error* error);
/* As above, for a device of a list, which is not opened. PINTLE_INVALID_ARGUMENT for an index beyond the end. Any
 * thread. */
PINTLE_C_API pintle_status pintle_device_list_takes(pintle_device_list list, size_t index, pintle_pack pack,
                                                    pintle_error* error);

/* As pintle_program_load, with constants and options; `options` may be NULL. PINTLE_INVALID_ARGUMENT for a name that is
 * no identifier or stands there twice. PINTLE_UNSUPPORTED for constants where the device fixes none
 * (PINTLE_FEATURE_CONSTANTS). PINTLE_BUILD_FAILED says of each variant which option it refuses. Any thread. */
PINTLE_C_API pintle_status pintle_program_load_with(pintle_device device, pintle_pack pack,
                                                    const pintle_load_options* options, pintle_program* program,
                                                    pintle_error* error);
/* Loads the pack for one of its entries, and answers that kernel. Blocks while it compiles. PINTLE_NOT_FOUND lists the
 * entries; else as pintle_program_load. Any thread. */
PINTLE_C_API pintle_status pintle_kernel_load(pintle_device device, pintle_pack pack, const char* entry,
                                              pintle_kernel* kernel, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
