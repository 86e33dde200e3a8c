#ifndef WHET_BASE_H
#define WHET_BASE_H

/* The room that every other room stands on: errors, memory, clock, random
 * numbers, hashes, files, JSON, YAML, processes, sandbox, options, logging.
 * It knows nothing of kernels or devices. Other rooms include this header;
 * its parts are the manual. */

#include "base/clock.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/opts.h"
#include "base/parallel.h"
#include "base/process.h"
#include "base/rng.h"
#include "base/sandbox.h"
#include "base/yaml.h"

#endif /* WHET_BASE_H */
