/* A machine without OpenCL, or with something else in its place. Needs none:
 * $WHET_OPENCL_LIBRARY stands for the library. */

#include "toolchain/opencl.h"
#include "toolchain/toolchain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char remedy[] =
    "apt-get install ocl-icd-libopencl1 pocl-opencl-icd";

static int restore(void **state)
{
    (void)state;
    return unsetenv("WHET_OPENCL_LIBRARY");
}

static void test_toolchain_opencl_api__absence_names_the_remedy(void **state)
{
    whet_opencl_api api;
    whet_err err = {0};

    (void)state;
    setenv("WHET_OPENCL_LIBRARY", "/nonexistent", 1);
    assert_int_equal(whet_opencl_load(&api, &err), WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "/nonexistent"));
    assert_non_null(strstr(err.msg, remedy));
}

/* A library that is there but is not OpenCL. */
static void test_toolchain_opencl_api__names_the_missing_symbol(void **state)
{
    whet_opencl_api api;
    whet_err err = {0};

    (void)state;
    setenv("WHET_OPENCL_LIBRARY", "libm.so.6", 1);
    assert_int_equal(whet_opencl_load(&api, &err), WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, "clGetPlatformIDs"));
    assert_non_null(strstr(err.msg, remedy));
    assert_null(api.get_platform_ids);
}

static void
test_toolchain_opencl_api__absence_reaches_every_caller(void **state)
{
    const whet_toolchain_ops *ops = whet_toolchain_find("opencl");
    whet_opencl_info infos[WHET_OPENCL_DEVICE_MAX];
    uint32_t count = 7;
    char identity[256];
    whet_err err = {0};

    (void)state;
    setenv("WHET_OPENCL_LIBRARY", "/nonexistent", 1);
    assert_int_equal(whet_opencl_list(infos, &count, &err), WHET_EUNSUPPORTED);
    assert_int_equal(count, 0);
    assert_non_null(strstr(err.msg, remedy));
    err.msg[0] = '\0';
    assert_int_equal(ops->identify(identity, 0, &err), WHET_EUNSUPPORTED);
    assert_string_equal(identity, "");
    assert_non_null(strstr(err.msg, remedy));
}

static void test_toolchain_opencl_api__names_error_codes(void **state)
{
    whet_err err = {0};

    (void)state;
    assert_string_equal(whet_opencl_error_name(CL_INVALID_WORK_GROUP_SIZE),
                        "CL_INVALID_WORK_GROUP_SIZE");
    assert_string_equal(whet_opencl_error_name(12345), "OpenCL error");
    assert_int_equal(whet_opencl_fail(&err, CL_INVALID_BINARY, "cannot load"),
                     WHET_EFAIL);
    assert_string_equal(err.msg,
                        "OpenCL: cannot load: CL_INVALID_BINARY (-42)");
    assert_int_equal(whet_opencl_fail(&err, CL_OUT_OF_HOST_MEMORY, "x"),
                     WHET_ENOMEM);
    assert_string_not_equal(err.msg, "");
}

static cl_int CL_API_CALL no_platforms(cl_uint room, cl_platform_id *out,
                                       cl_uint *count)
{
    (void)room;
    (void)out;
    *count = 0;
    return -1001;
}

static cl_int CL_API_CALL broken_platforms(cl_uint room, cl_platform_id *out,
                                           cl_uint *count)
{
    (void)room;
    (void)out;
    *count = 0;
    return CL_OUT_OF_HOST_MEMORY;
}

/* Claims more platforms and devices than there is room for. */
static cl_int CL_API_CALL many_platforms(cl_uint room, cl_platform_id *out,
                                         cl_uint *count)
{
    memset(out, 0, room * sizeof *out);
    *count = 1000;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL many_devices(cl_platform_id platform,
                                       cl_device_type type, cl_uint room,
                                       cl_device_id *out, cl_uint *count)
{
    cl_uint i;

    (void)platform;
    (void)type;
    for (i = 0; i < room && i < 5; i++)
        out[i] = (cl_device_id)(uintptr_t)(100 + room - i);
    *count = room < 5 ? 1000 : 5;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL no_devices(cl_platform_id platform,
                                     cl_device_type type, cl_uint room,
                                     cl_device_id *out, cl_uint *count)
{
    (void)platform;
    (void)type;
    (void)room;
    (void)out;
    *count = 3; /* nonsense beside an error code */
    return CL_DEVICE_NOT_FOUND;
}

static void test_toolchain_opencl_api__no_driver_names_the_remedy(void **state)
{
    const whet_opencl_api none = {.get_platform_ids = no_platforms};
    const whet_opencl_api broken = {.get_platform_ids = broken_platforms};
    const whet_opencl_api empty = {.get_platform_ids = many_platforms,
                                   .get_device_ids = no_devices};
    cl_device_id devices[WHET_OPENCL_DEVICE_MAX];
    uint32_t count;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_opencl_devices(devices, &count, &none, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, remedy));
    assert_int_equal(whet_opencl_devices(devices, &count, &empty, &err),
                     WHET_EUNSUPPORTED);
    assert_non_null(strstr(err.msg, remedy));
    assert_int_equal(count, 0);
    assert_int_equal(whet_opencl_devices(devices, &count, &broken, &err),
                     WHET_ENOMEM);
    assert_non_null(strstr(err.msg, "platforms"));
}

static void test_toolchain_opencl_api__counts_stay_in_bounds(void **state)
{
    const whet_opencl_api many = {.get_platform_ids = many_platforms,
                                  .get_device_ids = many_devices};
    cl_device_id devices[WHET_OPENCL_DEVICE_MAX];
    cl_device_id device;
    uint32_t count;
    whet_err err = {0};

    (void)state;
    assert_int_equal(whet_opencl_devices(devices, &count, &many, &err),
                     WHET_OK);
    assert_int_equal(count, WHET_OPENCL_DEVICE_MAX);
    assert_int_equal(whet_opencl_device(&device, &many, 7, &err), WHET_OK);
    assert_ptr_equal(device, devices[7]);
    assert_int_equal(
        whet_opencl_device(&device, &many, WHET_OPENCL_DEVICE_MAX, &err),
        WHET_ENOTFOUND);
    assert_non_null(strstr(err.msg, "no device 32"));
    assert_null(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(
            test_toolchain_opencl_api__absence_names_the_remedy, restore),
        cmocka_unit_test_teardown(
            test_toolchain_opencl_api__names_the_missing_symbol, restore),
        cmocka_unit_test_teardown(
            test_toolchain_opencl_api__absence_reaches_every_caller, restore),
        cmocka_unit_test(test_toolchain_opencl_api__names_error_codes),
        cmocka_unit_test(test_toolchain_opencl_api__no_driver_names_the_remedy),
        cmocka_unit_test(test_toolchain_opencl_api__counts_stay_in_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
