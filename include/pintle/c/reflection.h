/* What packs, programs and kernels say of themselves: variants, entries and their parameters. A string that a struct of
 * this header points to lives as long as the handle that it was asked of. */
#ifndef PINTLE_C_REFLECTION_H
#define PINTLE_C_REFLECTION_H

#include "pintle/c/buffer.h"
#include "pintle/c/bytes.h"
#include "pintle/c/handles.h"
#include "pintle/c/list.h"
#include "pintle/c/status.h"
#include "pintle/c/texel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a parameter takes. */
enum {
  PINTLE_PARAMETER_BUFFER = 1,
  PINTLE_PARAMETER_SCALAR = 2,
  PINTLE_PARAMETER_VALUE = 3, /* A vector, a struct, or bytes of a size, by value. */
  PINTLE_PARAMETER_LOCAL = 4, /* Scratch memory of a group, sized at the launch. */
  PINTLE_PARAMETER_IMAGE = 5,
  PINTLE_PARAMETER_SAMPLER = 6,
  PINTLE_PARAMETER_TEXEL_BUFFER = 7 /* A buffer whose elements a kernel reads and writes as texels. */
};

/* A pack as a whole. */
typedef struct pintle_pack_info {
  uint32_t size;
  uint32_t variant_count;
  const char* name;
} pintle_pack_info;

/* A program in one format. */
typedef struct pintle_variant_info {
  uint32_t size;
  uint32_t entry_count;
  const char* format; /* "c", "so", "spirv" ... */
  const char* target; /* What the variant was built for; empty: any. */
  uint64_t code_bytes;
} pintle_variant_info;

/* A program that is loaded. */
typedef struct pintle_program_info {
  uint32_t size;
  uint32_t entry_count;
  const char* format; /* The format of the variant that the device picked. */
} pintle_program_info;

/* One entry point. */
typedef struct pintle_entry_info {
  uint32_t size;
  uint32_t parameter_count;
  const char* name;
  uint32_t group_size[3]; /* Work-items of a group. In a pack, a side that a constant decides has its default. */
  uint32_t subgroup_size; /* Work-items of a subgroup, where the kernel needs a certain number; else 0. */
  const char* group_constants[3]; /* The constant that decides a side at load; NULL: the side is fixed. */
  uint32_t local_bytes;           /* Bytes of scratch memory that the items of a group share. */
  uint32_t reserved;
} pintle_entry_info;

/* One parameter of an entry point. */
typedef struct pintle_parameter_info {
  uint32_t size;
  uint32_t kind; /* PINTLE_PARAMETER_... */
  const char* name;
  uint32_t dtype;              /* PINTLE_F32 ...; of a struct and of plain bytes: PINTLE_U8. */
  uint32_t access;             /* What the kernel does with buffers, images and texels; values are always read. */
  uint32_t alignment;          /* Bytes: what a buffer's offset is a multiple of, or where a value may lie. */
  uint32_t bytes;              /* The size of a value; a vector of three has three numbers. Else 0. */
  uint32_t lanes;              /* 2, 3, 4, 8 or 16 of a vector by value, 3 of a buffer of vectors of three, else 1. */
  uint32_t member_count;       /* For a struct by value. 0: a struct of which only the size is declared, or none. */
  uint32_t dimensions;         /* 2 or 3 for an image, else 0. */
  uint32_t is_sampled;         /* 1: an image comes with its sampler. */
  uint32_t texel;              /* An image's or a texel buffer's: PINTLE_TEXEL_...; 0: any. */
  uint32_t rank;               /* The sides of a buffer's shape; 0: any number of elements. */
  uint64_t sides[8];           /* Elements, outermost first; 0 where a scalar says how many. */
  const char* side_scalars[8]; /* The name of that scalar, a parameter of the same entry; NULL where there is none. */
  uint32_t is_optional;        /* 1: a launch may give no buffer, PINTLE_ARGUMENT_NULL. */
  uint32_t reserved;
} pintle_parameter_info;

