/** Facts about images for `info`: a line per image and per segment. */
import { hasSymbols, IMAGE_FORMS, type ImageFacts, type ImageMatch } from '../../../shared/requests/requests.ts';
import { bytes, group } from '../../../shared/base/numbers.ts';

export function imageFacts(
  images: readonly ImageFacts[] = [],
  matches: readonly ImageMatch[] = [],
): readonly (readonly [name: string, value: string])[] {
  return images.flatMap((image, i): (readonly [string, string])[] => [
    ['image', `${image.path} (${[...kindOf(image), ...contentOf(image)].join(', ')})`],
    ...(matches[i] === undefined ? [] : [['  match', matches[i].text] as const]),
    ...(image.debug === undefined ? [] : [['  debug file', image.debug] as const]),
    ...image.segments.map(segmentFact),
    ...(image.lines?.problems ?? []).map((problem): [string, string] => ['  problem', problem]),
  ]);
}

function kindOf({ form, machine, bits, endian, shift, mappedBy }: ImageFacts): readonly string[] {
  return [
    IMAGE_FORMS[form],
    ...(machine === undefined ? [] : [machine, `${bits} bits`, `${endian}-endian`]),
    ...(shift === undefined ? [] : [`moved by ${shift}`]),
    ...(mappedBy === undefined ? [] : [`as ${sourceOf(mappedBy)} says`]),
  ];
}

function sourceOf({ offset, record }: NonNullable<ImageFacts['mappedBy']>): string {
  return record === undefined ? `the line at byte ${group(offset)}` : `record ${group(record)}`;
}

function contentOf({ form, symbols, functions, lines }: ImageFacts): readonly string[] {
  if (!hasSymbols(form)) return [];
  return [
    `${counted(symbols, 'symbol')}, ${group(functions)} of functions`,
    ...(lines === undefined ? [] : [`${counted(lines.rows, 'line')} of ${counted(lines.files, 'file')}`]),
  ];
}

function counted(number: number, what: string): string {
  return `${group(number)} ${number === 1 ? what : `${what}s`}`;
}

function segmentFact({
  address,
  bytes: held,
  memory,
  flags,
}: ImageFacts['segments'][number]): readonly [string, string] {
  const more = memory === held ? '' : ` in the file, ${bytes(memory)} in memory`;
  return ['  segment', `${address}, ${bytes(held)}${more}${flags === undefined ? '' : `, ${flags}`}`];
}
