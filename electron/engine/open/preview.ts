/** Answers the request `preview`: the first records of a file in a given format with given options. */
import path from 'node:path';
import type { Answer, Arguments } from '../../../shared/requests/requests.ts';
import { WHOLE_BYTES } from '../../../shared/format/format.ts';
import { formatById } from '../../../shared/formats/index.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { firstRecords } from './first-records.ts';
import { NO_IMAGES } from '../image/images.ts';
import { look } from './file-head.ts';
import { chooseByHead, noSuchFormat, tooLarge } from './open-trace.ts';
import { annotated } from '../queries/records/annotate.ts';
import { rowsByCode } from '../queries/info/diagnostics.ts';

export async function preview(args: Arguments<'preview'>): Promise<Result<Answer<'preview'>>> {
  const file = path.resolve(args.path);
  const looked = await look(file);
  if (!looked.ok) return looked;
  if (!looked.value.content.ok) return looked.value.content;
  const { where, head, source } = looked.value.content.value;
  try {
    const chosen = chooseByHead(head, where, args);
    if (!chosen.ok) return chosen;
    const opened = formatById(chosen.value.id)?.open(chosen.value.options) ?? noSuchFormat(chosen.value.id);
    if (!opened.ok) return opened;
    const decoder = opened.value;
    if (decoder.framing.kind === 'whole' && source.size > WHOLE_BYTES) return tooLarge(file, source.size);
    const first = firstRecords(source, decoder);
    if (!first.ok) return first;
    const { dialect, settings } = decoder;
    return ok({
      format: { ...chosen.value, ...(dialect === undefined ? {} : { dialect }), options: settings },
      records: await annotated(NO_IMAGES, decoder, first.value.records),
      diagnostics: rowsByCode(first.value.diagnostics, decoder.format),
    });
  } finally {
    source.close();
  }
}
