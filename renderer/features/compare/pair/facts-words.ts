/** Words about what a comparison counts, what it leaves out, and how sure it is. */
import { counted, group } from '../../../../shared/base/numbers.ts';
import type { Diff, Ignored } from '../../../../shared/requests/diff.ts';

export interface Fact {
  readonly text: string;
  /** The same with its reasons. */
  readonly title: string;
  readonly warns?: boolean;
}

/** @param isPartial the values are not compared yet */
export function factsOf(found: Diff, isPartial: boolean): readonly Fact[] {
  const { by, of, byProvedBranches = false, ends, ignored, withoutSymbol, notCompared, confirmed } = found;
  if (byProvedBranches)
    return [
      {
        text: `Compared by ${ends ?? 'branches'}`,
        title:
          ends === undefined
            ? 'The formats differ or are trace buffers, so the taken branches are compared that both traces prove'
            : `One of the traces shows only the ${ends} of branches, so only these are compared`,
      },
      {
        text: `${counted(notCompared, 'branch', 'branches')} not compared`,
        title: 'Only one of the traces proves what ran there, so it is no difference',
      },
    ];
  const facts: Fact[] = [];
  if (by === 'symbol')
    facts.push({
      text: 'By function',
      title:
        'Instructions are the same if they have the same place in the function of the same name. Values do not count.',
    });
  else if (by === 'path' && !isPartial && of === 'instructions')
    facts.push({ text: 'Values do not count', title: 'Only which instructions ran is compared' });
  if (withoutSymbol && withoutSymbol.a + withoutSymbol.b > 0)
    facts.push({
      text: `${counted(withoutSymbol.a, 'instruction')} of A and ${group(withoutSymbol.b)} of B by address`,
      title: 'They are outside of all symbols, so they were compared by their addresses',
    });
  if (ignored) facts.push(ignoredFact(ignored));
  if (ignored?.callsKnown === false)
    facts.push({
      text: 'Only their own code is ignored',
      title: 'The calls of a trace cannot be found, so what ignored functions call counts',
      warns: true,
    });
  facts.push(
    confirmed === 'decoded'
      ? { text: 'Every instruction was compared', title: 'Both traces were decoded, and no fingerprint was trusted' }
      : {
          text: 'Equal stretches by fingerprints',
          title:
            'Long stretches count as equal if their fingerprints of 64 bits are equal. Differences were seen in both traces. Options: compare every instruction.',
        },
  );
  return facts;
}

function ignoredFact({ registers, functions, ranges, instructionsA, instructionsB }: Ignored): Fact {
  const code = [...functions, ...ranges.map(({ low, high }) => (low === high ? low : `${low}-${high}`))];
  const all = [...registers, ...code].join(', ');
  if (code.length === 0) return { text: `Ignored: ${all}`, title: 'Values of these registers do not count' };
  return {
    text: `Ignored: ${all}: ${counted(instructionsA, 'instruction')} of A and ${group(instructionsB)} of B`,
    title: 'No row shows these instructions, and they are no difference',
  };
}
