/**
 * The same question has the same answer at every moment: while the index is built, as far as the answer's reach is the same, when it is
 * complete, after opening again, and while other requests and another trace keep the threads busy. The nightly run asks each question
 * often enough that every request is answered 10,000 times.
 */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import { SAMPLE_FORMAT_IDS, sample } from '../../electron/sample/sample.ts';
import type { Arguments } from '../../shared/requests/requests.ts';
import { createRandom } from '../laws/random.ts';
import { NIGHTLY, rounds } from '../short-form.ts';
import { ask } from './ask.ts';
import { factsOf, LONG } from './moment-questions.ts';
import { askAtOnce, askInTurn, createAnswers, ofRound, questionsAbout, textOf } from './moments.ts';
import { nastyTarmac, scratch } from './traces.ts';

const FORMATS = NIGHTLY ? SAMPLE_FORMAT_IDS : ['xscale'];
/** Builds of each trace, and rounds of questions in each. */
const BUILDS = rounds(1, 4);
/** Per trace, this is a tenth of the number of rounds. */
const ROUNDS = rounds(1, 64);
const place = scratch();
/** Number of answers of each request, over all formats. */
const answered = new Map<string, number>();
let engine: Engine;

beforeAll(() => {
  engine = startEngine({ indexDirectory: path.join(place.folder, 'index'), jobs: 2, blockBytes: 600 });
});

afterAll(async () => {
  await engine.close();
  place.dispose();
  if (NIGHTLY) console.log(`answers: ${[...answered].map(([name, count]) => `${name} ${String(count)}`).join(', ')}`);
});

test.each([...FORMATS, 'hostile'])('%s: answers do not depend on the moment', async (format) => {
  const file = path.join(place.folder, `${format}.trace`);
  if (format === 'hostile') place.file('hostile.trace', nastyTarmac(600, 21));
  else
    await sample({ format, size: rounds(2000, 12_000), path: file, seed: 5, locality: 'spread' }).then((made) =>
      expect(made).toMatchObject({ ok: true }),
    );
  const symbols = place.file('program.nm', '00008000 T main\n00009000 T _ZN1a1bEv\nfffffffffffffff0 T last\n');
  const raw = place.file('program.bin', new Uint8Array(4096).fill(0xe1));
  const images = [{ path: symbols }, { path: raw, base: '0x8000' }] as const;
  const open = {
    path: file,
    ...(format === 'hostile' ? { format: 'tarmac', options: { dialect: 'qemu4v' } } : {}),
    images,
    notebook: path.join(place.folder, `${format}.notes`),
  };
  const random = createRandom(7);
  const answers = createAnswers(format);

  const first = await ask(engine, 'open', open);
  const { records } = await ask(engine, 'index', { trace: first.trace });
  const put = [
    { id: 'n1', title: 'T', text: '', colour: 'red', tags: [], place: { n: 1, address: '0x8000' } },
  ] as const;
  await ask(engine, 'changeNotebook', { trace: first.trace, put });
  const facts = await factsOf(engine, first.trace, file, images);
  const once = questionsAbout(facts, first.trace);
  await askInTurn(engine, answers, NIGHTLY ? once : ofRound(once, 0), 'complete');
  for (let round = 0; round < ROUNDS; round++) {
    await askAtOnce(engine, answers, ofRound(once, round), 'complete, several questions at once', random);
  }
  const load = keepBusy(engine);
  for (let round = 0; round < ROUNDS; round++)
    await askAtOnce(engine, answers, ofRound(once, round), 'complete, under load', random);
  await load.end();
  await ask(engine, 'close', { trace: first.trace });

  for (let build = 0; build < BUILDS; build++) {
    const own = { ...open, indexDirectory: path.join(place.folder, `${format}-${String(build)}`) };
    const opened = await ask(engine, 'open', own);
    const { trace } = opened;
    const questions = questionsAbout(facts, trace);
    await askInTurn(engine, answers, NIGHTLY ? questions : ofRound(questions, 0), 'building, nothing indexed');
    if (build % 2 === 0) {
      for (const share of [0.2, 0.6]) {
        const until = { records: Math.ceil(records * share) };
        await ask(engine, 'index', { trace, until });
        const paused = `paused in build ${String(build)} after ${String((await ask(engine, 'info', { trace })).records)} records`;
        for (let round = 0; round < rounds(1, 3); round++)
          await askAtOnce(engine, answers, ofRound(questions, round), paused, random);
      }
    }
    const built = { yet: false };
    const building = ask(engine, 'index', { trace }).then((report) => {
      built.yet = true;
      expect(report.records).toBe(records);
    });
    // All at once: the index grows while they are answered.
    await Promise.all(
      (NIGHTLY ? questions : ofRound(questions, 0))
        .filter(({ name }) => LONG.has(name))
        .map((question) => answers.ask(engine, question, 'building')),
    );
    while (!built.yet)
      await askAtOnce(engine, answers, sampled(NIGHTLY ? questions : ofRound(questions, 0), 40), 'building', random);
    await building;
    await answers.checkParts(engine, trace);
    for (let round = 0; round < ROUNDS; round++)
      await askInTurn(engine, answers, ofRound(questions, round), 'complete, just built');
    await ask(engine, 'close', { trace });

    const again = await ask(engine, 'open', own);
    expect(textOf({ ...again, reach: undefined })).toBe(textOf({ ...opened, reach: undefined }));
    const reopened = questionsAbout(facts, again.trace);
    for (let round = 0; round < ROUNDS; round++)
      await askAtOnce(engine, answers, ofRound(reopened, round), 'opened again', random);
    await ask(engine, 'close', { trace: again.trace });
  }
  if (NIGHTLY) console.log(`${format}: ${String([...answers.answered.values()].reduce((a, b) => a + b, 0))} answers`);
  for (const [name, count] of answers.answered) answered.set(name, (answered.get(name) ?? 0) + count);
  expect(answers.differences.join('\n')).toBe('');

  function sampled<T>(all: readonly T[], count: number): readonly T[] {
    return Array.from({ length: count }, () => all[random.below(all.length)]!);
  }
});

/** Indexes another trace again and again, and asks for it what takes the pool long. */
function keepBusy(busy: Engine): { end(): Promise<void> } {
  const state = { wanted: true };
  const work = async (): Promise<void> => {
    const file = place.file('busy.trace', nastyTarmac(rounds(1000, 4000), 3));
    const open: Arguments<'open'> = { path: file, format: 'tarmac', options: { dialect: 'qemu4v' } };
    const { trace } = await ask(busy, 'open', open);
    while (state.wanted) {
      const built = ask(busy, 'index', { trace, rebuild: true });
      await Promise.all([
        built,
        busy.request('findAll', { trace, text: '(?=e)e1a0+' }),
        busy.request('heat', { trace, columns: 100, rows: 100, precision: 'even' }),
      ]);
      await ask(busy, 'heat', { trace, columns: 100, rows: 100, precision: 'even' });
      await ask(busy, 'findAll', { trace, text: 'R r.*7' });
    }
    await ask(busy, 'close', { trace });
  };
  const working = work();
  return {
    async end() {
      state.wanted = false;
      await working;
    },
  };
}
