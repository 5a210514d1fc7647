/** Facts about the report itself: its trace, and how to check it and make it again. */
import { bytes, counted } from '../../../shared/base/numbers.ts';
import { code, type Block, type Cell } from './blocks.ts';
import type { ImageIdentity, ReportDocument } from './document.ts';
import { steady, visible } from '../../../shared/base/visible.ts';
import { placeText, shellWord, timeText } from './words.ts';

type FactRow = readonly [name: string, value: string | Cell];

/** Returns the line under the title: the trace in short. Its name is left out if it is the title. */
export function underTitle({ trace, plan, made }: ReportDocument): readonly string[] {
  const name = visible(trace.name);
  const facts = [bytes(trace.bytes), trace.format.name, counted(trace.records, 'record'), `made ${timeText(made)}`];
  return name === steady(plan.title) ? facts : [name, ...facts];
}

/** Facts about the trace, or about the other one. */
export function identityRows({ trace, images }: Pick<ReportDocument, 'trace' | 'images'>): readonly FactRow[] {
  const { format, compressed } = trace;
  const options = Object.entries(format.options).map(([name, value]) => `${name}=${value}`);
  return [
    ['Trace', { text: visible(trace.name), foreign: true }],
    ['Size', counted(trace.bytes, 'byte')],
    ...(compressed === undefined
      ? []
      : [
          [
            'Compressed',
            `${compressed.as}, ${counted(compressed.bytes, 'byte')}; all other facts describe the expanded trace`,
          ] as const,
        ]),
    ...(trace.sha256 === undefined ? [['SHA-256', 'left out'] as const] : [['SHA-256', code(trace.sha256)] as const]),
    ['Format', `${format.name} (${[format.id, ...(format.dialect === undefined ? [] : [format.dialect])].join(', ')})`],
    ['Recognised because', { text: reasonText(format), foreign: true }],
    ...(options.length === 0 ? [] : [['Options', code(visible(options.join(' ')))] as const]),
    ...images.map((image): FactRow => ['Image', { text: imageText(image), foreign: true }]),
  ];
}

function reasonText({ confidence, reasons }: ReportDocument['trace']['format']): string {
  const share = `${String(Math.round(confidence * 100))} % sure`;
  return visible(reasons.length === 0 ? share : `${reasons.join('; ')} (${share})`);
}

function imageText(image: ImageIdentity): string {
  const { name, bytes, sha256, debug } = image;
  const more = debug === undefined ? '' : `, with the debug file ${visible(debug.name)}, SHA-256 ${debug.sha256}`;
  return `${visible(name)}, ${counted(bytes, 'byte')}${placeText(image)}, SHA-256 ${sha256}${more}`;
}

/** Returns the image in the form that `--image` accepts. */
function placedName({ name, shift, base }: ImageIdentity): string {
  return `${name}${shift === undefined ? '' : `@+${shift}`}${base === undefined ? '' : `@${base}`}`;
}

export function madeBlocks(document: ReportDocument): readonly Block[] {
  const { program, made, trace, images, other } = document;
  const against =
    other === undefined
      ? ''
      : ` --against ${shellWord(other.trace.name)}${other.images.map((image) => ` --image-b ${shellWord(placedName(image))}`).join('')}`;
  const chosen = Object.entries(trace.format.options).map(
    ([name, value]) => ` --option ${shellWord(`${name}=${value}`)}`,
  );
  const named = images.some(({ rawNames }) => rawNames === true) ? [' --raw-names'] : [];
  const shown = [...images.map((image) => ` --image ${shellWord(placedName(image))}`), ...named];
  const reading = visible(`--format ${trace.format.id}${chosen.join('')}${shown.join('')}`);
  return [
    {
      block: 'facts',
      rows: [
        ['Program', `Tracebench ${program}`],
        ['Time', timeText(made)],
        ['Verify with', code(visible(`tracebench verify REPORT ${shellWord(trace.name)}${shown.join('')}${against}`))],
        ['Options', code(reading)],
      ],
    },
    {
      block: 'say',
      text:
        'All figures, tables and numbers were computed from the trace by the questions listed under each part. Texts and notes were written by people. ' +
        `In the questions, TRACE stands for the file and the options above${other === undefined ? '' : ', OTHER for the other trace'}.`,
    },
  ];
}
