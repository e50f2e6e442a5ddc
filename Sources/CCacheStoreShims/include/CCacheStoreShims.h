// SPDX-License-Identifier: MIT
#ifndef CCACHESTORESHIMS_H
#define CCACHESTORESHIMS_H
#endif
