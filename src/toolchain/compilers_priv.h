#ifndef WHET_COMPILERS_PRIV_H
#define WHET_COMPILERS_PRIV_H

/* Compilers and disassemblers that are programs: each is a row of data in
 * compilers.c (where to look for it, how it spells its flags). Finding one is
 * compilers_find.c, composing its words compilers_argv.c; running it in the
 * sandbox is compile.c and, inside, compile_child.c. */

#include "toolchain/toolchain_priv.h"

enum {
    WHET_COMPILER__BIND_MAX = 12,
    WHET_COMPILER__ENV_MAX = 16,
    WHET_COMPILER__WORD_MAX = 512 /**< Of one command. */
};

/** When a word belongs to the command. */
typedef enum whet_compiler_when {
    WHET_WHEN_ALWAYS = 0,
    WHET_WHEN_FAST,  /**< Fast maths asked for. */
    WHET_WHEN_OPENMP /**< Device OpenMP asked for. */
} whet_compiler_when;

/** A word, or a pattern of one: {arch} architecture, {cc} the same without
 *  "sm_", {source} {header} {output} files in the working folder, {rocm}
 *  {bitcode} folders of ROCm. "{options}" and "{defines}" stand for lists. */
typedef struct whet_compiler_word {
    const char *text;
    whet_compiler_when when;
} whet_compiler_word;

/** One program. Lists are NULL-terminated. */
typedef struct whet_compiler {
    const char *name;            /**< Of the row, and to configure it by. */
    const char *toolchain;       /**< Registry name it serves. */
    const char *const *programs; /**< File names, the preferred first; a
                                      configured path goes by its file name. */
    /** Where to look after PATH: absolute patterns, or "$NAME/..." by the
     *  environment. Of several matches the last by name is taken. */
    const char *const *folders;
    const char *const *env; /**< Variables passed on if set. */
    bool needs_rocm;        /**< Has to be told {rocm} and {bitcode}. */
    const whet_compiler_word *words;   /**< After the program, end: NULL. */
    const whet_compiler_word *listing; /**< The same with text as output, NULL
                                            if it has none. */
} whet_compiler;

/** How a toolchain of programs is set up. */
typedef struct whet_compiler_family {
    const char *toolchain;   /**< "hip" */
    const char *config_name; /**< Environment variable to configure it by. */
    const char *fast_option; /**< Its option of relaxed maths, which rows spell
                                  by WHET_WHEN_FAST. */
    const char *source_name; /**< "candidate.hip" */
    const char *image_name;  /**< "candidate.hsaco" */
    uint16_t machine;        /**< ELF e_machine of its images. */
    const char *remedy;      /**< What to do where there is none. */
} whet_compiler_family;

/** A program that was found; freed by whet_compiler__forget. */
typedef struct whet_compiler_found {
    const whet_compiler *row;
    char *path;           /**< Absolute. */
    char *rocm, *bitcode; /**< NULL unless needed. */
} whet_compiler_found;

/** Rows in order of preference, NULL-terminated. */
extern const whet_compiler *const whet_compilers__rows[];

/** Disassemblers, likewise; {source} is the image, text goes to stdout. */
extern const whet_compiler *const whet_compilers__listers[];

/** Folders of ROCm, and of its bitcode below or beside them, as patterns. */
extern const char *const whet_compilers__rocm_folders[];
extern const char *const whet_compilers__bitcode_folders[];

/**
 * First program of a family. The family's variable, if set, is the only one
 * looked at: a row's name, a program's name, a path, or ROW=PATH where the
 * file's name says nothing.
 *
 * @return WHET_EUNSUPPORTED with reason and remedy
 */
whet_status whet_compiler__find(whet_compiler_found *out,
                                const whet_compiler_family *family,
                                whet_err *err);

/**
 * A disassembler for a toolchain's images, from the compiler's own folder
 * first.
 *
 * @param near  a program's path, or NULL
 * @return WHET_EUNSUPPORTED with the names looked for
 */
whet_status whet_compiler__find_lister(whet_compiler_found *out,
                                       const char *toolchain, const char *near,
                                       whet_err *err);

/**
 * First path that matches a pattern, absolute or "$NAME/..." (no match if the
 * variable is unset or not absolute), and has `file` in it.
 *
 * @return the folder, the last by name of several; caller frees; or NULL
 */