/* A number or a vector in a struct by value. */
typedef struct pintle_member_info {
  uint32_t size;
  uint32_t dtype; /* PINTLE_F32 ... */
  const char* name;
  uint32_t lanes;  /* 1 for a number; 2, 3, 4, 8 or 16 for a vector. */
  uint32_t offset; /* Bytes from the beginning of the struct. */
} pintle_member_info;

/* In all that follows, PINTLE_INVALID_ARGUMENT is the answer to an index beyond the end. */

/* The pack as a whole. Any thread. */
PINTLE_C_API pintle_status pintle_pack_get_info(pintle_pack pack, pintle_pack_info* info, pintle_error* error);
/* A variant of a pack. Any thread. */
PINTLE_C_API pintle_status pintle_pack_variant(pintle_pack pack, size_t variant, pintle_variant_info* info,
                                               pintle_error* error);
/* An entry of a variant. Any thread. */
PINTLE_C_API pintle_status pintle_pack_entry(pintle_pack pack, size_t variant, size_t entry, pintle_entry_info* info,
                                             pintle_error* error);
/* A parameter of an entry. Any thread. */
PINTLE_C_API pintle_status pintle_pack_parameter(pintle_pack pack, size_t variant, size_t entry, size_t parameter,
                                                 pintle_parameter_info* info, pintle_error* error);
/* A member of a struct by value. Any thread. */
PINTLE_C_API pintle_status pintle_pack_member(pintle_pack pack, size_t variant, size_t entry, size_t parameter,
                                              size_t member, pintle_member_info* info, pintle_error* error);
/* The signature of an entry, as a pack is made of it. Any thread. */
PINTLE_C_API pintle_status pintle_pack_signature(pintle_pack pack, size_t variant, size_t entry,
                                                 pintle_bytes* signature, pintle_error* error);

/* The program as a whole. Any thread. */
PINTLE_C_API pintle_status pintle_program_get_info(pintle_program program, pintle_program_info* info,
                                                   pintle_error* error);
/* An entry of a program, with the group that the constants of the load have given it. An entry that the device cannot
 * run may be there too: pintle_program_kernel says why. Any thread. */
PINTLE_C_API pintle_status pintle_program_entry(pintle_program program, size_t entry, pintle_entry_info* info,
                                                pintle_error* error);
/* A parameter of an entry. Its alignment may be larger than the pack's: what the compiled code needs counts. Any
 * thread. */
PINTLE_C_API pintle_status pintle_program_parameter(pintle_program program, size_t entry, size_t parameter,
                                                    pintle_parameter_info* info, pintle_error* error);
/* A member of a struct by value. Any thread. */
PINTLE_C_API pintle_status pintle_program_member(pintle_program program, size_t entry, size_t parameter, size_t member,
                                                 pintle_member_info* info, pintle_error* error);
/* The signature of an entry. Any thread. */
PINTLE_C_API pintle_status pintle_program_signature(pintle_program program, size_t entry, pintle_bytes* signature,
                                                    pintle_error* error);

/* The kernel's entry, as pintle_program_entry has it. Any thread. */
PINTLE_C_API pintle_status pintle_kernel_get_info(pintle_kernel kernel, pintle_entry_info* info, pintle_error* error);
/* A parameter of the kernel. Any thread. */
PINTLE_C_API pintle_status pintle_kernel_parameter(pintle_kernel kernel, size_t parameter, pintle_parameter_info* info,
                                                   pintle_error* error);
/* A member of a struct by value. Any thread. */
PINTLE_C_API pintle_status pintle_kernel_member(pintle_kernel kernel, size_t parameter, size_t member,
                                                pintle_member_info* info, pintle_error* error);
/* The signature of the kernel. Any thread. */
PINTLE_C_API pintle_status pintle_kernel_signature(pintle_kernel kernel, pintle_bytes* signature, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
