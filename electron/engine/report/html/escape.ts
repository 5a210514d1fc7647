/** Escapes text for HTML content and quoted attributes. */
const CODES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => CODES[character] ?? '');
}
