// Names of functions in address fields of the page.
import { expect, test } from 'vitest';
import type { Client, NamedSymbol } from '../../shared/requests/requests.ts';
import { ok } from '../../shared/base/result.ts';
import { addressOfSymbol } from '../../renderer/trace/symbols.ts';

const CPP: NamedSymbol = { name: 'app::work(int)', symbol: '_ZN3app4workEi', kind: 'function', address: '0x800c' };
const RUST: NamedSymbol = {
  name: 'crate::app::work',
  symbol: '_RNvNtC5crate3app4work',
  kind: 'function',
  address: '0x8010',
};

/** Answers `symbols` with the first list and `symbolsNamed` with the second. */
function traceWith(like: readonly NamedSymbol[], named: readonly NamedSymbol[]) {
  const request = (name: string) => Promise.resolve(ok({ symbols: name === 'symbols' ? like : named, left: 0 }));
  return { id: 't', client: { request } as unknown as Client };
}

test.each([
  ['a demangled name', 'app::work(int)', [CPP], []],
  ['a raw name', '_ZN3app4workEi', [CPP], []],
  ['a name without parameters', 'app::work', [CPP], [CPP]],
])('resolves %s', async (_, text, like, named) => {
  expect(await addressOfSymbol(traceWith(like, named), { text, offset: 4n })).toEqual(ok(0x8010n));
});

test('refuses a name that several functions have, with the candidates', async () => {
  const answer = await addressOfSymbol(traceWith([CPP], [CPP, RUST]), { text: 'work', offset: 0n });
  expect(answer).toMatchObject({
    error: {
      message:
        'Several symbols are called work: app::work(int) at 0x800c, crate::app::work at 0x8010. Type the whole name or the address.',
    },
  });
});

test('returns null if no symbol has the name', async () => {
  expect(await addressOfSymbol(traceWith([CPP], []), { text: 'wor', offset: 0n })).toEqual(ok(null));
});
