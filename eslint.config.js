// SPDX-License-Identifier: Apache-2.0
import tseslint from 'typescript-eslint';

/** Folders of pure code (style guide, direction of dependency): the product itself. */
const PURE = [
  'receiver/model/**/*.ts',
  'receiver/attribution/**/*.ts',
  'receiver/activity/decode*.ts',
  'policy/{decide,burst,classify,match,cgroup-tree,headroom,record-bytes,slots}.ts',
];

const pureCodeRules = {
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        { group: ['node:*', '@opentelemetry/*'], message: 'pure code has no effects' },
        { group: ['**/native/*'], message: 'pure code never reaches native code' },
      ],
    },
  ],
  'no-restricted-globals': [
    'error',
    ...['process', 'performance', 'setTimeout', 'setInterval', 'console'].map((name) => ({
      name,
      message: 'pure code has no effects: take what you need as an argument',
    })),
  ],
};

const focusedOrSkipped = ['it', 'test', 'describe'].flatMap((object) =>
  ['only', 'skip', 'skipIf', 'runIf'].map((property) => ({
    object,
    property,
    message: 'suites are chosen up front (scripts/suites); a chosen one runs whole',
  })),
);

const restrictedSyntax = [
  { selector: 'ExportAllDeclaration', message: 'no export *: name what is exported' },
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'time comes from Clock (CLOCK_MONOTONIC)',
  },
];

const loopingMkdir = {
  selector: "CallExpression[callee.name=/^mkdir(Sync)?$/] Property[key.name='recursive']",
  message: 'loops for ever under /proc and /sys: makeDirectory of receiver/host/directories.ts',
};

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'dist.next/',
      'native/build*/',
      'bpf/build/',
      '**/*.generated.ts',
      'test/**/fixtures/',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.check.json', tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // A default stands for "all others" of a union that is not ours (zod's issue codes).
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      // Numbers and bigints in messages are what messages are made of here.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // tsconfig's noPropertyAccessFromIndexSignature style: process.env['NAME'] is as good.
      '@typescript-eslint/dot-notation': 'off',
      // `return io.error(text)` in a void function reads better than a block around two lines.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      'no-restricted-syntax': ['error', ...restrictedSyntax],
      eqeqeq: 'error',
      'max-lines': ['error', { max: 450, skipBlankLines: false, skipComments: false }],
    },
  },
  {
    // Where raw numbers get their brand, and where the addon's untyped face gets its type.
    files: ['receiver/model/units.ts', 'native/index.ts'],
    rules: {
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'as' }],
      '@typescript-eslint/no-unsafe-type-assertion': 'off',
    },
  },
  { files: PURE, rules: pureCodeRules },
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-restricted-properties': ['error', ...focusedOrSkipped],
      // vitest's matchers (expect.any and its kin) are typed any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      // A test may hold wall-clock deadlines.
      'no-restricted-syntax': 'off',
    },
  },
  {
    // What users run, with paths that users choose.
    files: ['receiver/**/*.ts', 'policy/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...restrictedSyntax, loopingMkdir] },
  },
  {
    // The Clock itself.
    files: ['receiver/host/clock.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    // Tools that want a default export.
    files: ['*.config.ts'],
    rules: { 'no-restricted-exports': 'off' },
  },
);
