/* The child's side, in the sandbox: take the job, run the compiler's program
 * and send its log and what it wrote. From the moment at which the compiler
 * sees the candidate, nothing that this process says is believed. */

#include "toolchain/compilers_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define STDOUT_FILE "whet.out"

void whet_compile__unusable(const char *text)
{
    fprintf(stderr, "%s\n", text);
    _exit(WHET_TOOLCHAIN__CHILD_UNUSABLE);
}

static char *read_text(uint64_t bytes, uint64_t max)
{
    char *text = bytes <= max ? calloc(1, (size_t)bytes + 1) : NULL;

    if (text == NULL || !whet_fs_read_fd(STDIN_FILENO, text, (size_t)bytes))
        whet_compile__unusable("the job is malformed");
    return text;
}

/* Words are separated by their NULs. */
static const char *next_word(const char **at, const char *end)
{
    const char *word = *at;

    if (word >= end)
        return NULL;
    *at += strlen(word) + 1;
    return word;
}

static void read_job(whet_compile__task *task)
{
    const char *at, *end;
    size_t count = 0;

    if (!whet_fs_read_fd(STDIN_FILENO, &task->head, sizeof task->head) ||
        memcmp(task->head.magic, WHET_COMPILE__JOB_MAGIC,
               sizeof task->head.magic) != 0)
        whet_compile__unusable("the job is malformed");
    task->words =
        read_text(task->head.words_bytes, WHET_COMPILE__WORDS_BYTES_MAX);
    task->header =
        read_text(task->head.header_bytes, WHET_COMPILE__SOURCE_BYTES_MAX);
    task->source =
        read_text(task->head.source_bytes, WHET_COMPILE__SOURCE_BYTES_MAX);
    at = task->words;
    end = task->words + task->head.words_bytes;
    task->source_name = next_word(&at, end);
    task->output_name = next_word(&at, end);
    while (count < WHET_COMPILER__WORD_MAX &&
           (task->argv[count] = next_word(&at, end)) != NULL)
        count++;
    if (task->source_name == NULL || task->output_name == NULL || count == 0 ||
        at < end)
        whet_compile__unusable("the job is malformed");
}

void whet_compile__begin(whet_compile__task *task, const char *seal)
{
    const char *folder = getenv("TMPDIR");
    whet_err err = {0};

    memset(task, 0, sizeof *task);
    if (folder == NULL || chdir(folder) != 0)
        whet_compile__unusable("no working folder in TMPDIR");
    task->out_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    if (task->out_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        whet_compile__unusable("cannot move stdout");
    read_job(task);
    if (strcmp(seal, "sealed") == 0 &&
        whet_sandbox_seal(WHET_SANDBOX_BUILD, &err) != WHET_OK)
        whet_compile__unusable(err.msg);
}

void whet_compile__ready(const whet_compile__task *task)
{
    const char ready = WHET_COMPILE__READY;

    if (!whet_fs_write_fd(task->out_fd, &ready, 1))
        _exit(1);
}

void whet_compile__answer_and_exit(const whet_compile__task *task,
                                   whet_compile__answer answer, const void *log,
                                   const void *output)
{
    bool ok =
        whet_fs_write_fd(task->out_fd, &answer, sizeof answer) &&
        whet_fs_write_fd(task->out_fd, log, (size_t)answer.log_bytes) &&
        whet_fs_write_fd(task->out_fd, output, (size_t)answer.output_bytes);

    /* A compiler's exit handlers may hang. */
    _exit(ok ? 0 : 1);
}

/* With a fixed time, which nvcc's line tables hold: the same source shall give
 * the same image. */
static void write_file(const char *name, const void *data, size_t bytes)
{
    static const struct timespec times[2] = {{0, 0}, {0, 0}};
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0 || !whet_fs_write_fd(fd, data, bytes) ||
        futimens(fd, times) != 0 || close(fd) != 0)
        whet_compile__unusable("cannot write the source into TMPDIR");
}

/* Between fork and exec. */
static void become_program(const whet_compile__task *task, int log_fd)
{
    int out = log_fd;

    if (task->output_name[0] == '\0')
        out = open(STDOUT_FILE, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (out < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(log_fd, STDERR_FILENO) < 0)
        _exit(126);
    (void)execve(task->argv[0], (char *const *)task->argv, environ);
    dprintf(STDERR_FILENO, "error: %s cannot be run: %s\n", task->argv[0],
            strerror(errno));
    _exit(127);
}

/* Keep the beginning, drain the rest, so that the program is not blocked. */
static void collect(whet_buf *log, int fd)
{
    char block[16384];

    for (;;) {
        ssize_t got = read(fd, block, sizeof block);
        size_t room = WHET_COMPILE__LOG_BYTES_MAX - log->bytes;

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        whet_buf_add(log, block, (size_t)got < room ? (size_t)got : room);
    }
}

static void run_program(whet_compile__answer *answer, whet_buf *log,
                        const whet_compile__task *task)
{
    int ends[2];
    int status = 0;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0 || (pid = fork()) < 0)
        _exit(1);
    if (pid == 0)
        become_program(task, ends[1]);
    close(ends[1]);
    collect(log, ends[0]);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            _exit(1);
    answer->kind = WIFSIGNALED(status) ? WHET_EXIT_SIGNAL : WHET_EXIT_CODE;
    answer->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* A link or a pipe in the output's place is no output. */
static void read_output(whet_buf *output, whet_compile__answer *answer,
                        const whet_compile__task *task)
{
    const char *name =
        task->output_name[0] != '\0' ? task->output_name : STDOUT_FILE;
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    char *data;

    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return;
    answer->has_output = 1;
    if ((uint64_t)info.st_size > task->head.output_max_bytes) {
        answer->is_too_large = 1;
        return;
    }
    data = calloc(1, (size_t)info.st_size + 1);
    if (data == NULL || !whet_fs_read_fd(fd, data, (size_t)info.st_size))
        _exit(1);
    whet_buf_add(output, data, (size_t)info.st_size);
    free(data);
    close(fd);
}

int whet_compiler__child_main(int argc, char **argv)
{
    whet_compile__task task;
    whet_compile__answer answer = {0};
    whet_buf log = {0};
    whet_buf output = {0};
    char text[320];

    if (argc != 3 || strcmp(argv[1], "compile") != 0)
        whet_compile__unusable("expected compile sealed|unsealed");
    whet_compile__begin(&task, argv[2]);
    if (access(task.argv[0], X_OK) != 0) {
        snprintf(text, sizeof text, "%s is not visible in the sandbox: %s",
                 task.argv[0], strerror(errno));
        whet_compile__unusable(text);
    }
    write_file(task.source_name, task.source, (size_t)task.head.source_bytes);
    if (task.head.header_bytes > 0)
        write_file(WHET_COMPILER__HEADER, task.header,
                   (size_t)task.head.header_bytes);
    whet_compile__ready(&task);
    run_program(&answer, &log, &task);
    if (answer.kind == WHET_EXIT_CODE && answer.code == 0)
        read_output(&output, &answer, &task);
    if (log.failed || output.failed)
        _exit(1);
    answer.log_bytes = log.bytes;
    answer.output_bytes = output.bytes;
    whet_compile__answer_and_exit(&task, answer, log.data, output.data);
    return 1;
}