char *whet_compiler__expand(const char *pattern, const char *file);

/** Release what whet_compiler__find gave. Zeroed is fine. */
void whet_compiler__forget(whet_compiler_found *found);

/** Folders that a program needs to see, with what owns their names. */
typedef struct whet_compiler_binds {
    whet_sandbox_bind items[WHET_COMPILER__BIND_MAX];
    char *owned[WHET_COMPILER__BIND_MAX];
    size_t count;
} whet_compiler_binds;

/** Add the installation that a file lies in, under its own name and where its
 *  links lead; what is below /usr is visible anyway. False: out of memory. */
bool whet_compiler__bind_tree(whet_compiler_binds *binds, const char *path);

/** Add a folder as it is. NULL is passed over. */
bool whet_compiler__bind(whet_compiler_binds *binds, const char *folder);

/** Release the names. */
void whet_compiler__unbind(whet_compiler_binds *binds);

/** Words of a command; freed by whet_compiler__argv_free. */
typedef struct whet_compiler_argv {
    char *items[WHET_COMPILER__WORD_MAX + 1];
    size_t count;
} whet_compiler_argv;

/**
 * Compose the whole command of a build, program first.
 *
 * @param words  of the row: `words` or `listing`
 * @param request  NULL for a disassembler
 * @return WHET_EINVAL for an architecture, option or define with a byte that
 *         no flag needs
 */
whet_status
whet_compiler__argv(whet_compiler_argv *out, const whet_compiler_found *found,
                    const whet_compiler_word *words,
                    const whet_compiler_family *family, const char *arch,
                    const whet_build_request *request, whet_err *err);

/** Release the words. */
void whet_compiler__argv_free(whet_compiler_argv *argv);

/** Is this text fit for a flag: printable, no blank, quote or backslash? */
bool whet_compiler__is_plain(const char *text);

/** Architecture without its features: what stands before the first ":".
 *  False if that is empty, too long or no word. */
bool whet_compiler__bare_arch(char *out, size_t out_bytes, const char *arch);

/** Name of the header put in front of sources, in the working folder. */
#define WHET_COMPILER__HEADER "whet_dialect.h"

/* --- compile.c: the parent's side ---------------------------------------- */

/** What a compile child does. */
typedef struct whet_compile {
    const char *name;        /**< For messages. */
    const char *toolchain;   /**< Whose child it is. */
    const char *source_name; /**< File that gets the source. */
    const char *output_name; /**< File with the result; "" = stdout. */
    const char *const *argv; /**< NULL-terminated. */
    const char *const *env;
    const whet_sandbox_bind *binds;
    size_t bind_count;
    const void *source; /**< Text, or an image to list. */
    size_t source_bytes;
    const char *header; /**< NULL = none. */
    size_t header_bytes;
    size_t output_max_bytes;
    uint64_t timeout_ns;
    const whet_sandbox_facts *sandbox;
    bool is_unsafe;
} whet_compile;

/** What came back; freed by whet_compile__result_free. */
typedef struct whet_compile_result {
    whet_process_result run;
    const char *log; /**< Hostile, at most 256 KiB; borrowed from `run`. */
    size_t log_bytes;
    const void *output;
    size_t output_bytes;
} whet_compile_result;

/**
 * Run a compile child.
 *
 * @param diagnostic  set where the compiler refused or failed, with kind
 *                    WHET_DIAGNOSTIC_NONE otherwise
 * @return other than WHET_OK only if the toolchain itself cannot run
 */
whet_status whet_compile__run(whet_compile_result *result,
                              whet_diagnostic *diagnostic,
                              const whet_compile *what, whet_err *err);

/** Release it. Zeroed is fine. */
void whet_compile__result_free(whet_compile_result *result);

/**
 * Make an image of what a compiler wrote: check that it is ELF for `machine`,
 * read kernels and resources, add the log. Sets `diagnostic` if it is not.
 */
whet_status whet_compile__image(whet_image *image, whet_diagnostic *diagnostic,
                                const whet_compile_result *result,
                                uint16_t machine, whet_err *err);

/** Hash over compiler and header for identities: 16 digits in `text`. */
whet_status whet_compile__dialect_tag(char text[17], whet_err *err);

/* --- compile_program.c: toolchains of programs --------------------------- */

