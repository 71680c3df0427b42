// SPDX-License-Identifier: Apache-2.0
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../../receiver/config/config.js';
import { decodeConfig, type ConfigInput } from '../../../receiver/config/decode.js';
import { complaintText } from '../../../receiver/model/errors.js';

const decode = (text: string, over: Partial<ConfigInput> = {}) =>
  decodeConfig({ file: { path: 'f.yaml', text }, flags: new Map(), env: {}, ...over });

const configOf = (text: string, over: Partial<ConfigInput> = {}): Config => {
  const result = decode(text, over);
  if (E.isLeft(result)) throw new Error(result.left.map(complaintText).join('\n'));
  return result.right;
};

const mistakesOf = (text: string, over: Partial<ConfigInput> = {}): readonly string[] => {
  const result = decode(text, over);
  return E.isLeft(result) ? result.left.map(complaintText) : [];
};

const flags = (...pairs: readonly (readonly [string, string])[]) => ({ flags: new Map(pairs) });

describe('decodeConfig', () => {
  it('gives the defaults for an empty file and for no file', () => {
    const empty = configOf('');
    expect(empty).toEqual(configOf('# only a comment\n'));
    expect(decodeConfig({ file: undefined, flags: new Map(), env: {} })).toEqual(E.right(empty));
    expect(empty).toMatchObject({
      windowMillis: 1000,
      accounting: { maxTasks: 65_536, cgroupHierarchy: 'auto' },
      energy: { sources: 'auto', model: undefined, tdpWatts: undefined },
      export: { cpuTime: { process: false, cgroup: true }, maxProcessSeries: 1000 },
      agent: {
        socketPath: '/run/wattfeed/agent.sock',
        pinDirectory: '/sys/fs/bpf/wattfeed',
      },
    });
  });

  it('takes a section without content for a section of defaults', () => {
    expect(configOf('energy:\nledger:\n')).toEqual(configOf(''));
  });

  it('maps every source name to its kind, in the order given', () => {
    const text = 'energy: {sources: [power_supply, perf, hwmon, powercap, model]}';
    const kinds = ['power-supply', 'perf', 'hwmon', 'powercap', 'model'];
    expect(configOf(text).energy.sources).toEqual(kinds);
    expect(
      configOf('', flags(['energy.sources', 'power_supply,perf, hwmon,powercap,model'])).energy
        .sources,
    ).toEqual(kinds);
  });

  it('takes a number for the text of it where a text is asked for', () => {
    const config = configOf('export: {prometheus_address: 9464}\naccounting: {counter_cpus: 0}');
    expect(config.export.prometheusAddress).toBe('9464');
    expect(config.accounting.counters.cpus).toEqual({ _tag: 'Ranges', ranges: [[0, 0]] });
    expect(mistakesOf('agent: {socket_path: 5}')).toEqual([
      expect.stringContaining('must be an absolute path, is "5"'),
    ]);
  });

  it.each(['0', '65536', '99999', 'node:0', ':70000'])('refuses the address %s', (address) => {
    expect(mistakesOf('', flags(['export.prometheus_address', address]))).toEqual([
      expect.stringContaining('a port from 1 to 65535'),
    ]);
  });

  it.each(['1', '9464', ':65535', '[::1]:10000', 'node.example:59999'])('takes %s', (address) => {
    const config = configOf('', flags(['export.prometheus_address', address]));
    expect(config.export.prometheusAddress).toBe(address);
  });

  it('says how a section is written where dots were', () => {
    expect(mistakesOf('log.level: debug')).toEqual([
      expect.stringContaining('write log: {level: …}'),
    ]);
    expect(mistakesOf('energy:\n  model.idle_watts: 3')).toEqual([
      expect.stringContaining('write model: {idle_watts: …}'),
    ]);
  });

  it('says that a file holds one document, in its own words', () => {
    expect(mistakesOf('window_millis: 500\n---\nwindow_millis: 600')).toEqual([
      expect.stringContaining('a second document begins here (---)'),
    ]);
  });

  it('names the file where all of it is no section', () => {
    expect(mistakesOf('- a')).toEqual([expect.stringMatching(/^read f\.yaml:1:1: must be/)]);
  });

  it('tells a handful of mistakes where one made hundreds', () => {
    expect(mistakesOf('['.repeat(2000)).length).toBeLessThan(6);
  });

  it('tells all mistakes at once, each with line and column', () => {
    const text = [
      'windw_millis: 5',
      'energy:',
      '  modle: 3',
      '  tdp_watts: x',
      '  sources: [perf, foo]',
      '  model: {idle_watts: 99, max_watts: 10, gamma: -1}',
      'accounting:',
      '  max_tasks: 1000',
      '  cgroup_hierarchy: unifed',
      'tdp_watts: 3',
      'log: info',
      'roots: {sysfs: rel}',
    ].join('\n');
    expect([...mistakesOf(text)].sort()).toEqual([
      'read f.yaml:10:1 tdp_watts: unknown key; did you mean energy.tdp_watts?',
      'read f.yaml:11:6 log: must be of type object, is "info"; it is a section with level',
      'read f.yaml:12:16 roots.sysfs: must be an absolute path, is "rel"; allowed: an absolute path',
      'read f.yaml:1:1 windw_millis: unknown key; did you mean window_millis?',
      'read f.yaml:3:3 energy.modle: unknown key; did you mean model?',
      'read f.yaml:4:14 energy.tdp_watts: must be of type number, is "x"; allowed: above 0, up to 1000000',
      'read f.yaml:4:3 energy.tdp_watts: excludes energy.model, and both are set; keep one of them',
      'read f.yaml:5:12 energy.sources: must be auto or a list of perf, powercap, hwmon, power_supply, model, is ["perf","foo"]; allowed: auto | a list of perf, powercap, hwmon, power_supply, model',
      'read f.yaml:6:23 energy.model.idle_watts: 99 is above energy.model.max_watts, 10; idle is the lower of the two',
      'read f.yaml:6:49 energy.model.gamma: must be above 0, is -1; allowed: above 0, up to 10',
      'read f.yaml:8:14 accounting.max_tasks: must be a power of two, is 1000; allowed: 256 to 4194304',
      'read f.yaml:9:21 accounting.cgroup_hierarchy: is none of the known values, is "unifed"; did you mean unified?',
    ]);
  });

  it('asks for both ends of the power model', () => {
    expect(mistakesOf('energy:\n  model: {max_watts: 65}')).toEqual([
      'read f.yaml:2:3 energy.model.idle_watts: is missing; allowed: 0 to 1000000',
    ]);
    expect(configOf('energy: {model: {idle_watts: 10, max_watts: 10}}').energy.model).toEqual({
      idleWatts: 10,
      maxWatts: 10,
      gamma: 1,
    });
  });

  it.each([
    ['ledger: {max_processes: 1.5}', 'must be a whole number, is 1.5'],
    ['window_millis: 19', 'must be at least 20, is 19'],
    ['window_millis: .nan', 'must be a finite number, is .nan'],
    ['energy: {tdp_watts: -.inf}', 'must be a finite number, is -.inf'],
    ['energy: {tdp_watts: [.nan]}', 'is [".nan"]'],
    ['energy: {sources: []}', 'must name at least 1, is []'],
    ['energy: {sources: [perf, perf]}', 'names a source twice'],
    ['export: {enabled: yes}', 'must be of type boolean, is "yes"'],
    ['energy: {tdp_watts: 0}', 'must be above 0, is 0'],
    ['- a list', 'must be of type object'],
    ['a: 1\na: 2', 'not valid YAML'],
    ['a: [1', 'not valid YAML'],
    ['a: 1\n---\nb: 2', 'not valid YAML'],
    ['? [x]\n: 1', 'not valid YAML'],
    ['log: !!unknown info', 'not valid YAML'],
    ['log: *nowhere', 'not valid YAML'],
    ['__proto__: {polluted: true}', 'unknown key'],
  ])('refuses %j', (text, cause) => {
    const mistakes = mistakesOf(text);
    expect(mistakes.length).toBeGreaterThan(0);
    expect(mistakes.join('\n')).toContain(cause);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('refuses an alias bomb instead of expanding it', () => {
    const levels = Array.from({ length: 9 }, (_, at) => {
      const refs = Array.from({ length: 10 }, () => `*l${at}`).join(', ');
      return `l${at + 1}: &l${at + 1} [${refs}]`;
    });
    expect(mistakesOf(`l0: &l0 x\n${levels.join('\n')}`).join('\n')).toContain('not valid YAML');
  });
});

describe('precedence', () => {
  const file = 'window_millis: 2000\nenergy: {tdp_watts: 10}';

  it('is flag, environment, file, default', () => {
    expect(configOf(file).energy.tdpWatts).toBe(10);
    const env = { env: { ENERGY_TDP_WATTS: '20' } };
    expect(configOf(file, env).energy.tdpWatts).toBe(20);
    const both = { ...env, ...flags(['energy.tdp_watts', '30']) };
    expect(configOf(file, both).energy.tdpWatts).toBe(30);
    expect(configOf(file, both).windowMillis).toBe(2000);
    expect(configOf(file, flags(['window_millis', '500'])).windowMillis).toBe(500);
  });

  it('lets a higher layer replace the model by a flat figure and back', () => {
    const model = 'energy: {model: {idle_watts: 1, max_watts: 2}}';
    const flat = configOf(model, { env: { ENERGY_TDP_WATTS: '20' } }).energy;
    expect([flat.tdpWatts, flat.model]).toEqual([20, undefined]);
    const bent = configOf(
      'energy: {tdp_watts: 5}',
      flags(['energy.model.idle_watts', '1'], ['energy.model.max_watts', '2']),
    ).energy;
    expect([bent.tdpWatts, bent.model?.maxWatts]).toEqual([undefined, 2]);
  });

  it('completes a model of the file by a flag', () => {
    const model = 'energy: {model: {idle_watts: 1, max_watts: 2}}';
    expect(configOf(model, flags(['energy.model.gamma', '0.5'])).energy.model).toEqual({
      idleWatts: 1,
      maxWatts: 2,
      gamma: 0.5,
    });
  });

  it('points at the flag or the variable that holds the mistake', () => {
    expect(mistakesOf('', flags(['window_millis', 'soon']))).toEqual([
      'read --window-millis window_millis: must be of type number, is "soon"; allowed: 20 to 3600000',
    ]);
    expect(mistakesOf('', { env: { ENERGY_TDP_WATTS: '65W' } })).toEqual([
      'read ENERGY_TDP_WATTS energy.tdp_watts: must be of type number, is "65W"; allowed: above 0, up to 1000000',
    ]);
    expect(mistakesOf('', { env: { ENERGY_TDP_WATTS: '' } })).toEqual([]);
  });

  it('excludes tdp and model within one layer of flags', () => {
    const mistakes = mistakesOf(
      '',
      flags(
        ['energy.tdp_watts', '5'],
        ['energy.model.idle_watts', '1'],
        ['energy.model.max_watts', '2'],
      ),
    );
    expect(mistakes).toEqual([
      'read --energy-tdp-watts energy.tdp_watts: excludes energy.model, and both are set; keep one of them',
    ]);
  });
});
