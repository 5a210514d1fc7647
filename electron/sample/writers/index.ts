/** THE LIST of formats that `sample` writes. */
import type { SampleFormat } from '../writer.ts';
import { armtracer } from './armtracer.ts';
import { brstack } from './brstack.ts';
import { btm } from './btm.ts';
import { btmBinary } from './btm-binary.ts';
import { byu6 } from './byu6.ts';
import { byu6Ascii } from './byu6-ascii.ts';
import { byu12 } from './byu12.ts';
import { din } from './din.ts';
import { lackey } from './lackey.ts';
import { tarmac } from './tarmac.ts';
import { tarmacEs } from './tarmac-es.ts';
import { tarmacFastModels, tarmacGem5, tarmacRtl } from './tarmac-numbered.ts';
import { xscale } from './xscale.ts';

export const SAMPLE_FORMATS: readonly SampleFormat[] = [
  byu6,
  byu6Ascii,
  byu12,
  tarmac,
  tarmacFastModels,
  tarmacEs,
  tarmacGem5,
  tarmacRtl,
  armtracer,
  xscale,
  btm,
  btmBinary,
  lackey,
  brstack,
  din,
];
