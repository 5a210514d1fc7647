/** `formats`: the formats that can be read, with their options. */
import type { FormatSummary } from '../../../shared/requests/requests.ts';
import type { FormatOption } from '../../../shared/format/format.ts';
import { ok } from '../../../shared/base/result.ts';
import { command } from '../command.ts';
import { createTable } from '../print/table.ts';

export const formats = command({
  name: 'formats',
  text: 'The formats that can be read, with their options',
  trace: 'none',
  options: {},
  async run({ client, common, out, signal }) {
    const answer = await client.request('formats', {}, { signal });
    if (!answer.ok) return answer;
    if (common.json) {
      await out.json(answer.value.map(inOrder));
      return ok(undefined);
    }
    const formats = createTable<FormatSummary>(
      [
        { title: 'format', text: ({ id }) => id },
        { title: 'name', text: ({ name }) => name },
        { title: 'dialects', text: ({ dialects }) => dialects.join(' ') },
        { title: 'files', text: ({ extensions }) => extensions.map((ending) => `.${ending}`).join(' ') },
      ],
      out.colour,
    );
    const options = createTable<FormatOption & { readonly id: string }>(
      [
        { title: 'format', text: ({ id }) => id },
        { title: 'option', text: ({ name }) => name },
        { title: 'values', text: ({ values }) => (values.length === 0 ? 'any text' : values.join(', ')) },
        { title: 'default', text: (option) => option.default },
        { title: 'effect', text: ({ text }) => text },
      ],
      out.colour,
    );
    const all = answer.value.flatMap((format) => format.options.map((option) => ({ ...option, id: format.id })));
    await out.write(`${formats.lines(answer.value)}\n${options.lines(all)}`);
    return ok(undefined);
  },
});

function inOrder({ id, name, dialects, extensions, options }: FormatSummary): FormatSummary {
  const ordered = options.map((option) => ({
    name: option.name,
    values: option.values,
    default: option.default,
    text: option.text,
  }));
  return { id, name, dialects, extensions, options: ordered };
}
