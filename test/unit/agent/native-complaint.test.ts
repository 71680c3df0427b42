// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { complaintOfNative } from '../../../receiver/agent/native-complaint.js';

const failed = { _tag: 'NativeError', operation: 'load accounting', errno: 0, detail: '' } as const;

describe('complaintOfNative', () => {
  it('names the limit of open files, whatever the probes made of it', () => {
    const expected = {
      what: 'load accounting',
      cause: 'EMFILE: too many open files',
      remedy: 'raise the limit: ulimit -n, or LimitNOFILE= of the systemd unit',
    };
    const probed = [
      {
        name: 'task_iterator',
        isAvailable: false,
        code: 'EMFILE',
        detail: 'create iterator: Too many open files',
      },
    ];
    expect(complaintOfNative({ code: 'EMFILE', ...failed }, [])).toEqual(expected);
    expect(complaintOfNative({ code: 'EINVAL', ...failed }, probed)).toEqual(expected);
  });

  it('names a feature that the kernel lacks', () => {
    const features = [{ name: 'btf', isAvailable: false, code: 'ENOENT', detail: 'no vmlinux' }];
    expect(complaintOfNative({ code: 'EINVAL', ...failed }, features)).toMatchObject({
      cause: 'btf is missing (no vmlinux)',
    });
  });

  it('does not blame what the accounting does without', () => {
    const features = ['perf_events', 'cpu_times'].map((name) => ({
      name,
      isAvailable: false,
      code: 'ENOENT',
      detail: '',
    }));
    expect(complaintOfNative({ code: 'ENOMEM', ...failed }, features).cause).toBe('ENOMEM');
  });
});
