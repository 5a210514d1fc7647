/** The list of inference rules that test/bench/rules.ts measures matches the sources. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { RULES } from '../bench/rules/list.ts';

const FLOW = fileURLToPath(new URL('../../electron/engine/flow/', import.meta.url));

test.each(RULES)('the rule "$name" can be switched off', ({ file, without }) => {
  const source = readFileSync(FLOW + file, 'utf8');
  for (const [text] of without) expect(source.split(text), text).toHaveLength(2);
});
