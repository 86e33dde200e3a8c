/* Which journal a ledger uses. WAL needs memory shared between all processes
 * that have the file open, which network file systems do not give: there a
 * rollback journal is used. At rest a ledger is always one plain file. */

#include "ledger/ledger_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

typedef struct fs_row {
    uint32_t magic; /* statfs f_type */
    const char *name;
} fs_row;

/* A FUSE file system may be local or not (sshfs, gluster): the journal that
 * works on both is taken. So also for file systems shared by a cluster's nodes
 * or by a host and its virtual machines. */
static const fs_row network_fs[] = {
    {0x00006969, "NFS"},
    {0x0000517b, "SMB"},
    {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB2"},
    {0x0bd00bd0, "Lustre"},
    {0x19830326, "BeeGFS"},
    {0x47504653, "GPFS"},
    {0x00c36400, "Ceph"},
    {0x65735546, "FUSE"},
    {0x01021997, "9P"},
    {0x5346414f, "AFS"},
    {0x6b414653, "kAFS"},
    {0x73757245, "Coda"},
    {0x0000564c, "NCP"},
    {0x20030528, "OrangeFS"},
    {0xaad7aaea, "PanFS"},
    {0x01161970, "GFS2"},
    {0x7461636f, "OCFS2"},
    {0x786f4256, "VirtualBox folder"},
    {0xbacbacbc, "VMware folder"},
    {0x013111a8, "IBRIX"},
    {0x61636673, "ACFS"},
};

const char *whet_ledger__network_fs(uint32_t magic)
{
    size_t i;

    for (i = 0; i < sizeof network_fs / sizeof network_fs[0]; i++)
        if (network_fs[i].magic == magic)
            return network_fs[i].name;
    return NULL;
}

whet_status whet_ledger__find_fs(whet_ledger *ledger, const uint32_t *fs_magic,
                                 whet_err *err)
{
    struct statfs info;

    if (fs_magic == NULL && statfs(ledger->path, &info) != 0)
        return whet_err_errno(err, errno, "%s", ledger->path);
    ledger->is_network =
        whet_ledger__network_fs(
            fs_magic != NULL ? *fs_magic : (uint32_t)info.f_type) != NULL;
    return WHET_OK;
}

whet_status whet_ledger__check_hot_journal(whet_ledger *ledger, whet_err *err)
{
    /* What a journal ends with if it names a super-journal. */
    static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9,
                                           0x20, 0xa1, 0x63, 0xd7};
    unsigned char tail[sizeof magic];
    char *name = whet_asprintf("%s-journal", ledger->path);
    FILE *file = name == NULL ? NULL : fopen(name, "rbe");
    bool is_super = file != NULL &&
                    fseek(file, -(long)sizeof magic, SEEK_END) == 0 &&
                    fread(tail, 1, sizeof tail, file) == sizeof tail &&
                    memcmp(tail, magic, sizeof magic) == 0;

    if (file != NULL)
        fclose(file);
    free(name);
    if (is_super)
        return whet_err_set(err, WHET_EINVAL,
                            "%s-journal: not the journal of a ledger",
                            ledger->path);
    return WHET_OK;
}

whet_status whet_ledger__read_journal(whet_ledger *ledger, whet_err *err)
{
    sqlite3_stmt *stmt;
    const char *mode;
    whet_status st =
        whet_ledger__prepare(&stmt, ledger, "PRAGMA journal_mode", err);
    int rc;

    if (st != WHET_OK)
        return st;
    rc = sqlite3_step(stmt);
    mode = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    ledger->is_wal = mode != NULL && strcmp(mode, "wal") == 0;
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        st = whet_ledger__fail(ledger, rc, "journal", err);
    sqlite3_finalize(stmt);
    return st;
}

/* EXTRA is FULL in WAL mode: each commit is synced, so that it survives a loss
 * of power. With a rollback journal it also syncs the folder after the journal
 * is removed, without which a commit could still be rolled back. */
whet_status whet_ledger__start_journal(whet_ledger *ledger, whet_err *err)
{
    const char *mode = ledger->is_network ? "PRAGMA journal_mode=DELETE"
                                          : "PRAGMA journal_mode=WAL";
    whet_status st = whet_ledger__exec(ledger, mode, "journal", err);

    /* whet_ledger_open had set it to EXCLUSIVE, which lets a file that a
     * killed run left in WAL mode be recovered without shared memory. */
    if (st == WHET_OK && ledger->is_network)
        st = whet_ledger__exec(ledger,
                               "PRAGMA locking_mode=NORMAL;"
                               "SELECT 1 FROM sqlite_master LIMIT 1",
                               "journal", err);
    if (st == WHET_OK)
        st = whet_ledger__exec(ledger, "PRAGMA synchronous=EXTRA", "journal",
                               err);
    if (st == WHET_OK)
        st = whet_ledger__read_journal(ledger, err);
    return st;
}

void whet_ledger__end_journal(whet_ledger *ledger)
{
    if (!ledger->is_wal)
        return;
    sqlite3_busy_timeout(ledger->db, 0);
    sqlite3_exec(ledger->db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
}

const char *whet_ledger_journal(const whet_ledger *ledger)
{
    return ledger->is_wal ? "wal" : "delete";
}
