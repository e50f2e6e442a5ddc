#include "CCacheStoreShims.h"
