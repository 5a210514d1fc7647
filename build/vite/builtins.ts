/**
 * How the Node bundles reach Node's own modules. An `import` of one makes Node read all its properties, and some of them load more modules:
 * together a tenth of the time of a short command. `process.getBuiltinModule` reads nothing.
 */
import { isBuiltin } from 'node:module';
import type { Plugin } from 'vite';

/** Modules that take a millisecond or more to load and that not every run needs: the first call of one of their functions loads them. */
const RARE = new Set(['node:child_process', 'node:crypto', 'node:net', 'node:readline', 'node:v8', 'node:zlib']);

/** Mark the modules that this plugin writes: for an `import`, and for a `require` in a package. */
const IMPORTED = '\0imported:';
const REQUIRED = '\0required:';

/** Replaces the imports of Node's modules. */
export function builtins(): Plugin {
  return {
    name: 'builtins',
    enforce: 'pre',
    resolveId(source, _importer, { kind }) {
      if (!isBuiltin(source)) return undefined;
      const name = source.startsWith('node:') ? source : `node:${source}`;
      return `${kind === 'require-call' ? REQUIRED : IMPORTED}${name}`;
    },
    load(id) {
      if (id.startsWith(IMPORTED)) return { code: imported(id.slice(IMPORTED.length)), moduleSideEffects: false };
      if (id.startsWith(REQUIRED)) return `module.exports = ${loading(id.slice(REQUIRED.length))};`;
      return undefined;
    },
  };
}

function imported(name: string): string {
  const builtin = process.getBuiltinModule(name) as Readonly<Record<string, unknown>>;
  const exported = Object.keys(builtin).map((key) =>
    RARE.has(name) && isPlainFunction(key, builtin[key])
      ? `export const ${key} = (...args) => ${loading(name)}.${key}(...args);`
      : `export const ${key} = builtin.${key};`,
  );
  return [`const builtin = /* @__PURE__ */ ${loading(name)};`, 'export default builtin;', ...exported].join('\n');
}

/** Returns an expression. Versions of Node without the function get as far as the message that they are too old (`electron/cli/main.ts`). */
function loading(name: string): string {
  return `(process.getBuiltinModule ?? Object)('${name}')`;
}

/** False for classes, whose names begin with a capital letter. */
function isPlainFunction(name: string, value: unknown): boolean {
  return typeof value === 'function' && /^[a-z]/.test(name);
}
