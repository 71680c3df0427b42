// SPDX-License-Identifier: Apache-2.0
/**
 * The direction of dependency, as rules:
 *   model        <- host, energy, activity, attribution, ledger, export, policy
 *   native/      <- receiver/activity, policy/feed, and the composition roots
 *   main.ts, commands -> everything; nothing imports main.ts
 */
const PURE =
  '^(receiver/model/|receiver/attribution/|receiver/activity/decode|policy/(decide|burst|classify|match|cgroup-tree|headroom|record-bytes|slots)\\.ts)';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'a cycle has no bottom to start reading from',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'model-imports-only-model',
      severity: 'error',
      from: { path: '^receiver/model/' },
      to: { pathNot: '^(receiver/model/|node_modules/fp-ts/)' },
    },
    {
      name: 'pure-code-has-no-effects',
      comment: 'no Node module, no OpenTelemetry, no native code',
      severity: 'error',
      from: { path: PURE },
      to: { path: '^native/|^node_modules/@opentelemetry/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'pure-code-has-no-node',
      severity: 'error',
      from: { path: PURE },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'nothing-imports-main',
      severity: 'error',
      from: {},
      to: { path: '^receiver/main\\.ts$' },
    },
    {
      name: 'commands-only-from-the-top',
      comment: 'a command composes; what it composes does not know it, not even its types',
      severity: 'error',
      from: { path: '^(receiver|policy|native)/', pathNot: '^receiver/(main\\.ts|commands?/)' },
      to: { path: '^receiver/commands?/' },
    },
    {
      name: 'native-through-its-index',
      severity: 'error',
      from: { pathNot: '^native/' },
      to: {
        path: '^native/',
        pathNot:
          '^native/(index|layout\\.generated|feed-layout\\.generated|spin-layout\\.generated)\\.ts$',
      },
    },
    {
      name: 'no-dev-dependency-in-the-product',
      severity: 'error',
      from: { path: '^(receiver|policy|native)/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: '^node_modules/@types/',
      },
    },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|native/build)' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.d.ts'],
    },
  },
};
