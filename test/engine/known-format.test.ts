// The choice of a format is kept beside the index, and is made again if what it rests on or the kept file has changed.
import fs from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
afterAll(() => {
  place.dispose();
});

test('a kept choice is used for the same head only, and one that is damaged or of another program is replaced', async () => {
  const engine = sharedEngine();
  const indexDirectory = path.join(place.folder, 'indexes');
  fs.mkdirSync(indexDirectory);
  const open = async (file: string): Promise<string> => {
    const { trace, format } = await ask(engine, 'open', { path: file, indexDirectory });
    await ask(engine, 'close', { trace });
    return format.id;
  };
  const kept = (): string[] => fs.readdirSync(indexDirectory).filter((name) => name.endsWith('.format'));

  const din = place.file('a.trace', '0 1000\n1 1004\n2 1008\n'.repeat(20));
  expect(await open(din)).toBe('din');
  const [name = ''] = kept();
  const choice = path.join(indexDirectory, name);
  const written = fs.readFileSync(choice, 'utf8');
  expect(written).toContain('"id":"din"');

  fs.writeFileSync(choice, written.replace('"id":"din"', '"id":"lackey"'));
  expect(await open(din)).toBe('din');
  expect(fs.readFileSync(choice, 'utf8')).toBe(written);

  const { program, chosen } = JSON.parse(written.slice(written.indexOf(' ') + 1)) as {
    program: number;
    chosen: object;
  };
  const other = JSON.stringify({ program: program + 1, chosen: { ...chosen, id: 'lackey' } });
  fs.writeFileSync(choice, `${crc32(other)} ${other}`);
  expect(await open(din)).toBe('din');
  expect(fs.readFileSync(choice, 'utf8')).toBe(written);

  const lackey = place.file('a.trace', 'I  04000000,4\n L 1ffe8000,8\n'.repeat(20));
  expect(await open(lackey)).toBe('lackey');
  expect(kept()).toHaveLength(2);
});
