import tseslint from 'typescript-eslint';
import house from './eslint.rules.js';

/** The rules that oxlint lacks; all others are in `oxlint.config.js`. */

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
  // The tests import SDKs whose types take longer to read than all of `src`.
  { ignores: ['**', '!src/**', '**/*.test.ts'] },
  {
    files: ['src/**/*.ts'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { project: './tsconfig.src.json', tsconfigRootDir: import.meta.dirname },
    },
    plugins: { house },
    rules: { ...ambient, 'house/checked-spread': 'error' },
  },
  {
    files: ['src/base/**/*.ts', 'src/app/**/*.ts', 'src/main.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
);
