// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { stopSignal } from '../../../receiver/agent/stop-signal.js';

describe('stopSignal', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'])('resolves at %s', async (signal) => {
    const signals = new EventEmitter();
    const stopped = stopSignal(signals);
    signals.emit(signal);
    expect(await stopped).toBe(signal);
  });

  it('keeps handling every signal after the first, so that a second one kills nothing', async () => {
    const signals = new EventEmitter();
    const stopped = stopSignal(signals);
    signals.emit('SIGINT');
    expect(signals.emit('SIGINT')).toBe(true);
    expect(signals.emit('SIGTERM')).toBe(true);
    expect(await stopped).toBe('SIGINT');
  });

  it('lets a process end in order though it is told twice', async () => {
    const entry = new URL('../../../receiver/agent/stop-signal.ts', import.meta.url).href;
    const program = `import { stopSignal } from '${entry}';
      const stopped = stopSignal(process);
      const alive = setInterval(() => undefined, 1000);
      process.stdout.write('ready\\n');
      await stopped;
      process.stdout.write('stopping\\n');
      setTimeout(() => { process.stdout.write('in order\\n'); clearInterval(alive); }, 300);`;
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', program],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (text.includes('ready') || text.includes('stopping')) child.kill('SIGINT');
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, said]).toEqual([0, 'ready\nstopping\nin order\n']);
  });
});
