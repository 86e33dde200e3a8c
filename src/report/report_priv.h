#ifndef WHET_REPORT_PRIV_H
#define WHET_REPORT_PRIV_H

/* Between the files of the report room. */

#include "report/report.h"

/** Longest prefix, in bytes, that takes at most `max_columns`; what it takes
 *  goes to *columns_out. */
size_t whet_report__cut(size_t *columns_out, const char *text, size_t bytes,
                        size_t max_columns);

#endif /* WHET_REPORT_PRIV_H */
