/* A disk that keeps only what was synced, for power cuts in tests/program/kill/power.rs.
 *
 * Loaded before the C library. After each fsync or fdatasync of a file under SHADOW_OF, the file's bytes as they are
 * then are kept under SHADOW_IN by the number of its inode; after each sync of a folder, its names are. Nothing else
 * counts: no write, no rename, no sync_file_range. The test makes a data directory of what was kept.
 *
 *   SHADOW_IN/file.INODE    bytes
 *   SHADOW_IN/folder.INODE  lines: INODE f|d NAME
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void fail(const char *what) {
    perror(what);
    abort();
}

static void keep_file(const char *path, const char *kept) {
    int from = open(path, O_RDONLY | O_CLOEXEC);
    int to = open(kept, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (from < 0 || to < 0) fail("shadow: open");
    for (;;) {
        ssize_t moved = sendfile(to, from, NULL, 1 << 20);
        if (moved < 0) fail("shadow: copy");
        if (moved == 0) break;
    }
    close(from);
    close(to);
}

static void keep_folder(const char *path, const char *kept) {
    DIR *folder = opendir(path);
    FILE *to = fopen(kept, "we");
    if (!folder || !to) fail("shadow: folder");
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (entry->d_type != DT_DIR && entry->d_type != DT_REG) continue; /* a socket holds nothing */
        fprintf(to, "%lu %c %s\n", (unsigned long)entry->d_ino, entry->d_type == DT_DIR ? 'd' : 'f', entry->d_name);
    }
    closedir(folder);
    if (fclose(to)) fail("shadow: names");
}

static void keep(int fd) {
    const char *of = getenv("SHADOW_OF"), *in = getenv("SHADOW_IN");
    char link[64], path[PATH_MAX], part[PATH_MAX], kept[PATH_MAX];
    struct stat stat;
    if (!of || !in) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return;
    path[length] = 0;
    if (strncmp(path, of, strlen(of)) || fstat(fd, &stat) || stat.st_nlink == 0) return;
    const char *kind = S_ISDIR(stat.st_mode) ? "folder" : "file";
    snprintf(kept, sizeof kept, "%s/%s.%lu", in, kind, (unsigned long)stat.st_ino);
    snprintf(part, sizeof part, "%s/part", in);
    pthread_mutex_lock(&one_at_a_time);
    if (S_ISDIR(stat.st_mode)) keep_folder(path, part);
    else keep_file(path, part);
    /* Whole or not at all, as the process may be killed meanwhile. */
    if (rename(part, kept)) fail("shadow: rename");
    pthread_mutex_unlock(&one_at_a_time);
}

static int synced(const char *name, int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    int result = real(fd);
    if (result == 0) keep(fd);
    return result;
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }
