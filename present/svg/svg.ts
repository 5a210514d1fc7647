/**
 * SVG as text: elements with their attributes in the order in which they are given, numbers with two decimals at most, and
 * every text made harmless. Looks are attributes, never styles: a page that forbids styles shows them all the same. The same
 * arguments give the same bytes.
 */
import { visible } from '../../shared/base/visible.ts';

export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** `<name a="1">content</name>`; content is SVG already. Attributes that are undefined are left out. */
export function element(name: string, attributes: Attributes, ...content: readonly string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? fixed(value) : escaped(String(value))}"`)
    .join('');
  const inner = content.join('');
  return inner === '' ? `<${name}${written}/>` : `<${name}${written}>${inner}</${name}>`;
}

/**
 * Text as content of an element or value of an attribute. What cannot be seen stands as its name: it does nothing, and XML has a
 * place for the rest.
 */
export function escaped(text: string): string {
  return visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** `12.5`, `3`, never `-0` and never an exponent. */
export function fixed(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return String(rounded === 0 ? 0 : rounded);
}
