import tseslint from 'typescript-eslint';
import waivers from './eslint.waivers.js';

// The budgets of docs/decisions: a file, a function, a parameter list or a nesting past them means a noun is missing.
const budgets = {
  'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
  'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
  'max-params': ['error', 3],
  'max-depth': ['error', 3],
  complexity: ['error', 25],
};

// Time, chance, settings and raw JSON reach the code through `base` and `app` only.
const ambient = {
  'no-restricted-syntax': [
    'error',
    {
      selector: "MemberExpression[object.name='Date'][property.name='now']",
      message: 'Use a Clock from #base.',
    },
    { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Use a Clock from #base.' },
    {
      selector: "MemberExpression[object.name='Math'][property.name='random']",
      message: 'Use Chance from #base.',
    },
    {
      selector: "MemberExpression[object.name='process'][property.name='env']",
      message: 'Only app reads the environment.',
    },
    {
      selector: "MemberExpression[object.name='JSON'][property.name='parse']",
      message: 'Use parseJson from #base.',
    },
    { selector: 'ExportAllDeclaration', message: 'Name what a room exports.' },
    { selector: 'ExportDefaultDeclaration', message: 'No default exports.' },
  ],
};

export default tseslint.config(
  { ignores: ['node_modules', 'data', 'dist'] },
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...budgets,
      ...ambient,
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true, allow: [{ name: ['bigint'], from: 'lib' }] },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-non-null-assertion': 'error',
      // `erasableSyntaxOnly` leaves no enum to look for, which takes seconds.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      '@typescript-eslint/no-duplicate-enum-values': 'off',
      '@typescript-eslint/prefer-nullish-coalescing': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  { files: ['src/base/**/*.ts', 'src/app/**/*.ts', 'src/main.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['**/*.test.ts', 'test/**/*.ts', 'bench/**/*.ts', 'build.ts'],
    rules: {
      'no-restricted-syntax': 'off',
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-floating-promises': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  ...waivers,
);
