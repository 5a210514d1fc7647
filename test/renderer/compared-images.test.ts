/** Program images of the trace that another one is compared with. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { fittingImages, imagesWords } from '../../renderer/trace/images-of-b.ts';
import { ok } from '../../shared/base/result.ts';
import type { Client, ImageMatch, ImagePlace, KeptTrace, RequestName } from '../../shared/requests/requests.ts';
import { startWorkbench } from './start-workbench.ts';

const program: ImagePlace = { path: '/program.elf' };
const moved: ImagePlace = { path: '/program.elf', shift: '0x1000' };
const names: ImagePlace = { path: '/names.txt' };

/** A trace whose engine has these verdicts on images, by their paths, and matches the program only at its moved place. */
function traceThat(verdicts: Readonly<Record<string, ImageMatch['verdict']>>) {
  const matchOf = ({ path, shift }: ImagePlace): Partial<ImageMatch> => {
    const verdict = shift === undefined ? (verdicts[path] ?? 'match') : 'match';
    const place = { path, shift: '0x1000' } as const;
    const move = verdict === 'elsewhere' && { moved: { place, checked: 10, matching: 10 } };
    return {
      evidence: 'opcodes',
      verdict,
      checked: 10,
      matching: 10,
      outside: 0,
      text: `${path}: ${verdict}`,
      ...move,
    };
  };
  const request = (_name: string, { images }: { readonly images: readonly ImagePlace[] }) =>
    Promise.resolve(ok({ images: images.map(matchOf) }));
  return { id: 'b', client: { request } as unknown as Client };
}

describe('images of trace A for trace B', () => {
  test('are kept if they are the program of B', async () => {
    expect(await fittingImages(traceThat({}), [program, names])).toEqual({ images: [program, names] });
  });

  test('are moved to where B executed them', async () => {
    expect(await fittingImages(traceThat({ '/program.elf': 'elsewhere' }), [names, program])).toEqual({
      images: [names, moved],
    });
  });

  test('are dropped if they are another build, with the reason', async () => {
    expect(await fittingImages(traceThat({ '/program.elf': 'other-build' }), [program, names])).toEqual({
      images: [names],
      refusal: '/program.elf: other-build',
    });
  });

  test('are named with what they have in common with those of A', () => {
    const textOf = (b: readonly ImagePlace[] | undefined, refusal: string | null = null) =>
      imagesWords([program], b, refusal)?.text;
    expect(textOf([program])).toBe('Program of B: program.elf, the same as A');
    expect(textOf([moved])).toBe('Program of B: program.elf, at another address than in A');
    expect(textOf([names])).toBe('Program of B: names.txt');
    expect(textOf(undefined)).toBe('B has no program image, so its functions have no names');
    expect(textOf(undefined, 'It is another build.')).toBe(
      'B has no program image: that of A does not fit. It is another build.',
    );
    expect(imagesWords(undefined, undefined, null)).toBeUndefined();
  });
});

describe('a trace that is opened for a comparison', () => {
  beforeEach(() => {
    const storage = { getItem: () => null, setItem: () => undefined };
    vi.stubGlobal('localStorage', storage);
    vi.stubGlobal('sessionStorage', storage);
    vi.stubGlobal('document', { visibilityState: 'visible', addEventListener: () => undefined });
  });

  /** Returns the images that B has after it was opened with those of A as the default. */
  async function imagesWhen(kept?: Partial<KeptTrace>, isOpen = false): Promise<readonly ImagePlace[] | undefined> {
    const format = { id: 'byu6', name: 'BYU', confidence: 1, reasons: [], options: {} };
    const request = (name: RequestName, { path = '' }: { readonly path?: string }): unknown => {
      if (name === 'open')
        return ok({
          trace: path,
          file: { path, bytes: 1 },
          format,
          notices: [],
          reach: { records: 1, bytes: 1, complete: true },
        });
      if (name === 'kept') return ok({ traces: kept ? [{ path: '/b', state: 'same', ...kept }] : [], problems: [] });
      if (name === 'detect')
        return ok({
          file: { path, bytes: 1 },
          candidates: [{ format: 'byu6', confidence: 1, reasons: [], preview: [] }],
        });
      return { ok: false, error: { code: 'not-asked', message: `${name} is not part of this test` } };
    };
    const client = { request: (name: RequestName, args: object) => Promise.resolve(request(name, args)) };
    const workbench = startWorkbench(client as unknown as Client);
    if (isOpen) await workbench.open({ path: '/b' });
    return (await workbench.openBeside({ path: '/b' }, [program]))?.source.images;
  }

  test('has the default images, unless it was left with its own', async () => {
    expect(await imagesWhen()).toEqual([program]);
    expect(await imagesWhen({})).toEqual([program]);
    expect(await imagesWhen({ images: [names] })).toEqual([names]);
  });

  test('stays as it is if it is open', async () => {
    expect(await imagesWhen(undefined, true)).toBeUndefined();
  });
});
