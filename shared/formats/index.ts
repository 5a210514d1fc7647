/** THE LIST of trace formats, in order of detection. */
import type { Format } from '../format/format.ts';
import { armtracer } from './armtracer/armtracer.ts';
import { brstack } from './brstack/brstack.ts';
import { btm } from './btm/btm.ts';
import { byu6 } from './byu6/byu6.ts';
import { byu12 } from './byu12/byu12.ts';
import { din } from './din/din.ts';
import { lackey } from './lackey/lackey.ts';
import { tarmac } from './tarmac/tarmac.ts';
import { xscale } from './xscale/xscale.ts';

export const FORMATS: readonly Format[] = [byu6, byu12, tarmac, armtracer, xscale, btm, lackey, brstack, din];

export function formatById(id: string): Format | undefined {
  return FORMATS.find((format) => format.id === id);
}
