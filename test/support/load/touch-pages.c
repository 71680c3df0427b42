// SPDX-License-Identifier: Apache-2.0
/* touch-pages PAGES [CPU]: at each line, maps that many small pages and touches each: as many faults. */
#include "load.h"

#include <sys/mman.h>

int main(int argc, char **argv)
{
	uint64_t pages = number(argc, argv, 1, 1000), page_bytes = sysconf(_SC_PAGESIZE);

	if (argc > 2)
		pin_to(number(argc, argv, 2, 0));
	for (;;) {
		char *memory;

		say("ready");
		wait_for_line();
		memory = mmap(NULL, pages * page_bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			die("mmap");
		if (madvise(memory, pages * page_bytes, MADV_NOHUGEPAGE) && errno != EINVAL)
			die("madvise");
		for (uint64_t page = 0; page < pages; page++)
			memory[page * page_bytes] = 1;
		if (munmap(memory, pages * page_bytes))
			die("munmap");
	}
}