/** Bodies of `identify`, `build` and `listing` of nvcc and hip. */
whet_status whet_compiler__identify(char text[256],
                                    const whet_compiler_family *family,
                                    whet_err *err);

/** @param log  appended, hostile; may be NULL */
whet_status whet_compiler__build(whet_image *image, whet_diagnostic *diagnostic,
                                 whet_buf *log,
                                 const whet_compiler_family *family,
                                 const whet_build_request *request,
                                 whet_err *err);

whet_status whet_compiler__listing(whet_buf *out, const whet_image *image,
                                   const whet_compiler_family *family,
                                   const whet_build_request *request,
                                   whet_err *err);

/** Disassemble with a lister of `toolchain`; WHET_EUNSUPPORTED if none. */
whet_status whet_compiler__disassemble(whet_buf *out, const whet_image *image,
                                       const char *toolchain, const char *near,
                                       const whet_build_request *request,
                                       whet_err *err);

/** As the toolchains' `build`, with the compiler's log appended to `log` unless
 *  that is NULL: hostile text. */
whet_status whet_nvcc__build(whet_image *image, whet_diagnostic *diagnostic,
                             whet_buf *log, const whet_build_request *request,
                             whet_err *err);
whet_status whet_hip__build(whet_image *image, whet_diagnostic *diagnostic,
                            whet_buf *log, const whet_build_request *request,
                            whet_err *err);

/* --- compile_child.c: inside the sandbox --------------------------------- */

/* What a compile child reads on stdin, followed by the three texts. */
typedef struct whet_compile__job {
    char magic[8];         /**< WHET_COMPILE__JOB_MAGIC without its NUL. */
    uint64_t words_bytes;  /**< Source name, output name, then argv, each with
                                its NUL. */
    uint64_t header_bytes; /**< 0 = no header. */
    uint64_t source_bytes;
    uint64_t output_max_bytes;
} whet_compile__job;

#define WHET_COMPILE__JOB_MAGIC "whetjob2"

/* What it writes: WHET_COMPILE__READY once it is about to show the source to
 * the compiler; then this, the log and the output. */
typedef struct whet_compile__answer {
    uint32_t kind; /**< whet_exit_kind of the compiler: code or signal. */
    int32_t code;
    uint32_t is_too_large; /**< The output is over the limit, and left out. */
    uint32_t has_output;
    uint64_t log_bytes;
    uint64_t output_bytes;
} whet_compile__answer;

enum {
    WHET_COMPILE__READY = 'R',
    WHET_COMPILE__WORDS_BYTES_MAX = 256 << 10,
    WHET_COMPILE__SOURCE_BYTES_MAX = WHET_IMAGE_BYTES_MAX,
    WHET_COMPILE__LOG_BYTES_MAX = 256 << 10
};

/** A job as a child got it; lives until it exits. */
typedef struct whet_compile__task {
    whet_compile__job head;
    const char *source_name, *output_name;
    const char *argv[WHET_COMPILER__WORD_MAX + 1]; /**< NULL-terminated. */
    char *words, *header, *source;
    int out_fd; /**< Where the answer goes; stdout is stderr by now. */
} whet_compile__task;

/** Begin: stdout aside, into the working folder ($TMPDIR), read the job, seal
 *  if argv[0] is "sealed". Exits with WHET_TOOLCHAIN__CHILD_UNUSABLE if not
 *  possible. */
void whet_compile__begin(whet_compile__task *task, const char *seal);

/** Write READY. */
void whet_compile__ready(const whet_compile__task *task);

/** Write the answer and exit. */
void whet_compile__answer_and_exit(const whet_compile__task *task,
                                   whet_compile__answer answer, const void *log,
                                   const void *output);

/** Lay log and output out of what follows READY in `result->run.out`, which
 *  holds at least that byte. @return false if it does not fit */
bool whet_compile__split(whet_compile__answer *answer,
                         whet_compile_result *result, size_t output_max_bytes);

/** Exit with WHET_TOOLCHAIN__CHILD_UNUSABLE and a line on stderr. */
void whet_compile__unusable(const char *text);

/** Body of `whet __build NAME compile sealed|unsealed` for programs; exit
 *  status. */
int whet_compiler__child_main(int argc, char **argv);

#endif /* WHET_COMPILERS_PRIV_H */
