/** Ids of the formats that samples can be made of, without their writers, which the help of `sample` need not load. */
export const SAMPLE_FORMAT_IDS = [
  'byu6',
  'byu6-ascii',
  'byu12',
  'tarmac',
  'tarmac-fastmodels',
  'tarmac-es',
  'tarmac-gem5',
  'tarmac-rtl',
  'armtracer',
  'xscale',
  'btm',
  'btm-binary',
  'lackey',
  'brstack',
  'din',
] as const;

export type SampleFormatId = (typeof SAMPLE_FORMAT_IDS)[number];
