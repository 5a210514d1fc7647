// Measures searches of a whole trace: they count all matches, so no search ends early.
import type { Client, Criteria } from '../../shared/requests/requests.ts';

export interface SearchSpeed {
  readonly search: string;
  readonly found: number;
  /** Milliseconds of each run. */
  readonly seconds: readonly number[];
}

const TIMES = 3;

const SEARCHES: Readonly<Record<string, Criteria>> = {
  'text that is nowhere': { text: 'zzzqqq' },
  'a word': { text: 'svc #0x10' },
  'a choice of words': { text: 'blx|bxeq|mcr' },
  'a class': { text: 'r1[0-5] 0000zz' },
  'repetitions, for which backtracking is slow': { text: '[0-9a-f]{8} [xyz]' },
  'a value that is nowhere': { value: '0xdeadbeef' },
  'two bytes anywhere in what is moved or set': { value: '0xbeef', width: 2 },
  'a register': { register: 'r13' },
};

export async function searchSpeeds(client: Client, trace: string): Promise<readonly SearchSpeed[]> {
  const speeds: SearchSpeed[] = [];
  for (const [search, criteria] of Object.entries(SEARCHES)) {
    const seconds: number[] = [];
    let found = 0;
    for (let k = 0; k < TIMES; k++) {
      const started = performance.now();
      const answer = await client.request('findAll', { trace, ...criteria });
      if (!answer.ok) throw new Error(`${search}: ${answer.error.message}`);
      seconds.push((performance.now() - started) / 1000);
      found = answer.value.found;
    }
    speeds.push({ search, found, seconds });
  }
  return speeds;
}
