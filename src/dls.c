/* SPDX-License-Identifier: Apache-2.0 */
/* Every public entry point: check the arguments, call, nothing else. The reader's map of the library. */
#include <dlshards/dlshards.h>

#include "base/err.h"
#include "base/log.h"
#include "image/whole.h"
#include "loader/pipeline.h"
#include "shard/dataset.h"
#include "shard/writer.h"

#include <string.h>

/* common.h */

const char *dls_version(void)
{
    return DLS_VERSION_STRING;
}

const char *dls_last_error(void)
{
    return dls_err_text();
}

void dls_set_log(dls_log_fn fn, void *user, dls_log_level threshold)
{
    dls_log_set(fn, user, threshold);
}

/* dataset.h */

int dls_dataset_open(const char *path, dls_dataset **ret_dataset)
{
    if (!path || !ret_dataset)
        return dls_err(EINVAL, "dls_dataset_open: path and ret_dataset must not be NULL");
    return dls_set_open(path, ret_dataset);
}

void dls_dataset_close(dls_dataset **dataset)
{
    if (dataset)
        dls_set_close(dataset);
}

void dls_dataset_get_info(const dls_dataset *dataset, dls_dataset_info *ret_info)
{
    if (!ret_info)
        return;
    memset(ret_info, 0, sizeof(*ret_info));
    if (dataset)
        dls_set_info(dataset, ret_info);
}

int dls_dataset_get_field(const dls_dataset *dataset, uint32_t index, dls_field *ret_field)
{
    if (!dataset || !ret_field)
        return dls_err(EINVAL, "dls_dataset_get_field: dataset and ret_field must not be NULL");
    const struct dls_schema *schema = dls_set_schema(dataset);
    if (index >= schema->count)
        return dls_err(ERANGE, "dls_dataset_get_field: field %u of %u", index, schema->count);
    *ret_field = (dls_field){schema->fields[index].name, schema->fields[index].type, schema->fields[index].count};
    return 0;
}

int dls_dataset_get_class(const dls_dataset *dataset, uint32_t label, const char **ret_name, size_t *ret_length)
{
    if (!dataset || !ret_name)
        return dls_err(EINVAL, "dls_dataset_get_class: dataset and ret_name must not be NULL");
    const struct dls_manifest *manifest = dls_set_manifest(dataset);
    if (label >= manifest->class_count)
        return dls_err(ERANGE, "dls_dataset_get_class: label %u of %u classes", label, manifest->class_count);
    *ret_name = manifest->classes[label].name;
    if (ret_length)
        *ret_length = manifest->classes[label].length;
    return 0;
}

int dls_dataset_read(dls_dataset *dataset, uint64_t number, dls_record **ret_record)
{
    if (!dataset || !ret_record)
        return dls_err(EINVAL, "dls_dataset_read: dataset and ret_record must not be NULL");
    return dls_set_read(dataset, number, ret_record);
}

void dls_record_free(dls_record **record)
{
    if (record)
        dls_set_record_free(record);
}

int dls_record_decode(const dls_record *record, uint32_t field, int as_stored, dls_image **ret_image)
{
    if (!record || !ret_image)
        return dls_err(EINVAL, "dls_record_decode: record and ret_image must not be NULL");
    if (field >= record->fields || record->values[field].codec == DLS_CODEC_NONE)
        return dls_err(ERANGE, "dls_record_decode: field %u is not an image of the record", field);
    int r = dls_whole_decode(&record->values[field], as_stored != 0, ret_image);
    return r < 0 ? dls_err_context(r, "record %llu", (unsigned long long)record->number) : 0;
}

void dls_image_free(dls_image **image)
{
    if (image)
        dls_whole_free(image);
}

/* writer.h */

void dls_writer_params_init(dls_writer_params *params)
{
    if (params)
        *params = (dls_writer_params){.struct_size = sizeof(*params)};
}

