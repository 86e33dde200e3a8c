/* The first Ctrl-C asks, the second ends the process. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/cli.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_cli_interrupt__asks_first_then_ends(void **state)
{
    pid_t child = fork();
    int status = 0;

    (void)state;
    if (child == 0) {
        const volatile int *flag = whet_cli_interrupt();

        if (*flag != 0)
            _exit(10);
        raise(SIGINT);
        if (*flag == 0)
            _exit(11);
        raise(SIGTERM);
        _exit(12); /* not reached */
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_interrupt__asks_first_then_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
