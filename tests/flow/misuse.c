/* SPDX-License-Identifier: Apache-2.0 */
/* NULL in every place of the public functions: an error, nothing, or zeros, never a crash. */
#include "flow/flow.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

TestSuite(misuse, .timeout = 60);

Test(misuse, dataset_functions_take_null)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 3}));
    dls_dataset *none = NULL;
    dls_dataset_info info;
    dls_record *record = NULL;
    const char *name = NULL;
    dls_field field;

    cr_expect(dls_dataset_open(NULL, &none) == -EINVAL && dls_dataset_open("x", NULL) == -EINVAL);
    memset(&info, 0xff, sizeof(info));
    dls_dataset_get_info(NULL, &info);
    cr_expect(info.records == 0 && info.path == NULL && info.shards == 0);
    dls_dataset_get_info(dataset, NULL);
    dls_dataset_get_info(NULL, NULL);
    dls_dataset_get_info(dataset, &info);
    cr_expect(info.records == 3);
    cr_expect(dls_dataset_get_field(NULL, 0, &field) == -EINVAL);
    cr_expect(dls_dataset_get_field(dataset, 0, NULL) == -EINVAL);
    cr_expect(strstr(dls_last_error(), "dls_dataset_get_field") != NULL);
    cr_expect(dls_dataset_get_class(NULL, 0, &name, NULL) == -EINVAL);
    cr_expect(dls_dataset_get_class(dataset, 0, NULL, NULL) == -EINVAL);
    cr_expect(dls_dataset_get_class(dataset, 0, &name, NULL) == 0);
    cr_expect(dls_dataset_read(NULL, 0, &record) == -EINVAL && dls_dataset_read(dataset, 0, NULL) == -EINVAL);
    dls_record_free(NULL);
    dls_record_free(&record);
    dls_dataset_close(NULL);
    dls_dataset_close(&none);
    dls_dataset_close(&dataset);
}

Test(misuse, loader_functions_take_null)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 256}));
    dls_loader *loader = NULL, *none = NULL;
    const dls_batch *batch = NULL;
    char text[8] = "x";
    dls_stats stats;

    dls_loader_params_init(NULL);
    cr_expect(dls_loader_open(NULL, NULL, &loader) == -EINVAL);
    cr_expect(dls_loader_open(dataset, NULL, NULL) == -EINVAL);
    cr_assert(dls_loader_open(dataset, NULL, &loader) == 0);
    cr_expect(dls_loader_next(NULL, 0, &batch) == -EINVAL && dls_loader_next(loader, 0, NULL) == -EINVAL);
    dls_batch_release(NULL, NULL);
    dls_batch_release(NULL, &batch);
    dls_batch_release(loader, NULL);
    dls_batch_release(loader, &batch);
    cr_expect(dls_loader_batches(NULL) == 0);
    memset(&stats, 0xff, sizeof(stats));
    dls_loader_get_stats(NULL, &stats);
    cr_expect(stats.read.items == 0 && !strcmp(stats.engine, "") && !strcmp(stats.engine_detail, ""));
    dls_loader_get_stats(loader, NULL);
    cr_expect(dls_loader_get_state(NULL, text, sizeof(text)) == -EINVAL);
    cr_expect(dls_loader_get_state(loader, NULL, 1) == -EINVAL && dls_loader_get_state(loader, NULL, 0) > 0);
    cr_expect(dls_loader_verdict(NULL, text, sizeof(text)) == -EINVAL);
    cr_expect(dls_loader_verdict(loader, NULL, 1) == -EINVAL);
    cr_expect(dls_loader_verdict(loader, NULL, 0) > 0);
    dls_loader_close(NULL);
    dls_loader_close(&none);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}

Test(misuse, writer_functions_take_null)
{
    dls_writer *writer = NULL;

    dls_writer_params_init(NULL);
    cr_expect(dls_writer_open(NULL, NULL, &writer) == -EINVAL && dls_writer_open("x", NULL, NULL) == -EINVAL);
    cr_expect(dls_writer_add(NULL, NULL, 0) == -EINVAL);
    cr_expect(dls_writer_finish(NULL) == -EINVAL);
    dls_writer_close(NULL);
    dls_writer_close(&writer);
}
