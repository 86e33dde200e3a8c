/* The table of commands: what every row must keep to. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static void test_cli_commands__are_named_once(void **state)
{
    (void)state;
    assert_true(whet_cli_whet.command_count > 0);
    for (size_t i = 0; i < whet_cli_whet.command_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(whet_cli_whet.commands[i]->name,
                                    whet_cli_whet.commands[j]->name);
}

static void test_cli_commands__can_all_print_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < whet_cli_whet.command_count; i++) {
        const whet_command *command = whet_cli_whet.commands[i];
        /* What is exported is JSON lines in any case. */
        bool has_json =
            command->is_hidden || strcmp(command->name, "export") == 0;

        for (size_t j = 0; j < command->opt_count; j++)
            has_json |= strcmp(command->opts[j].name, "json") == 0;
        if (!has_json)
            fail_msg("'%s' has no --json", command->name);
    }
}

/* Bytes that a value of each type takes in the options struct. */
static size_t value_bytes(whet_opt_type type)
{
    switch (type) {
    case WHET_OPT_FLAG:
        return sizeof(bool);
    case WHET_OPT_STRING:
        return sizeof(const char *);
    case WHET_OPT_CHOICE:
        return sizeof(int);
    case WHET_OPT_I64:
    case WHET_OPT_F64:
    case WHET_OPT_DURATION:
        break;
    }
    return 8;
}

static void test_cli_commands__options_lie_in_their_struct(void **state)
{
    (void)state;
    for (size_t i = 0; i < whet_cli_whet.command_count; i++) {
        const whet_command *command = whet_cli_whet.commands[i];

        for (size_t j = 0; j < command->opt_count; j++) {
            const whet_opt *opt = &command->opts[j];

            assert_true(opt->offset + value_bytes(opt->type) <=
                        command->opts_bytes);
            assert_true(opt->help != NULL && opt->help[0] != '\0');
            for (size_t k = 0; k < j; k++) {
                assert_int_not_equal(opt->offset, command->opts[k].offset);
                assert_string_not_equal(opt->name, command->opts[k].name);
            }
        }
    }
}

static void test_cli_commands__defaults_are_valid(void **state)
{
    (void)state;
    for (size_t i = 0; i < whet_cli_whet.command_count; i++) {
        const whet_command *command = whet_cli_whet.commands[i];
        char word[] = "x";
        char *argv[8] = {word, word, word, word, word, word, word, word};
        void *opts = calloc(1, command->opts_bytes + 1);
        whet_args args = {0};
        whet_err err = {0};

        assert_non_null(opts);
        for (size_t j = 0; j < command->opt_count; j++)
            if (command->opts[j].env != NULL)
                unsetenv(command->opts[j].env);
        if (whet_opts_parse(opts, &args, command, command->min_args, argv,
                            &err) != WHET_OK)
            fail_msg("'%s': %s", command->name, err.msg);
        free((void *)args.items);
        free(opts);
    }
}

static void test_cli_commands__help_is_for_terminals(void **state)
{
    (void)state;
    for (size_t i = 0; i < whet_cli_whet.command_count; i++) {
        const whet_command *command = whet_cli_whet.commands[i];
        const char *at;
        whet_buf text = {0};

        assert_non_null(command->run);
        assert_true(command->summary != NULL && command->summary[0] != '\0');
        whet_opts_help(&text, &whet_cli_whet, command);
        assert_false(text.failed);
        for (at = whet_buf_str(&text); *at != '\0'; at++) {
            size_t bytes = strcspn(at, "\n");

            if (bytes > 100)
                fail_msg("'%s': line of %zu columns: %.*s", command->name,
                         bytes, (int)bytes, at);
            at += bytes;
        }
        whet_buf_deinit(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli_commands__are_named_once),
        cmocka_unit_test(test_cli_commands__can_all_print_json),
        cmocka_unit_test(test_cli_commands__options_lie_in_their_struct),
        cmocka_unit_test(test_cli_commands__defaults_are_valid),
        cmocka_unit_test(test_cli_commands__help_is_for_terminals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
