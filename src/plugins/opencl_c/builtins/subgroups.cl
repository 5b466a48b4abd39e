// Functions of subgroups: every item leaves its value in memory of the subgroup, then reads another's. The plug-in cuts the
// kernel at each pintle_subgroup_barrier, which has the function's name for a refusal.
uint __attribute__((const)) pintle_subgroup_lane(void);
uint __attribute__((const)) pintle_subgroup_id(void);
uint __attribute__((const)) pintle_subgroup_count(void);
uint __attribute__((const)) pintle_subgroup_size(void);
uint __attribute__((const)) pintle_subgroup_most(void);
__local uchar* __attribute__((const)) pintle_subgroup_scratch(ulong bytes_of_an_item);
void __attribute__((convergent)) pintle_subgroup_barrier(__constant char* function);

OVERLOAD uint get_sub_group_size(void) { return pintle_subgroup_size(); }
OVERLOAD uint get_max_sub_group_size(void) { return pintle_subgroup_most(); }
OVERLOAD uint get_num_sub_groups(void) { return pintle_subgroup_count(); }
OVERLOAD uint get_enqueued_num_sub_groups(void) { return pintle_subgroup_count(); }
OVERLOAD uint get_sub_group_id(void) { return pintle_subgroup_id(); }
OVERLOAD uint get_sub_group_local_id(void) { return pintle_subgroup_lane(); }

#define CONVERGENT OVERLOAD __attribute__((convergent))
#define MEET(f) pintle_subgroup_barrier(f)
CONVERGENT void sub_group_barrier(cl_mem_fence_flags flags) { MEET("sub_group_barrier"); }
CONVERGENT void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { MEET("sub_group_barrier"); }

// Who reads another's value has to be through before that one leaves its next. A place that nobody has gives the item's own.
#define SHARE(T, N, f) \
  __local T##N* const all = (__local T##N*)pintle_subgroup_scratch(sizeof(T##N)); \
  const uint me = pintle_subgroup_lane(), count = pintle_subgroup_size(); \
  all[me] = x; \
  MEET(f);
#define TAKE(T, N, at, f) \
  const uint place = at; \
  const T##N taken = all[place < count ? place : me]; \
  MEET(f); \
  return taken;
#define FROM_ANOTHER(T, N, f, at, ...) CONVERGENT T##N f(T##N x, __VA_ARGS__) { SHARE(T, N, #f) TAKE(T, N, at, #f) }

#define BROADCASTS(T, N) \
  FROM_ANOTHER(T, N, sub_group_broadcast, i, uint i) \
  FROM_ANOTHER(T, N, sub_group_non_uniform_broadcast, i, uint i) \
  FROM_ANOTHER(T, N, intel_sub_group_broadcast, i, uint i) \
  FROM_ANOTHER(T, N, intel_sub_group_shuffle, i, uint i) \
  FROM_ANOTHER(T, N, intel_sub_group_shuffle_xor, me ^ i, uint i) \
  CONVERGENT T##N intel_sub_group_shuffle_down(T##N x, T##N next, uint i) { \
    const T##N here = sub_group_broadcast(x, pintle_subgroup_lane() + i); \
    const T##N behind = sub_group_broadcast(next, pintle_subgroup_lane() + i - pintle_subgroup_most()); \
    return pintle_subgroup_lane() + i < pintle_subgroup_most() ? here : behind; \
  } \
  CONVERGENT T##N intel_sub_group_shuffle_up(T##N before, T##N x, uint i) { \
    const T##N here = sub_group_broadcast(x, pintle_subgroup_lane() - i); \
    const T##N ahead = sub_group_broadcast(before, pintle_subgroup_most() + pintle_subgroup_lane() - i); \
    return i <= pintle_subgroup_lane() ? here : ahead; \
  }
#define ALL_BROADCASTS(T) SIZES(BROADCASTS, T)
EACH_TYPE(ALL_BROADCASTS)
#define SHUFFLES_OF_ITEMS(T) \
  CONVERGENT T sub_group_broadcast_first(T x) { SHARE(T, , "sub_group_broadcast_first") TAKE(T, , 0, "sub_group_broadcast_first") } \
  FROM_ANOTHER(T, , sub_group_shuffle, i, uint i) \
  FROM_ANOTHER(T, , sub_group_shuffle_xor, me ^ i, uint i) \
  FROM_ANOTHER(T, , sub_group_shuffle_up, me - i, uint i) \
  FROM_ANOTHER(T, , sub_group_shuffle_down, me + i, uint i) \
  FROM_ANOTHER(T, , sub_group_rotate, ((int)me + i % (int)pintle_subgroup_most() + pintle_subgroup_most()) % pintle_subgroup_most(), int i) \
  FROM_ANOTHER(T, , sub_group_clustered_rotate, (me & -c) | ((me + (uint)i) & (c - 1)), int i, uint c)
