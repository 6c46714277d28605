/* SPDX-License-Identifier: Apache-2.0 */
/** @file dataset.h
 *  A dataset: a directory with `dataset.json` and the shard files that it lists (docs/format.md). */
#ifndef DLSHARDS_DATASET_H
#define DLSHARDS_DATASET_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How the image of a record is coded. The numbers are those of the shard format. */
typedef enum dls_codec {
    DLS_CODEC_NONE = 0, /**< not an image: plain bytes */
    DLS_CODEC_JPEG = 1, /**< the bytes of a JPEG file as they were */
    DLS_CODEC_COEF = 2, /**< JPEG coefficients (reserved; this version refuses it with -ENOTSUP) */
    DLS_CODEC_PNG = 3,  /**< the bytes of a PNG file */
    DLS_CODEC_WEBP = 4, /**< the bytes of a WebP file */
    DLS_CODEC_RAW = 5   /**< 8-bit samples, height × width × channels */
} dls_codec;

/** The type of a field. The numbers are those of the shard format. */
typedef enum dls_field_type {
    DLS_FIELD_IMAGE = 1,  /**< an image in one of the codecs */
    DLS_FIELD_BYTES = 2,  /**< bytes of any length, stored beside the images */
    DLS_FIELD_STRING = 3, /**< a short byte string (names, captions), stored in the block's directory */
    DLS_FIELD_INT64 = 4,  /**< `count` signed 64-bit integers */
    DLS_FIELD_FLOAT32 = 5 /**< `count` IEEE 754 single floats */
} dls_field_type;

/** One field of the schema. */
typedef struct dls_field {
    const char *name;    /**< 1 to 39 bytes, unique in the dataset: "image", "label", "key", … */
    dls_field_type type; /**< see above */
    uint32_t count;      /**< values a record, 1 to 255, for the number types; 0 for the others */
} dls_field;

/** The value of one field of one record: handed to the writer and out of dls_dataset_read(). */
typedef struct dls_value {
    const void *data;     /**< the bytes; numbers in the machine's own (little-endian) order */
    size_t length;        /**< in bytes; for number fields count × 8 or count × 4 */
    dls_codec codec;      /**< image fields only, as are the members below */
    uint32_t width;       /**< in pixels, as stored (before `orientation` is applied) */
    uint32_t height;      /**< likewise */
    uint8_t channels;     /**< colour components as stored, 1 to 4 */
    uint8_t orientation;  /**< EXIF orientation 1 to 8; 0 = none stated */
} dls_value;

/** Facts about an open dataset; the pointers live as long as the dataset. */
typedef struct dls_dataset_info {
    const char *path;       /**< the directory, as it was given */
    uint8_t uuid[16];       /**< identity: equal for equal content, packed in the same way */
    uint64_t records;       /**< in all shards */
    uint64_t blocks;        /**< in all shards */
    uint64_t bytes;         /**< sum of the shard files' sizes */
    uint32_t shards;        /**< number of shard files */
    uint32_t classes;       /**< number of class names; labels are 0 … classes - 1 */
    uint32_t fields;        /**< number of fields in the schema */
    uint32_t block_bytes;   /**< the block size it was packed with */
    uint64_t largest_block; /**< the longest block, in bytes: more than block_bytes if a record needs it */
    int shuffled;           /**< 1 if the packer shuffled, so that a block is a random sample */
} dls_dataset_info;

/** An open dataset. Thread-safety: after dls_dataset_open() all functions but close may be called by several
 *  threads at a time. */
typedef struct dls_dataset dls_dataset;

/** One record read whole. The pointers live until dls_record_free(). */
typedef struct dls_record {
    uint64_t number;         /**< 0 … records - 1, in stored order */
    uint32_t shard;          /**< number of its shard */
    uint64_t offset;         /**< of its image (else of its block) in the shard file, in bytes */
    uint32_t fields;         /**< length of `values` */
    const dls_value *values; /**< in the order of the schema */
} dls_record;

/** Opens the dataset in directory `path`: reads and checks the manifest and that each shard is there with
 *  the size the manifest gives; block tables are read when first needed.
 *  @retval -ENOENT  no such directory, or no dataset.json in it
 *  @retval -EBADMSG a checksum or structure is wrong, a shard is cut off: dls_last_error() says which and where
 *  @retval -ENOTSUP made by a newer version, or uses features this library lacks
 *  The caller owns *ret_dataset and ends it with dls_dataset_close(). */
DLS_API int dls_dataset_open(const char *path, dls_dataset **ret_dataset);

/** Closes *dataset and sets it to NULL; takes NULL and a pointer to NULL. Loaders on it must be closed first. */
DLS_API void dls_dataset_close(dls_dataset **dataset);

/** Writes the facts to *ret_info; all zero for NULL. Never fails. */
DLS_API void dls_dataset_get_info(const dls_dataset *dataset, dls_dataset_info *ret_info);

/** Field `index` of the schema. @retval -ERANGE no such field */
DLS_API int dls_dataset_get_field(const dls_dataset *dataset, uint32_t index, dls_field *ret_field);

/** The name of class `label`: a byte string with a NUL behind it that may hold any byte but NUL and '/'.
 *  `ret_length` may be NULL. @retval -ERANGE no such class */
DLS_API int dls_dataset_get_class(const dls_dataset *dataset, uint32_t label, const char **ret_name,
                                  size_t *ret_length);

/** Reads record `number` (stored order) with one or two small reads, checks its checksums and undoes zstd;
 *  images stay in their codec.
 *  @retval -ERANGE  no such record    @retval -EBADMSG it is damaged    @retval -EIO the disk failed
 *  The caller frees *ret_record with dls_record_free(). */
DLS_API int dls_dataset_read(dls_dataset *dataset, uint64_t number, dls_record **ret_record);

/** Frees *record and sets it to NULL; takes NULL and a pointer to NULL. */
DLS_API void dls_record_free(dls_record **record);

/** A decoded picture. */
typedef struct dls_image {
    uint32_t width;    /**< pixels */
    uint32_t height;   /**< likewise */
    uint32_t channels; /**< 3: red, green, blue */
    size_t bytes;      /**< width × height × channels */
    uint8_t *pixels;   /**< row by row, without gaps; the caller may write to them */
} dls_image;

/** Decodes the image field `field` of a record, whole. It is turned upright as its EXIF orientation says, unless
 *  `as_stored` is 1. This is for looking at single records: loaders are what is fast.
 *  @retval -ERANGE  no such field, or it is not an image
 *  @retval -EBADMSG the picture is damaged    @retval -EFBIG it has more than 178,956,970 pixels
 *  @retval -ENOTSUP a kind that is not decoded
 *  The caller frees *ret_image with dls_image_free(); it does not need the record. */
DLS_API int dls_record_decode(const dls_record *record, uint32_t field, int as_stored, dls_image **ret_image);

/** Frees *image and sets it to NULL; takes NULL and a pointer to NULL. */
DLS_API void dls_image_free(dls_image **image);

#ifdef __cplusplus
}
#endif
#endif
