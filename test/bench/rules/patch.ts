/**
 * Switches a rule off in each thread of a process: preloaded, it patches the rule's source as it is loaded. The version of
 * stored results is patched too, so that none is taken from an index of another run.
 */
import fs from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { RULES, WITHOUT, type Rule } from './list.ts';

const number = RULES.findIndex(({ name }) => name === process.env[WITHOUT]);
const rule = RULES[number];
if (rule !== undefined) patchOnLoad(rule);

function patchOnLoad({ name, file, without }: Rule): void {
  const version: Rule['without'] = [['const VERSION = ', `const VERSION = -${number + 1} * `]];
  const patches = new Map([
    [urlOf('whole-trace.ts'), version],
    [urlOf(file), without],
  ]);
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const changes = patches.get(url);
      if (changes === undefined) return loaded;
      let source = fs.readFileSync(fileURLToPath(url), 'utf8');
      for (const [text, replacement] of changes) {
        if (source.split(text).length !== 2)
          throw new Error(`${name}: this text does not occur exactly once in its file: ${text}`);
        source = source.replace(text, () => replacement);
      }
      return { ...loaded, source };
    },
  });
}

function urlOf(file: string): string {
  return new URL(`../../../electron/engine/flow/${file}`, import.meta.url).href;
}
