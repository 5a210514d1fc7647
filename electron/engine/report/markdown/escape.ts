/** Text as Markdown that shows just it. Of what could become HTML nothing is left, whoever renders it. */
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Within a line. */
export function inline(text: string): string {
  return (
    text
      .replaceAll(/[\\`*_[\]|~$]/g, String.raw`\$&`)
      .replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '')
      // Before a link it would make an image of that.
      .replace(/!$/, String.raw`\!`)
      .replaceAll('\n', ' ')
  );
}

/** A line of its own: nothing at its beginning makes it a heading, a list or a rule. */
export function ownLine(text: string): string {
  return inline(text.trimStart())
    .replace(/^([#+=:-])/, String.raw`\$1`)
    .replace(/^(\d{1,9})([.)])/, String.raw`$1\$2`);
}

/** In letters of equal width, where that is possible without a second thought. */
export function codeSpan(text: string): string {
  if (text === '') return '';
  return /[`|<>&\n]/.test(text) || text.trim() !== text ? inline(text) : `\`${text}\``;
}
