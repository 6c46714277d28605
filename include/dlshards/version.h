/* SPDX-License-Identifier: Apache-2.0 */
/** @file version.h
 *  The version of the library, stated here and nowhere else: the build, the pkg-config file, the tools and
 *  the manual pages read it from this file. */
#ifndef DLSHARDS_VERSION_H
#define DLSHARDS_VERSION_H

#define DLS_VERSION_MAJOR 0
#define DLS_VERSION_MINOR 1
#define DLS_VERSION_PATCH 0
#define DLS_VERSION_STRING "0.1.0"

/** The newest shard format this library reads and the one it writes, see docs/format.md. */
#define DLS_FORMAT_MAJOR 1
#define DLS_FORMAT_MINOR 0

#endif
