/** What would a file look like if it were opened as this format with these options? */
import path from 'node:path';
import type { Answer, Arguments } from '../../shared/api.ts';
import { WHOLE_BYTES } from '../../shared/format.ts';
import { formatById } from '../../shared/formats/index.ts';
import { ok, type Result } from '../../shared/result.ts';
import { firstRecords } from './first-records.ts';
import { chooseFormat, noSuchFormat, tooLarge } from './open-trace.ts';
import { diagnosticRows } from './queries/diagnostics.ts';
import { openSource } from './source.ts';

export function preview(args: Arguments<'preview'>): Result<Answer<'preview'>> {
  const file = path.resolve(args.path);
  const chosen = chooseFormat(file, args);
  if (!chosen.ok) return chosen;
  const opened = formatById(chosen.value.id)?.open(chosen.value.options) ?? noSuchFormat(chosen.value.id);
  if (!opened.ok) return opened;
  const decoder = opened.value;
  const source = openSource(file);
  if (!source.ok) return source;
  try {
    if (decoder.framing.kind === 'whole' && source.value.size > WHOLE_BYTES) return tooLarge(file, source.value.size);
    const first = firstRecords(source.value, decoder);
    if (!first.ok) return first;
    const { dialect, settings } = decoder;
    return ok({
      format: { ...chosen.value, ...(dialect === undefined ? {} : { dialect }), options: settings },
      records: first.value.records,
      diagnostics: diagnosticRows(first.value.diagnostics, decoder.format),
    });
  } finally {
    source.value.close();
  }
}
