/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/manifest_json.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"

#include <dlshards/dataset.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const codec_words[] = {"none", "jpeg", "coef", "png", "webp", "raw"};
#define CODEC_WORDS (sizeof(codec_words) / sizeof(codec_words[0]))

int dls_json_string(const json_t *object, const char *name, const char **ret_text)
{
    const json_t *value = json_object_get(object, name);

    if (!json_is_string(value))
        return dls_err(EBADMSG, "member '%s' is missing or not a string", name);
    if (strlen(json_string_value(value)) != json_string_length(value))
        return dls_err(EBADMSG, "member '%s' holds a NUL", name);
    *ret_text = json_string_value(value);
    return 0;
}

static int number_of(const json_t *value, const char *name, uint64_t most, uint64_t *ret_number)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > most)
        return dls_err(EBADMSG, "member '%s' is missing or not a number from 0 to %" PRIu64, name, most);
    *ret_number = (uint64_t)json_integer_value(value);
    return 0;
}

int dls_json_number(const json_t *object, const char *name, uint64_t most, uint64_t *ret_number)
{
    return number_of(json_object_get(object, name), name, most, ret_number);
}

int dls_json_array(const json_t *object, const char *name, json_t **ret_array)
{
    json_t *value = json_object_get(object, name);

    if (!json_is_array(value))
        return dls_err(EBADMSG, "member '%s' is missing or not a list", name);
    *ret_array = value;
    return 0;
}

int dls_json_numbers(const json_t *object, const char *name, uint64_t *ret_numbers, size_t count)
{
    json_t *array = NULL;
    int r = dls_json_array(object, name, &array);

    if (r < 0)
        return r;
    if (json_array_size(array) != count)
        return dls_err(EBADMSG, "member '%s' has %zu numbers, not %zu", name, json_array_size(array), count);
    for (size_t i = 0; r == 0 && i < count; i++)
        r = number_of(json_array_get(array, i), name, INT64_MAX, &ret_numbers[i]);
    return r;
}

int dls_json_reals(const json_t *object, const char *name, double *ret_reals, size_t count)
{
    json_t *array = NULL;
    int r = dls_json_array(object, name, &array);

    if (r < 0)
        return r;
    if (json_array_size(array) != count)
        return dls_err(EBADMSG, "member '%s' has %zu numbers, not %zu", name, json_array_size(array), count);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_number(value) || !(json_number_value(value) >= 0 && json_number_value(value) <= 1))
            return dls_err(EBADMSG, "member '%s' holds something that is not a number from 0 to 1", name);
        ret_reals[i] = json_number_value(value);
    }
    return 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int dls_hex_parse(const char *digits, uint8_t *ret_bytes, size_t count)
{
    if (strlen(digits) != 2 * count)
        return dls_err(EBADMSG, "'%.40s' does not have %zu hexadecimal digits", digits, 2 * count);
    for (size_t i = 0; i < count; i++) {
        int high = hex_digit(digits[2 * i]), low = hex_digit(digits[2 * i + 1]);
        if (high < 0 || low < 0)
            return dls_err(EBADMSG, "'%.40s' is not lower-case hexadecimal", digits);
        ret_bytes[i] = (uint8_t)(high << 4 | low);
    }
    return 0;
}

int dls_hex_parse64(const char *digits, uint64_t *ret_value)
{
    uint8_t bytes[8];
    int r = dls_hex_parse(digits, bytes, 8);

    if (r == 0)
        *ret_value = __builtin_bswap64(dls_get64(bytes));
    return r;
}

int dls_decimal_parse64(const char *digits, uint64_t *ret_value)
{
    uint64_t value = 0;

    if (!digits[0])
        return dls_err(EBADMSG, "an empty string is not a number");
    for (const char *at = digits; *at; at++)
        if (*at < '0' || *at > '9' || dls_mul_overflows(value, 10, &value) ||
            dls_add_overflows(value, (uint64_t)(*at - '0'), &value))
            return dls_err(EBADMSG, "'%.40s' is not a decimal number below 2^64", digits);
    *ret_value = value;
    return 0;
}

int dls_json_bytes(const json_t *value, size_t most, char **ret_bytes, size_t *ret_length)
{
    const char *hex = json_string_value(json_object_get(value, "hex"));
    size_t length = json_is_string(value) ? json_string_length(value) : hex ? strlen(hex) / 2 : 0;
    char *bytes;
    int r = 0;

    if (length < 1 || length > most)
        return dls_err(EBADMSG, "not a name of 1 to %zu bytes", most);
    bytes = dls_alloc(DLS_MEM_SHARD, length + 1);
    if (!bytes)
        return -ENOMEM;
    if (json_is_string(value))
        memcpy(bytes, json_string_value(value), length);
    else
        r = dls_hex_parse(hex, (uint8_t *)bytes, length);
    if (r == 0 && (memchr(bytes, 0, length) || memchr(bytes, '/', length)))
        r = dls_err(EBADMSG, "a name with NUL or '/'");
    if (r < 0) {
        dls_free(bytes);
        return r;
    }
    *ret_bytes = bytes;
    *ret_length = length;
    return 0;
}

const char *dls_field_type_name(uint32_t type)
{
    static const char *const names[] = {"", "image", "bytes", "string", "int64", "float32"};
    return type < sizeof(names) / sizeof(names[0]) ? names[type] : "";
}

void dls_codec_word(unsigned codec, char ret_word[16])
{
    if (codec < CODEC_WORDS)
        snprintf(ret_word, 16, "%s", codec_words[codec]);
    else
        snprintf(ret_word, 16, "codec-%u", codec & 255);
}

int dls_codec_id(const char *word)
{
    char own[16];

    for (unsigned id = 0; id < 256; id++) {
        dls_codec_word(id, own);
        if (strcmp(own, word) == 0)
            return (int)id;
    }
    return -1;
}

void dls_manifest_seal(const char *text, size_t length, char ret_seal[DLS_SEAL_BYTES + 1])
{
    snprintf(ret_seal, DLS_SEAL_BYTES + 1, "  \"xxh3\": \"%016" PRIx64 "\"\n}\n", dls_hash64(text, length));
}

int dls_manifest_check_seal(const char *text, size_t length)
{
    char seal[DLS_SEAL_BYTES + 1];

    if (length < DLS_SEAL_BYTES || memcmp(text + length - DLS_SEAL_BYTES, "  \"xxh3\": \"", 11) != 0 ||
        memcmp(text + length - 4, "\"\n}\n", 4) != 0)
        return dls_err(EBADMSG, "the %zu bytes do not end with the checksum line: cut off, or not a manifest", length);
    dls_manifest_seal(text, length - DLS_SEAL_BYTES, seal);
    if (memcmp(text + length - DLS_SEAL_BYTES, seal, DLS_SEAL_BYTES) != 0)
        return dls_err(EBADMSG, "its checksum is %.16s, not the %.16s of its last line: damaged or edited", seal + 11,
                       text + length - DLS_SEAL_BYTES + 11);
    return 0;
}