int dls_writer_open(const char *path, const dls_writer_params *params, dls_writer **ret_writer)
{
    dls_writer_params own;

    dls_writer_params_init(&own);
    if (!path || !ret_writer)
        return dls_err(EINVAL, "dls_writer_open: path and ret_writer must not be NULL");
    /* A caller built against an older header has a shorter struct: what it lacks keeps the default. */
    if (params && (params->struct_size < sizeof(size_t) || params->struct_size > sizeof(own)))
        return dls_err(EINVAL, "dls_writer_open: struct_size is %zu; call dls_writer_params_init()", params->struct_size);
    if (params)
        memcpy(&own, params, params->struct_size);
    return dls_shard_writer_open(path, &own, ret_writer);
}

int dls_writer_add(dls_writer *writer, const dls_value *values, uint32_t count)
{
    if (!writer || (!values && count))
        return dls_err(EINVAL, "dls_writer_add: writer and values must not be NULL");
    return dls_shard_writer_add(writer, values, count);
}

int dls_writer_finish(dls_writer *writer)
{
    return writer ? dls_shard_writer_finish(writer) : dls_err(EINVAL, "dls_writer_finish: writer must not be NULL");
}

void dls_writer_close(dls_writer **writer)
{
    if (writer)
        dls_shard_writer_close(writer);
}

/* loader.h */

void dls_loader_params_init(dls_loader_params *params)
{
    if (params)
        *params = (dls_loader_params){.struct_size = sizeof(*params)};
}

int dls_loader_open(dls_dataset *dataset, const dls_loader_params *params, dls_loader **ret_loader)
{
    if (dataset == NULL || ret_loader == NULL)
        return dls_err(EINVAL, "dls_loader_open: dataset or ret_loader is NULL");
    return dls_pipeline_open(dataset, params, ret_loader);
}

void dls_loader_close(dls_loader **loader)
{
    if (loader != NULL)
        dls_pipeline_close(loader);
}

int dls_loader_next(dls_loader *loader, int64_t timeout_ns, const dls_batch **ret_batch)
{
    if (loader == NULL || ret_batch == NULL)
        return dls_err(EINVAL, "dls_loader_next: loader or ret_batch is NULL");
    return dls_pipeline_next(loader, timeout_ns, ret_batch);
}

int dls_batch_device_tensor(dls_loader *loader, const dls_batch *batch, void *stream, dls_device_tensor *ret_tensor)
{
    if (!loader || !batch || !ret_tensor)
        return dls_err(EINVAL, "dls_batch_device_tensor: loader, batch or ret_tensor is NULL");
    return dls_pipeline_device_tensor(loader, batch, stream, ret_tensor);
}

void dls_batch_release(dls_loader *loader, const dls_batch **batch)
{
    if (loader != NULL)
        dls_pipeline_release(loader, batch);
}

int dls_loader_quality(dls_dataset *dataset, const dls_loader_params *params, dls_quality *ret_quality)
{
    if (!dataset || !ret_quality)
        return dls_err(EINVAL, "dls_loader_quality: dataset or ret_quality is NULL");
    return dls_pipeline_quality(dataset, params, ret_quality);
}

uint64_t dls_loader_batches(const dls_loader *loader)
{
    return loader ? dls_pipeline_batches(loader) : 0;
}

int dls_loader_get_state(dls_loader *loader, void *ret_state, size_t size)
{
    if (!loader || (!ret_state && size))
        return dls_err(EINVAL, "dls_loader_get_state: loader or ret_state is NULL");
    return dls_pipeline_get_state(loader, ret_state, size);
}

void dls_loader_get_stats(const dls_loader *loader, dls_stats *ret_stats)
{
    if (!ret_stats)
        return;
    *ret_stats = (dls_stats){.engine = "", .engine_detail = "", .memory_detail = ""};
    if (loader)
        dls_pipeline_stats(loader, ret_stats);
}

int dls_loader_verdict(const dls_loader *loader, char *ret_text, size_t size)
{
    if (!loader || (!ret_text && size))
        return dls_err(EINVAL, "dls_loader_verdict: loader or ret_text is NULL");
    return dls_pipeline_verdict(loader, ret_text, size);
}
