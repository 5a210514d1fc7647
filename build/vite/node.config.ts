// How the Node side is bundled: every entry and every chunk lies flat in dist/, because the engine finds its workers
// with `new URL('./engine-worker.js', import.meta.url)`, which may be evaluated in any chunk.
import { fileURLToPath } from 'node:url';
import type { InlineConfig } from 'vite';

const project = new URL('../../', import.meta.url);

/** Bundle name to source, relative to the project. */
const entries: Readonly<Record<string, string>> = {
  main: 'electron/main.ts',
  engine: 'electron/engine/engine.ts',
  'engine-worker': 'electron/engine/threads/engine-worker.ts',
};

/**
 * Threads. Each is one module with all its imports, because bindings of another chunk are loaded and checked at every use.
 * Modules that load on demand are separate, because parsing them would delay every start.
 */
const threads: Readonly<Record<string, string>> = {
  'engine-thread': 'electron/engine/threads/engine-thread.ts',
  'decode-worker': 'electron/engine/threads/decode-worker.ts',
  'image-worker': 'electron/engine/threads/image-worker.ts',
  'sql-process': 'electron/engine/sql/sql-process.ts',
  'sql-worker': 'electron/engine/sql/sql-worker.ts',
};

/** Modules that are found at run time: the desktop's own, and what loads a `.node` or `.wasm` file beside itself. */
const external = ['electron', 'better-sqlite3', '@alexaltea/capstone-js', '@resvg/resvg-wasm', /\.node$/, /^node:/];

export function node(): InlineConfig {
  return {
    ...common,
    build: {
      ...common.build,
      emptyOutDir: true,
      rolldownOptions: {
        input: sources(entries),
        external,
        output: modules,
      },
    },
  };
}

/** Modules of a process that leaves its command to a session. */
const START =
  /electron[\\/](program|cli[\\/](last-words|surroundings|session[\\/](delegate|delegation|place|socket|socket-port)))\.ts$/;

/**
 * The command line: what every process loads, and one module with all commands. A module each costs a millisecond, and help loads all of
 * them. What only some commands need is imported on demand.
 */
export function cli(): InlineConfig {
  return {
    ...common,
    build: {
      ...common.build,
      emptyOutDir: false,
      rolldownOptions: {
        input: sources({ cli: 'electron/cli/main.ts' }),
        external,
        output: {
          ...modules,
          codeSplitting: {
            groups: [
              { name: 'start', test: START, priority: 1 },
              { name: 'commands', test: /electron[\\/]cli[\\/](?!main)/ },
            ],
          },
        },
      },
    },
  };
}

export function singles(): InlineConfig[] {
  return Object.entries(threads).map(([name, path]) => ({
    ...common,
    build: {
      ...common.build,
      emptyOutDir: false,
      rolldownOptions: {
        input: sources({ [name]: path }),
        external,
        output: { ...modules, codeSplitting: { groups: [{ name, test: new RegExp(`[\\\\/]${name}\\.ts$`) }] } },
      },
    },
  }));
}

/** With `topLevelVar`, which Vite sets, constants of modules become variables: looked up and checked at every use in a loop. */
const modules = {
  format: 'es',
  topLevelVar: false,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // Modules without comments and white space are a third smaller, which saves the threads about 30 ms of loading at each start.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
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
