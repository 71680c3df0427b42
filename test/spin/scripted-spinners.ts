// SPDX-License-Identifier: Apache-2.0
/** Programs that wait awake in languages that are interpreted or compiled while they run. */
import {
  java,
  javaScript,
  missed,
  python,
  pythonFile,
  script,
  shell,
  type Program,
} from './program.js';

export const SCRIPTED_SPINNERS: readonly Program[] = [
  javaScript('while (true)', 'flag', 'while (true) {}'),
  javaScript(
    'Atomics.load',
    'flag',
    'const a = new Int32Array(new SharedArrayBuffer(4)); while (Atomics.load(a, 0) === 0) {}',
  ),
  javaScript('setImmediate', 'poll', 'const again = () => setImmediate(again); again()'),
  javaScript('Date.now', 'clock', 'while (Date.now() < 1e15) {}'),
  python('while True', 'flag', 'while True: pass'),
  python('while not flag', 'flag', 'flag = False\nwhile not flag: pass'),
  python('sleep(0)', 'syscall', 'import time\nwhile True: time.sleep(0)'),
  python('time()', 'clock', 'import time\nwhile time.time() < 1e12: pass'),
  pythonFile('method', 'flag', 'spin_function.py'),
  pythonFile('event', 'flag', 'spin_event.py'),
  pythonFile('asyncio.sleep(0)', 'poll', 'spin_asyncio.py'),
  java('onSpinWait', 'pause'),
  java('flag', 'flag'),
  java('yield', 'yield'),
  script('Perl while', 'flag', 'perl', '-e', '1 while !$flag'),
  javaScript('hrtime', 'clock', 'while (process.hrtime.bigint() < 1n << 62n);'),
  javaScript('performance.now', 'clock', 'while (performance.now() < 1e15);'),
  missed(javaScript('promises', 'flag', '(async () => { for (;;) await undefined; })()')),
  javaScript(
    'Atomics.wait',
    'syscall|flag|clock',
    'const a = new Int32Array(new SharedArrayBuffer(4)); for (;;) Atomics.wait(a, 0, 0, 0)',
  ),
  missed(pythonFile('get_nowait', 'flag', 'spin_queue.py')),
  missed(python('queue.empty', 'flag', 'import queue\nq = queue.Queue()\nwhile q.empty(): pass')),
  missed(
    python(
      'is_alive',
      'flag',
      'import threading, time\nt = threading.Thread(target=time.sleep, args=(1e6,), daemon=True)\nt.start()\nwhile t.is_alive(): pass',
    ),
  ),
  missed(
    python(
      'future.done',
      'flag',
      'from concurrent.futures import Future\nf = Future()\nwhile not f.done(): pass',
    ),
  ),
  python(
    'monotonic',
    'clock',
    'import time\nend = time.monotonic() + 1e9\nwhile time.monotonic() < end: pass',
  ),
  python('select', 'poll', 'import select\nwhile True: select.select([], [], [], 0)'),
  python(
    'recv',
    'poll',
    'import socket\na, b = socket.socketpair()\na.setblocking(False)\nwhile True:\n try: a.recv(64)\n except BlockingIOError: pass',
  ),
  python(
    'acquire',
    'flag|clock',
    'import threading\nl = threading.Lock()\nl.acquire()\nwhile not l.acquire(False): pass',
  ),
  python('sched_yield', 'yield', 'import os\nwhile True: os.sched_yield()'),
  python('exists', 'poll', 'import os\nwhile not os.path.exists("/tmp/wattfeed-no-such"): pass'),
  missed(shell('bash while', 'flag', 'while :; do :; done')),
  missed(shell('bash file', 'poll', 'while [ ! -e /tmp/wattfeed-no-such ]; do :; done')),
  java('nanoTime', 'clock'),
  java('queue', 'flag'),
  java('atomic', 'flag|pause'),
  java('parkNanos', 'syscall'),
  script('Perl select', 'poll', 'perl', '-e', 'select(undef, undef, undef, 0) while 1'),
  missed(script('Perl time', 'clock|flag', 'perl', '-e', '1 while time < 1e12')),
];
