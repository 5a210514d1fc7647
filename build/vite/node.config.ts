// How the Node side is bundled: every entry and every chunk lies flat in dist/, because the engine finds its workers
// with `new URL('./engine-worker.js', import.meta.url)`, which may be evaluated in any chunk.
import { fileURLToPath } from 'node:url';
import type { InlineConfig } from 'vite';
import { builtins } from './builtins.ts';
import { sqlite } from './sqlite.ts';

const project = new URL('../../', import.meta.url);

/** Bundle name to source, relative to the project. */
const entries: Readonly<Record<string, string>> = {
  main: 'electron/main.ts',
  engine: 'electron/engine/engine.ts',
  'engine-worker': 'electron/engine/threads/engine-worker.ts',
};

/**
 * Entry modules of processes and threads. Each is one module with all its imports, because bindings of another chunk are loaded and checked
 * at every use. Modules that load on demand are separate, because parsing them would delay every start.
 */
const threads: Readonly<Record<string, string>> = {
  cli: 'electron/cli/main.ts',
  'decode-worker': 'electron/engine/threads/decode-worker.ts',
  'image-worker': 'electron/engine/threads/image-worker.ts',
  'sql-process': 'electron/engine/sql/sql-process.ts',
  'sql-worker': 'electron/engine/sql/sql-worker.ts',
};

/**
 * Scripts that `electron/kept-code.ts` loads, which keeps the code that V8 compiles for them. They are one module each, too. That of the
 * command line has all commands, because help loads all of them; what only some commands need is imported on demand.
 */
const scripts: Readonly<Record<string, { readonly path: string; readonly whole: RegExp }>> = {
  run: { path: 'electron/cli/run.ts', whole: /electron[\\/]cli[\\/]/ },
  'engine-thread': { path: 'electron/engine/threads/engine-thread.ts', whole: /[\\/]engine-thread\.ts$/ },
  'decode-thread': { path: 'electron/engine/threads/decode-thread.ts', whole: /[\\/]decode-thread\.ts$/ },
};

/** Modules that are found at run time: the desktop's own, and what loads a `.node` or `.wasm` file beside itself. */
const external = ['electron', '@alexaltea/capstone-js', '@resvg/resvg-wasm', /\.node$/];

/** Reading a property has no effect: exports of Node's modules that nothing uses are left out (`builtins.ts`). */
const treeshake = { propertyReadSideEffects: false } as const;

export function node(): InlineConfig {
  return {
    ...common,
    build: {
      ...common.build,
      emptyOutDir: true,
      rolldownOptions: {
        input: sources(entries),
        external,
        treeshake,
        output: modules,
      },
    },
  };
}

type Output = NonNullable<NonNullable<NonNullable<InlineConfig['build']>['rolldownOptions']>['output']>;

export function singles(): InlineConfig[] {
  return [
    ...Object.entries(threads).map(([name, path]) => single(name, path, modules)),
    ...Object.entries(scripts).map(([name, { path, whole }]) =>
      single(name, path, {
        ...asScripts,
        codeSplitting: { groups: [{ name, test: whole }] },
      }),
    ),
  ];
}

function single(name: string, path: string, output: Output): InlineConfig {
  return {
    ...common,
    build: {
      ...common.build,
      emptyOutDir: false,
      rolldownOptions: {
        input: sources({ [name]: path }),
        external,
        treeshake,
        output,
      },
    },
  };
}

/** With `topLevelVar`, which Vite sets, constants of modules become variables: looked up and checked at every use in a loop. */
const modules = {
  format: 'es',
  topLevelVar: false,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // V8 keeps a text with any other letter in two bytes for each letter.
  charset: 'ascii',
  // Modules without comments and white space are a third smaller, which saves the threads about 30 ms of loading at each start.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
} as const;

const asScripts = {
  ...modules,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  // Node warns of an `import()` in a script.
  dynamicImportInCjs: false,
} as const;

/** A sandboxed preload may not import: one CommonJS file. */
export function preload(): InlineConfig {
  return {
    ...common,
    build: {
      ...common.build,
      emptyOutDir: false,
      rolldownOptions: {
        input: sources({ preload: 'electron/preload.ts' }),
        external,
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  };
}

const common: InlineConfig = {
  configFile: false,
  logLevel: 'warn',
  root: fileURLToPath(project),
  publicDir: false,
  ssr: { noExternal: true, target: 'node' },
  plugins: [builtins(), sqlite()],
  build: {
    ssr: true,
    outDir: fileURLToPath(new URL('dist', project)),
    target: 'node24',
    minify: false,
    sourcemap: true,
    copyPublicDir: false,
  },
};

function sources(paths: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, fileURLToPath(new URL(path, project))]));
}
