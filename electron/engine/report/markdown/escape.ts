/** Escapes text so that Markdown shows it verbatim. Nothing remains that any renderer could treat as HTML. */
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes text within a line. */
export function inline(text: string): string {
  return (
    text
      .replaceAll(/[\\`*_[\]|~$]/g, String.raw`\$&`)
      .replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '')
      // A final exclamation mark before a link would turn the link into an image.
      .replace(/!$/, String.raw`\!`)
      .replaceAll('\n', ' ')
  );
}

/** Escapes text on a line of its own, so that its start does not form a heading, a list or a rule. */
export function ownLine(text: string): string {
  return inline(text.trimStart())
    .replace(/^([#+=:-])/, String.raw`\$1`)
    .replace(/^(\d{1,9})([.)])/, String.raw`$1\$2`);
}

/** Returns a code span if the text needs no escaping in it, or else escaped text. */
export function codeSpan(text: string): string {
  if (text === '') return '';
  return /[`|<>&\n]/.test(text) || text.trim() !== text ? inline(text) : `\`${text}\``;
}
