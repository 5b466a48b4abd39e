// Sources of buffers behind handles.
#pragma once

#include <variant>
#include <vector>

#include "capi/objects.h"
#include "pintle/c/pool.h"
#include "pintle/c/resource.h"

namespace pintle::capi {

/// The alternatives stand in the order of PINTLE_RESOURCE_POOL and what follows it.
using AnyResource = std::variant<Pool, DeviceResource, LimitResource, LogResource, TrackResource, StatisticsResource,
                                 FailResource, Resource>;
using HolderList = std::vector<ResourceHolder>;
using HeapList = std::vector<Heap>;

PINTLE_C_KIND(pintle_pool, Pool, 30, "pool");
PINTLE_C_KIND(pintle_resource, AnyResource, 31, "resource");
PINTLE_C_KIND(pintle_holder_list, HolderList, 32, "holder list");
PINTLE_C_KIND(pintle_heap_list, HeapList, 33, "heap list");

}  // namespace pintle::capi
