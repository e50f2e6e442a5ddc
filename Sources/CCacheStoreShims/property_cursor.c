// SPDX-License-Identifier: MIT
#include "CCacheStorePropertyCursor.h"

_Thread_local cachestore_property_cursor cachestore_current_property_cursor = {0, 0};
