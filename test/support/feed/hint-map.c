// SPDX-License-Identifier: Apache-2.0
/*
 * A task hint map as scx_layered's --task-hint-map pins it, made and read without us or scx.
 *
 *   hint-map make PATH           task storage, value {u64 hint; u64 reserved[3]}
 *   hint-map show PATH TID...    one line each: the hint, or - for none
 */
#include <fcntl.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

struct hint {
	__u64 hint;
	__u64 reserved[3];
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int make(const char *path)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_NO_PREALLOC);
	struct btf *btf = btf__new_empty();
	int key, word, words, value, fd;

	key = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	word = btf__add_int(btf, "unsigned long long", 8, 0);
	words = btf__add_array(btf, key, word, 3);
	value = btf__add_struct(btf, "task_hint", sizeof(struct hint));
	btf__add_field(btf, "hint", word, 0, 0);
	btf__add_field(btf, "__reserved", words, 64, 0);
	if (btf__load_into_kernel(btf))
		die("load BTF");
	options.btf_fd = btf__fd(btf);
	options.btf_key_type_id = key;
	options.btf_value_type_id = value;
	fd = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "scx_layered_tas", 4, sizeof(struct hint), 0,
			    &options);
	if (fd < 0)
		die("create map");
	if (bpf_obj_pin(fd, path))
		die(path);
	return 0;
}

static int show(const char *path, int count, char **tids)
{
	int fd = bpf_obj_get(path);

	if (fd < 0)
		die(path);
	for (int i = 0; i < count; i++) {
		int thread = syscall(SYS_pidfd_open, atoi(tids[i]), 0);
		struct hint value = {};

		if (thread >= 0 && !bpf_map_lookup_elem(fd, &thread, &value))
			printf("%llu\n", value.hint);
		else
			printf("-\n");
		close(thread);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "make"))
		return make(argv[2]);
	if (argc > 3 && !strcmp(argv[1], "show"))
		return show(argv[2], argc - 3, argv + 3);
	fprintf(stderr, "usage: hint-map make PATH | show PATH TID...\n");
	return 2;
}
