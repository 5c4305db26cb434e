// SPDX-License-Identifier: Apache-2.0
// The files of the folder Pages, as the compiler has read them.
#pragma once

#include <stddef.h>

struct dashboard_file {
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

// The file with this number; null behind the last one.
const struct dashboard_file *dashboard_file_at(size_t number);
