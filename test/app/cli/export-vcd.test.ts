// `export --to vcd`, read by a small reader written from the standard (IEEE 1364), compared with the answers of other commands.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BYU, cli, folder, json, TARMAC, traceOf } from './driver.ts';

interface Dump {
  /** Returns the bits of a signal at a time, extended to its width. */
  at(signal: string, time: number): string;
  readonly signals: readonly string[];
  readonly end: number;
}

function readVcd(text: string): Dump {
  const tokens = text.split(/\s+/).filter((token) => token !== '');
  const names = new Map<string, { name: string; width: number }>();
  const values = new Map<string, { time: number; bits: string }[]>();
  const scopes: string[] = [];
  let time = 0;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token.startsWith('$')) {
      const words: string[] = [];
      if (token === '$end') continue;
      while (tokens[++at] !== '$end') words.push(tokens[at]!);
      if (token === '$scope') scopes.push(words[1]!);
      if (token === '$upscope') scopes.pop();
      if (token === '$var') names.set(words[2]!, { name: [...scopes, words[3]!].join('.'), width: Number(words[1]) });
    } else if (token.startsWith('#')) {
      expect(Number(token.slice(1))).toBeGreaterThanOrEqual(time);
      time = Number(token.slice(1));
    } else {
      const [, bits = ''] = /^b([01xz]+)$/.exec(token) ?? [];
      const { name, width } = names.get(tokens[++at]!)!;
      expect(bits.length).toBeLessThanOrEqual(width);
      values.set(name, [
        ...(values.get(name) ?? []),
        { time, bits: bits.padStart(width, bits.startsWith('1') ? '0' : bits.charAt(0)) },
      ]);
    }
  }
  return {
    at: (signal, when) => values.get(signal)?.findLast((value) => value.time <= when)?.bits ?? 'x',
    signals: [...names.values()].map(({ name }) => name),
    end: time,
  };
}

async function dump(trace: string, ...args: readonly string[]): Promise<Dump> {
  const output = join(folder, 'out.vcd');
  const { code, stderr } = await cli(['export', trace, '--to', 'vcd', '-o', output, ...args]);
  expect([code, stderr]).toEqual([0, '']);
  return readVcd(readFileSync(output, 'utf8'));
}

test('has the values of all registers, of memory and the depth at every record', async () => {
  for (const trace of [TARMAC, traceOf('tarmac/a64-values')]) {
    const vcd = await dump(trace);
    for (let at = 0; at < vcd.end; at += Math.ceil(vcd.end / 12)) {
      const file = (await json(['registers', trace, '--at', String(at)])) as {
        cpu?: number;
        registers: Record<string, { value: string }>;
      };
      const scope = file.cpu === undefined ? 'cpu' : `cpu${String(file.cpu)}`;
      for (const [name, { value }] of Object.entries(file.registers))
        expect([at, name, BigInt(`0b${vcd.at(`${scope}.${name}`, at)}`)]).toEqual([at, name, BigInt(value)]);
      for (const signal of vcd.signals.filter((its) => its.startsWith(`${scope}.`) && !its.endsWith('call_depth')))
        if (!(signal.slice(scope.length + 1) in file.registers)) expect(vcd.at(signal, at)).toMatch(/^x+$/);
    }
  }
});

test('has memory with unknown bytes, starting in the middle', async () => {
  const writes = (await cli(['find', TARMAC, '--kind', 'write', '--limit', '2', '--json'])).stdout.trim().split('\n');
  const { n, address } = JSON.parse(writes[1]!) as { n: number; address: string };
  const low = BigInt(address) - 2n;
  const span = `0x${low.toString(16)}-0x${(low + 7n).toString(16)}`;
  const vcd = await dump(TARMAC, '--address', span, '--depth', '--from', String(n - 1), '--to', String(n + 2));
  for (const at of [n - 1, n, n + 1]) {
    const view = (await json([
      'memory',
      TARMAC,
      '--at',
      String(at),
      '--address',
      `0x${low.toString(16)}`,
      '--length',
      '8',
    ])) as { bytes: string };
    const bytes = view.bytes.match(/../g)!.reverse();
    const bits = bytes.map((byte) =>
      byte === '??' ? 'x'.repeat(8) : Number.parseInt(byte, 16).toString(2).padStart(8, '0'),
    );
    expect(vcd.at(`memory.${span}`, at)).toBe(bits.join(''));
  }
});

test('says that a trace without registers and flow has nothing to show', async () => {
  const { code, stderr } = await cli(['export', BYU, '--to', 'vcd', '-o', join(folder, 'x.vcd')]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/no registers and no call depth/)]);
});