EACH_TYPE(SHUFFLES_OF_ITEMS)

// The first item works on all values, in the order of the items; then each reads its own result, or the one behind all.
#define SUBGROUP_COMBINE(T, f, body, at) \
  CONVERGENT T f(T x) { \
    SHARE(T, , #f) \
    if (me == 0) { body } \
    MEET(#f); \
    return all[at]; \
  }
#define SUBGROUP_REDUCE(T, op, start, combine) \
  SUBGROUP_COMBINE(T, sub_group_reduce_##op, T a = all[0]; for (uint i = 1; i < count; ++i) { const T b = all[i]; a = combine; } all[pintle_subgroup_most()] = a;, pintle_subgroup_most()) \
  SUBGROUP_COMBINE(T, sub_group_scan_inclusive_##op, T a = all[0]; for (uint i = 1; i < count; ++i) { const T b = all[i]; a = combine; all[i] = a; }, me) \
  SUBGROUP_COMBINE(T, sub_group_scan_exclusive_##op, T a = start; for (uint i = 0; i < count; ++i) { const T b = all[i]; all[i] = a; a = combine; }, me) \
  CLUSTERED(T, op, combine)
#define CLUSTERED(T, op, combine) \
  CONVERGENT T sub_group_clustered_reduce_##op(T x, uint size) { \
    SHARE(T, , "sub_group_clustered_reduce_" #op) \
    const uint first = me & -size, last = min(first + size, count); \
    T a = all[first]; \
    for (uint i = first + 1; i < last; ++i) { const T b = all[i]; a = combine; } \
    MEET("sub_group_clustered_reduce_" #op); \
    return a; \
  }
#define SUBGROUP_OF(T, least, most) \
  SUBGROUP_REDUCE(T, add, 0, a + b) \
  SUBGROUP_REDUCE(T, min, most, a < b ? a : b) \
  SUBGROUP_REDUCE(T, max, least, a > b ? a : b) \
  CLUSTERED(T, mul, a * b)
SUBGROUP_OF(char, CHAR_MIN, CHAR_MAX) SUBGROUP_OF(uchar, 0, UCHAR_MAX) SUBGROUP_OF(short, SHRT_MIN, SHRT_MAX) SUBGROUP_OF(ushort, 0, USHRT_MAX)
SUBGROUP_OF(int, INT_MIN, INT_MAX) SUBGROUP_OF(uint, 0, UINT_MAX) SUBGROUP_OF(long, LONG_MIN, LONG_MAX) SUBGROUP_OF(ulong, 0, ULONG_MAX)
SUBGROUP_OF(float, -INFINITY, INFINITY) SUBGROUP_OF(half, -(half)INFINITY, (half)INFINITY) SUBGROUP_OF(double, -(double)INFINITY, (double)INFINITY)
#define CLUSTERED_BITS(T) CLUSTERED(T, and, a & b) CLUSTERED(T, or, a | b) CLUSTERED(T, xor, a ^ b)
EACH_INTEGER(CLUSTERED_BITS)
CLUSTERED(int, logical_and, a && b) CLUSTERED(int, logical_or, a || b) CLUSTERED(int, logical_xor, !a != !b)

#define SUBGROUP_VOTE(f, start, combine) \
  SUBGROUP_COMBINE(int, f, int a = start; for (uint i = 0; i < count; ++i) { const int b = all[i] != 0; a = combine; } all[pintle_subgroup_most()] = a;, pintle_subgroup_most())
SUBGROUP_VOTE(sub_group_all, 1, a & b) SUBGROUP_VOTE(sub_group_any, 0, a | b)

// A ballot has a bit for each item: the reason why no subgroup is larger than 128.
INLINE uint4 bits_below(uint n) {
  const uint4 from = (uint4)(0, 32, 64, 96);
  return select(select((uint4)0, ((uint4)1 << (((uint4)n - from) & 31)) - 1, (uint4)n > from), (uint4)~0U, (uint4)n >= from + 32);
}
INLINE uint count_bits(uint4 bits) { return popcount(bits.x) + popcount(bits.y) + popcount(bits.z) + popcount(bits.w); }
INLINE uint4 bits_here(uint4 bits) { return bits & bits_below(pintle_subgroup_size()); }
CONVERGENT uint4 sub_group_ballot(int x) {
  SHARE(int, , "sub_group_ballot")
  uint4 bits = 0;
  for (uint i = 0; i < count; ++i) bits[i / 32] |= (uint)(all[i] != 0) << (i % 32);
  MEET("sub_group_ballot");
  return bits;
}
OVERLOAD int sub_group_ballot_bit_extract(uint4 bits, uint i) { return i < 128 ? bits[i / 32] >> (i % 32) & 1 : 0; }
OVERLOAD int sub_group_inverse_ballot(uint4 bits) { return sub_group_ballot_bit_extract(bits, pintle_subgroup_lane()); }
OVERLOAD uint sub_group_ballot_bit_count(uint4 bits) { return count_bits(bits_here(bits)); }
OVERLOAD uint sub_group_ballot_inclusive_scan(uint4 bits) { return count_bits(bits & bits_below(pintle_subgroup_lane() + 1)); }
OVERLOAD uint sub_group_ballot_exclusive_scan(uint4 bits) { return count_bits(bits & bits_below(pintle_subgroup_lane())); }
OVERLOAD uint sub_group_ballot_find_lsb(uint4 bits) {
  bits = bits_here(bits);
  return bits.x ? ctz(bits.x) : bits.y ? 32 + ctz(bits.y) : bits.z ? 64 + ctz(bits.z) : 96 + ctz(bits.w);
}
OVERLOAD uint sub_group_ballot_find_msb(uint4 bits) {
  bits = bits_here(bits);
  return bits.w ? 127 - clz(bits.w) : bits.z ? 95 - clz(bits.z) : bits.y ? 63 - clz(bits.y) : 31 - clz(bits.x);
}
OVERLOAD uint4 get_sub_group_lt_mask(void) { return bits_below(pintle_subgroup_lane()); }
OVERLOAD uint4 get_sub_group_le_mask(void) { return bits_below(pintle_subgroup_lane() + 1); }
OVERLOAD uint4 get_sub_group_eq_mask(void) { return get_sub_group_le_mask() ^ get_sub_group_lt_mask(); }
OVERLOAD uint4 get_sub_group_ge_mask(void) { return bits_here(~get_sub_group_lt_mask()); }
OVERLOAD uint4 get_sub_group_gt_mask(void) { return bits_here(~get_sub_group_le_mask()); }

// Intel's blocks: the items' elements lie side by side.
#define BLOCK_PART(k) v[k] = p[pintle_subgroup_lane() + k * pintle_subgroup_most()];
#define BLOCK_STORE(k) p[pintle_subgroup_lane() + k * pintle_subgroup_most()] = v[k];
#define BLOCKS_N(T, S, suffix, N) \
  OVERLOAD T##N intel_sub_group_block_read##suffix##N(const S T* p) { \
    T##N v; \
    for (int k = 0; k < N; ++k) BLOCK_PART(k) \
    return v; \
  } \
  OVERLOAD void intel_sub_group_block_write##suffix##N(S T* p, T##N v) { for (int k = 0; k < N; ++k) BLOCK_STORE(k) }
#define BLOCKS(T, S, suffix) \
  OVERLOAD T intel_sub_group_block_read##suffix(const S T* p) { return p[pintle_subgroup_lane()]; } \
  OVERLOAD void intel_sub_group_block_write##suffix(S T* p, T v) { p[pintle_subgroup_lane()] = v; } \
  BLOCKS_N(T, S, suffix, 2) BLOCKS_N(T, S, suffix, 4) BLOCKS_N(T, S, suffix, 8)
#define BLOCKS_IN(S) BLOCKS(uint, S, ) BLOCKS(uint, S, _ui) BLOCKS(ushort, S, _us) BLOCKS(uchar, S, _uc) BLOCKS(ulong, S, _ul)
BLOCKS_IN(__global) BLOCKS_IN(__local)
