// Settings.
#include "base/settings.h"

#include <span>

#include "capi/check.h"
#include "capi/objects.h"
#include "capi/structs.h"
#include "capi/with.h"
#include "pintle/c/settings.h"

namespace pintle::capi {

/// The rows of the process's settings, which live for ever.
using SettingList = std::span<const base::SettingRow>;

PINTLE_C_KIND(pintle_setting_list, SettingList, 11, "setting list");

}  // namespace pintle::capi

using namespace pintle;
using namespace pintle::capi;

pintle_status pintle_settings(pintle_setting_list* list, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(list, "list"));
    return make(list, base::setting_rows());
  });
}

pintle_status pintle_setting_list_count(pintle_setting_list list, size_t* count, pintle_error* error) {
  return with(list, error, [&](const SettingList& its) { return answer_count(its, count); });
}

pintle_status pintle_setting_list_setting(pintle_setting_list list, size_t index, pintle_setting* setting,
                                          pintle_error* error) {
  return with(list, error, [&](const SettingList& its) -> Result<void> {
    PINTLE_ASSIGN(out, writable(setting, "pintle_setting"));
    PINTLE_TRY(within(index, its.size(), "setting"));
    const base::SettingRow& row = its[index];
    out->name = row.name.data();
    out->value = row.value.c_str();
    out->source = row.source.data();
    out->meaning = row.meaning.data();
    out->valid = row.valid.data();
    return {};
  });
}

pintle_status pintle_setting_list_release(pintle_setting_list list, pintle_error* error) {
  return enter(error, [&] { return release(list); });
}
