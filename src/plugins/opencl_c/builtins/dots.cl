// cl_khr_integer_dot_product: four bytes by four bytes. The sum of the products fits the result's type.
#define DOT(T, A, B) \
  OVERLOAD T dot(A##4 a, B##4 b) { return (T)a.x * (T)b.x + (T)a.y * (T)b.y + (T)a.z * (T)b.z + (T)a.w * (T)b.w; } \
  OVERLOAD T dot_acc_sat(A##4 a, B##4 b, T sum) { return add_sat(dot(a, b), sum); }
DOT(uint, uchar, uchar) DOT(int, char, char) DOT(int, uchar, char) DOT(int, char, uchar)

#define DOT_PACKED(T, A, B, TYPES) \
  OVERLOAD T dot_4x8packed_##TYPES(uint a, uint b) { return dot(as_##A##4(a), as_##B##4(b)); } \
  OVERLOAD T dot_acc_sat_4x8packed_##TYPES(uint a, uint b, T sum) { return dot_acc_sat(as_##A##4(a), as_##B##4(b), sum); }
DOT_PACKED(uint, uchar, uchar, uu_uint) DOT_PACKED(int, char, char, ss_int)
DOT_PACKED(int, uchar, char, us_int) DOT_PACKED(int, char, uchar, su_int)
