/* What a compiler's log adds to the facts of kernels. Three dialects, told
 * apart line by line since logs may hold several: ptxas -v; clang's remarks of
 * -Rpass-analysis=kernel-resource-usage; and AMDGPU assembly text, whose
 * comments mark each spill. Lines are hostile and of any length; a line that
 * fits no dialect is passed over. */

#include "toolchain/toolchain.h"

#include <stddef.h>
#include <string.h>

typedef struct text {
    const char *at;
    size_t bytes;
} text;

/* Where the lines of a log belong. */
typedef struct reader {
    whet_image *image;
    whet_kernel_facts *ptxas;  /* Of the last "Function properties for". */
    whet_kernel_facts *remark; /* Of the last "Function Name:". */
    whet_kernel_facts *code;   /* Of the last label. */
    /* Bit per kernel whose spills in assembly text were begun to be added. */
    uint32_t has_code_spills;
} reader;

/* Offset behind the first `word`, or 0. */
static size_t find(text line, const char *word)
{
    size_t bytes = strlen(word);
    const char *hit = memmem(line.at, line.bytes, word, bytes);

    return hit == NULL ? 0 : (size_t)(hit - line.at) + bytes;
}

/* Decimal number at the start of the text behind blanks; false if there is
 * none or it has more than 9 digits. */
static bool number_at(uint64_t *out, text rest)
{
    uint64_t value = 0;
    size_t i = 0, first;

    while (i < rest.bytes && rest.at[i] == ' ')
        i++;
    for (first = i; i < rest.bytes && rest.at[i] >= '0' && rest.at[i] <= '9';
         i++) {
        if (i - first == 9)
            return false;
        value = value * 10 + (uint64_t)(rest.at[i] - '0');
    }
    *out = value;
    return i > first;
}

static bool number_behind(uint64_t *out, text line, const char *word)
{
    size_t at = find(line, word);

    return at > 0 && number_at(out, (text){line.at + at, line.bytes - at});
}

/* Decimal number that ends right before `word`. */
static bool number_before(uint64_t *out, text line, const char *word)
{
    size_t end = find(line, word), first;

    if (end == 0)
        return false;
    end -= strlen(word);
    for (first = end;
         first > 0 && line.at[first - 1] >= '0' && line.at[first - 1] <= '9';)
        first--;
    return number_at(out, (text){line.at + first, end - first});
}

static whet_kernel_facts *kernel_named(const reader *r, const char *name,
                                       size_t bytes)
{
    uint32_t i;

    for (i = 0; i < r->image->kernel_count; i++)
        if (strlen(r->image->kernels[i].name) == bytes &&
            memcmp(r->image->kernels[i].name, name, bytes) == 0)
            return &r->image->kernels[i];
    return NULL;
}

/* The kernel whose name begins at an offset and ends at a blank or quote. */
static whet_kernel_facts *kernel_at(const reader *r, text line, size_t at)
{
    size_t end = at;

    while (end < line.bytes && line.at[end] != ' ' && line.at[end] != '\'' &&
           line.at[end] != '\r')
        end++;
    return kernel_named(r, line.at + at, end - at);
}

/* The image's own facts come first. */
static void fill(uint64_t *fact, uint64_t value)
{
    if (*fact == 0)
        *fact = value;
}

static void read_ptxas(reader *r, text line)
{
    uint64_t stores, loads, value;
    size_t at;

    if ((at = find(line, "Compiling entry function '")) > 0 ||
        (at = find(line, "Function properties for ")) > 0) {
        /* A function that is no kernel has properties of its own. */
        r->ptxas = kernel_at(r, line, at);
        return;
    }
    if (r->ptxas == NULL)
        return;
    if (number_before(&stores, line, " bytes spill stores") &&
        number_before(&loads, line, " bytes spill loads")) {
        r->ptxas->spill_bytes = stores + loads;
        if (number_before(&value, line, " bytes stack frame"))
            fill(&r->ptxas->private_bytes, value);
    }
    if (find(line, "Used ") > 0 && number_before(&value, line, " registers")) {
        fill(&r->ptxas->register_count, value);
        if (number_before(&value, line, " bytes smem"))
            fill(&r->ptxas->lds_bytes, value);
    }
}

