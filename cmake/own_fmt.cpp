// PINTLE_SELF_CONTAINED: what programs need of libfmt, made of its headers, since Debian has no archive of it.
#include <fmt/format-inl.h>

template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref);
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
