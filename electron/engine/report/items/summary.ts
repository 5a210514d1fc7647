/** Report part that summarises a trace in numbers. */
import { SUMMARY_NAME } from '../../../../present/text/part-names.ts';
import { KIND_LOOKS, occurring } from '../../../../present/base/kinds.ts';
import { counted, group } from '../../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { info } from '../../queries/info/info.ts';
import type { Trace } from '../../trace.ts';
import { code, type Block } from '../blocks.ts';
import { hasSymbols, IMAGE_FORMS } from '../../../../shared/requests/requests.ts';
import type { Item, SummaryData } from '../document.ts';
import { sourceOf } from '../sources.ts';
import { visible } from '../../../../shared/base/visible.ts';
import { shareText } from '../words.ts';

export function makeSummary(trace: Trace): Result<Item> {
  const found = info(trace);
  if (!found.ok) return found;
  const { records, kinds, native, time, address, images = [], diagnostics } = found.value;
  const source = sourceOf(trace, 'info', {});
  if (!source.ok) return source;
  const data: SummaryData = {
    records,
    kinds,
    native,
    ...(time === undefined ? {} : { time }),
    ...(address === undefined ? {} : { address }),
    images: images.map(({ form, machine, bits, endian, symbols, functions }) => ({
      form,
      ...(machine === undefined ? {} : { machine }),
      ...(bits === undefined ? {} : { bits }),
      ...(endian === undefined ? {} : { endian }),
      symbols,
      functions,
    })),
    diagnostics: diagnostics.reduce((sum, { count }) => sum + count, 0),
  };
  return ok({ kind: 'summary', title: SUMMARY_NAME, sources: [source.value], data });
}

export function summaryBlocks({ records, kinds, native, time, address, images, diagnostics }: SummaryData): Block[] {
  const list = occurring(kinds);
  const most = list[0]?.count ?? 0;
  const names = Object.entries(native).sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
  return [
    {
      block: 'facts',
      rows: [
        ['Records', group(records)],
        ...(time === undefined ? [] : [['Time', `${group(time.first)} to ${group(time.last)} ${time.unit}`] as const]),
        ...(address === undefined
          ? []
          : [
              ['Addresses', code(`${address.lowest} to ${address.highest}`)] as const,
              ...(address.pages === undefined ? [] : [['Accessed pages of 4 KiB', group(address.pages)] as const]),
            ]),
        ...images.map((image) => ['Image', imageText(image)] as const),
        ['Problems', diagnostics === 0 ? 'none' : counted(diagnostics, 'place')],
      ],
    },
    {
      block: 'table',
      caption: 'Records by kind',
      columns: [{ title: 'Kind' }, { title: 'Records', right: true }, { title: 'Share', right: true }],
      rows: list.map(({ kind, count }) => ({
        cells: [
          KIND_LOOKS[kind].label,
          { text: group(count), bar: most === 0 ? 0 : count / most },
          shareText(count, records),
        ],
      })),
    },
    ...(names.length === 0
      ? []
      : [
          {
            block: 'table',
            caption: 'Records by name in the format',
            columns: [{ title: 'Name' }, { title: 'Records', right: true }],
            rows: names.map(([name, count]) => ({ cells: [code(visible(name)), group(count)] })),
          } as const,
        ]),
  ];
}

function imageText({ form, machine, bits, endian, symbols, functions }: SummaryData['images'][number]): string {
  return [
    IMAGE_FORMS[form],
    ...(machine === undefined ? [] : [machine]),
    ...(bits === undefined ? [] : [`${String(bits)} bits`]),
    ...(endian === undefined ? [] : [`${endian}-endian`]),
    ...(!hasSymbols(form) ? [] : [`${counted(symbols, 'symbol')}, ${group(functions)} of functions`]),
  ].join(', ');
}
