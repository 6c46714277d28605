/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/names.h"

#include <criterion/criterion.h>
#include <string.h>

/* In the order in which Python 3 sorts what os.listdir() gives for these names. */
static const char *const sorted[] = {
    "",
    "-rf",
    "A",
    "B",
    "a",
    "a b",
    "a/b",
    "ab",
    "\xC3\xA9",     /* U+00E9 */
    "\xE5\x90\x8D", /* U+540D */
    "\xED\x9F\xBF", /* U+D7FF */
    "\x80",         /* not UTF-8: U+DC80 */
    "\xC3",         /* U+DCC3 */
    "\xC3(",
    "\xC3\xC3\xA9",     /* U+DCC3 U+00E9 */
    "\xED\xA0\x80",     /* a surrogate in UTF-8 is not UTF-8: U+DCED U+DCA0 U+DC80 */
    "\xFF",             /* U+DCFF */
    "\xEE\x80\x80",     /* U+E000 */
    "\xEF\xBF\xBD",     /* U+FFFD */
    "\xF0\x9F\x98\x80", /* U+1F600 */
};

Test(names, are_sorted_as_python_sorts_them)
{
    const int count = sizeof(sorted) / sizeof(*sorted);

    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            int order = names_compare(sorted[i], strlen(sorted[i]), sorted[j], strlen(sorted[j]));
            cr_expect_eq((order > 0) - (order < 0), (i > j) - (i < j), "%d and %d", i, j);
        }
}
