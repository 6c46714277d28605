/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a JSON object with their types checked, and the manifest's last line. */
#ifndef DLS_SHARD_MANIFEST_JSON_H
#define DLS_SHARD_MANIFEST_JSON_H

#include <jansson.h>
#include <stdint.h>

/* All: 0, or -EBADMSG with a text that names the member. */
int dls_json_string(const json_t *object, const char *name, const char **ret_text);
int dls_json_number(const json_t *object, const char *name, uint64_t most, uint64_t *ret_number);
int dls_json_array(const json_t *object, const char *name, json_t **ret_array);
int dls_json_numbers(const json_t *object, const char *name, uint64_t *ret_numbers, size_t count);
int dls_json_reals(const json_t *object, const char *name, double *ret_reals, size_t count);
/* A byte string without NUL and '/': a JSON string, or {"hex": …}; 1 to `most` bytes. The caller frees *ret_bytes. */
int dls_json_bytes(const json_t *value, size_t most, char **ret_bytes, size_t *ret_length);
/* Exactly `count` bytes as lower-case hexadecimal digits. */
int dls_hex_parse(const char *digits, uint8_t *ret_bytes, size_t count);
int dls_hex_parse64(const char *digits, uint64_t *ret_value);
int dls_decimal_parse64(const char *digits, uint64_t *ret_value);
/* A word of the manifest for a field type or codec; the number of a codec's word, or -1. */
const char *dls_field_type_name(uint32_t type);
void dls_codec_word(unsigned codec, char ret_word[16]);
int dls_codec_id(const char *word);

/* The checksum line at the end. */
#define DLS_SEAL_BYTES 31u
int dls_manifest_check_seal(const char *text, size_t length);
void dls_manifest_seal(const char *text, size_t length, char ret_seal[DLS_SEAL_BYTES + 1]);

#endif
