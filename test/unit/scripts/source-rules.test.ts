// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { isGoNewEnough } from '../../../scripts/suites/probe.js';
import { sourceRuleViolations } from '../../../scripts/suites/source-rules.js';

const SPDX = 'SPDX-License-Identifier: Apache-2.0';

describe('sourceRuleViolations', () => {
  it('accepts the licence line first or behind a shebang', () => {
    expect(
      sourceRuleViolations([
        { path: 'receiver/a.ts', text: `// ${SPDX}\n` },
        { path: 'scripts/a.sh', text: `#!/usr/bin/env bash\n# ${SPDX}\n` },
      ]),
    ).toEqual([]);
  });

  it('names a source without it, and no document', () => {
    const violations = sourceRuleViolations([
      { path: 'native/src/a.cc', text: 'int a;\n' },
      { path: 'docs/a.md', text: '# A\n' },
      { path: 'bpf/vmlinux/x86_64/vmlinux.h', text: '' },
    ]);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain('native/src/a.cc');
  });

  it('finds a lock file that names a registry', () => {
    const text = '{"packages":{"node_modules/a":{"resolved": "https://registry.example/a.tgz"}}}';
    expect(sourceRuleViolations([{ path: 'package-lock.json', text }])).toHaveLength(1);
    expect(sourceRuleViolations([{ path: 'package-lock.json', text: '{}' }])).toEqual([]);
  });
});

describe('isGoNewEnough', () => {
  it('compares numbers, not text', () => {
    expect(isGoNewEnough('go version go1.26.8 linux/amd64')).toBe(true);
    expect(isGoNewEnough('go version go2.0 linux/amd64')).toBe(true);
    expect(isGoNewEnough('go version go1.3 linux/amd64')).toBe(false);
    expect(isGoNewEnough('go version go1.19.8 linux/amd64')).toBe(false);
    expect(isGoNewEnough('something else')).toBe(false);
  });
});
