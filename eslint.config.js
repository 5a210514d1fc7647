// Which code the project refuses: typed rules for every TypeScript file and Svelte component.
import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import globals from 'globals';
import regexp from 'eslint-plugin-regexp';
import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';

/**
 * Patterns for typed-array loops: an index proven in range by the loop needs `!`, and numbers go into messages.
 * @type {import('eslint').Linter.RulesRecord}
 */
const practical = {
  '@typescript-eslint/no-non-null-assertion': 'off',
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
  '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
  '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: 'only-allowed-literals' }],
  '@typescript-eslint/prefer-for-of': 'off',
  '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  '@typescript-eslint/consistent-type-imports': 'error',
  '@typescript-eslint/no-import-type-side-effects': 'error',
  // Methods of our interfaces are closures: nothing here has a `this` to lose.
  '@typescript-eslint/unbound-method': 'off',
  // A request without arguments has the type `{}`.
  '@typescript-eslint/no-generated-empty-object-type': 'off',
  // Takes a branded number for something else than a number.
  '@typescript-eslint/no-unsafe-unary-minus': 'off',
  'no-empty': ['error', { allowEmptyCatch: false }],
  eqeqeq: 'error',
};

/** Constructs that the page's Content-Security-Policy drops silently. `style:name={...}` is set by script and works. */
const blocked = [
  {
    selector: 'SvelteAttribute[key.name="style"][value.length=1] > SvelteLiteral',
    message: 'Use a class of style.css.',
  },
  {
    selector: 'SvelteDirective[kind="Transition"]',
    message: 'A transition makes a style element: animate with a class.',
  },
];

/** Constructs that are too slow for loops over records. */
const slow = [
  {
    selector: 'ObjectExpression > Property[kind="get"]',
    message:
      'V8 keeps objects with accessors as dictionaries: each of their methods is looked up. Make it a method or a plain property.',
  },
];

export default defineConfig(
  { ignores: ['node_modules', 'dist', 'out', 'artefacts', '.cache', 'electron/native/build', 'test/samples'] },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  ts.configs.strictTypeChecked,
  svelte.configs.recommended,
  {
    languageOptions: {
      globals: globals.node,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname, extraFileExtensions: ['.svelte'] },
    },
    rules: practical,
  },
  {
    files: [
      'shared/**',
      ...['collections', 'flow', 'image', 'index', 'queries'].map((stage) => `electron/engine/${stage}/**`),
    ],
    // Requests read the state of the build once, never in a loop.
    ignores: ['electron/engine/index/ingest.ts'],
    rules: { 'no-restricted-syntax': ['error', ...slow] },
  },
  {
    // Regular expressions of the program take linear time on any input, also expressions that are built from constants.
    files: ['shared/**', 'electron/**', 'present/**', 'renderer/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      // A sticky expression tries one place only.
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: true, ignorePartial: false }],
    },
  },
  { files: ['renderer/**'], languageOptions: { globals: globals.browser } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser } },
    // `let { a, b = $bindable() } = $props()` is one declaration, though only some of its names change.
    rules: {
      'prefer-const': 'off',
      'svelte/prefer-const': ['error', { destructuring: 'all' }],
      // What is kept reactive is chosen, not assumed: large values and caches are plain on purpose.
      'svelte/prefer-svelte-reactivity': 'off',
      'no-restricted-syntax': ['error', ...blocked],
    },
  },
  {
    files: ['**/*.svelte'],
    // svelte-check judges these with the types of the markup; here an event or a snippet's argument is only `any`.
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // `document.execCommand('copy')` is deprecated, but nothing else copies without a permission.
    files: ['renderer/widgets/copying.ts'],
    rules: { '@typescript-eslint/no-deprecated': 'off' },
  },
  {
    files: ['test/**'],
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off', '@typescript-eslint/no-unsafe-member-access': 'off' },
  },
  { files: ['**/*.js', '**/*.mjs'], extends: [ts.configs.disableTypeChecked] },
);