static void read_remark(reader *r, text line)
{
    static const struct {
        const char *word;
        size_t at;
    } rows[] = {
        {" VGPRs: ", offsetof(whet_kernel_facts, register_count)},
        {" AGPRs: ", offsetof(whet_kernel_facts, accumulator_count)},
        {" SGPRs: ", offsetof(whet_kernel_facts, scalar_count)},
        {" TotalSGPRs: ", offsetof(whet_kernel_facts, scalar_count)},
        {" ScratchSize [bytes/lane]: ",
         offsetof(whet_kernel_facts, private_bytes)},
        {" SGPRs Spill: ", offsetof(whet_kernel_facts, scalar_spill_count)},
        {" VGPRs Spill: ", offsetof(whet_kernel_facts, spill_count)},
        {" LDS Size [bytes/block]: ", offsetof(whet_kernel_facts, lds_bytes)},
    };
    uint64_t value;
    size_t i, at = find(line, "remark: ");

    if (at == 0)
        return;
    line = (text){line.at + at, line.bytes - at};
    if ((at = find(line, "Function Name: ")) > 0) {
        r->remark = kernel_at(r, line, at);
        return;
    }
    for (i = 0; r->remark != NULL && i < sizeof rows / sizeof *rows; i++)
        if (number_behind(&value, line, rows[i].word)) {
            fill((uint64_t *)(void *)((char *)r->remark + rows[i].at), value);
            if (rows[i].at == offsetof(whet_kernel_facts, spill_count))
                fill(&r->remark->spill_bytes, 4 * value);
            return;
        }
}

/* Bytes per work-item that a spill instruction moves, from its comment
 * ("16-byte Folded Spill"; LLVM, AsmPrinter's comments), else 4. */
static uint64_t spill_width(text line, const char *word)
{
    uint64_t width;

    if (number_before(&width, line, word) && width <= 128)
        return width;
    return 4;
}

static bool is_scratch_access(text line)
{
    static const char *const mnemonics[] = {"scratch_store_", "scratch_load_",
                                            "buffer_store_", "buffer_load_"};
    size_t i;

    for (i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++)
        if (find(line, mnemonics[i]) > 0)
            return true;
    return false;
}

/* A label of a kernel begins its code; spills are marked by a comment, and
 * ScratchSize follows the code. Of stores and loads both are counted. */
static void read_code(reader *r, text line)
{
    size_t name_bytes = 0;
    uint64_t value, width = 0;
    uint32_t bit;

    while (name_bytes < line.bytes && line.at[name_bytes] != ':' &&
           name_bytes < WHET_KERNEL_NAME_BYTES)
        name_bytes++;
    if (name_bytes < line.bytes && line.at[name_bytes] == ':' &&
        whet_is_identifier(line.at, name_bytes)) {
        r->code = kernel_named(r, line.at, name_bytes);
        return;
    }
    if (r->code == NULL)
        return;
    if (line.bytes > 0 && line.at[0] == ';' &&
        number_behind(&value, line, "; ScratchSize: "))
        fill(&r->code->private_bytes, value);
    if (!is_scratch_access(line))
        return;
    if (find(line, " Folded Spill") > 0)
        width = spill_width(line, "-byte Folded Spill");
    else if (find(line, " Folded Reload") > 0)
        width = spill_width(line, "-byte Folded Reload");
    if (width == 0)
        return;
    /* What the text holds replaces an estimate from the count. */
    bit = 1u << (r->code - r->image->kernels);
    if ((r->has_code_spills & bit) == 0)
        r->code->spill_bytes = 0;
    r->has_code_spills |= bit;
    r->code->spill_bytes += width;
}

void whet_image_add_log(whet_image *image, const char *log, size_t log_bytes)
{
    reader r = {.image = image};
    text rest = {log, log_bytes};

    while (rest.bytes > 0) {
        const char *end = memchr(rest.at, '\n', rest.bytes);
        size_t bytes = end == NULL ? rest.bytes : (size_t)(end - rest.at);
        text line = {rest.at, bytes};

        read_ptxas(&r, line);
        read_remark(&r, line);
        read_code(&r, line);
        bytes += end != NULL;
        rest.at += bytes;
        rest.bytes -= bytes;
    }
}
