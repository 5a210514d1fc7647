/**
 * The steps of a slice as graphs for Graphviz and Mermaid. Edges lead from a value to what it was made of, or in a forward answer to what was
 * made of it.
 */
import type { Why, WhyEdge, WhyStep, WhyUse } from '../../../shared/requests/why.ts';
import { turned } from '../../../shared/requests/answers/where-it-went.ts';
import { group } from '../../../shared/base/numbers.ts';
import { bytesText, copiedLines } from './why-text.ts';
import { printable } from './printable.ts';

/** A node for what was asked for, for each step, and for each end of a chain. */
interface Graph {
  readonly nodes: readonly { readonly id: string; readonly lines: readonly string[]; readonly isEnd: boolean }[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly label: string;
    readonly edge: WhyEdge;
  }[];
}

function graphOf(why: Why): Graph {
  const { of, at } = why;
  const { origin, steps } = why.forward === true ? turned(why) : why;
  const nodes: Graph['nodes'][number][] = [
    {
      id: 'value',
      lines: [bytesText(of), `${why.forward === true ? 'after' : 'at'} record ${group(at)}`],
      isEnd: false,
    },
    ...steps.map((step, index) => ({ id: `s${index}`, lines: labelOf(step), isEnd: false })),
  ];
  const edges: Graph['edges'][number][] = [];
  const add = (from: string, use: WhyUse): void => {
    const to = use.step === null ? `e${nodes.length}` : `s${use.step}`;
    if (use.step === null) nodes.push({ id: to, lines: [use.reason ?? 'unknown'], isEnd: true });
    edges.push({ from, to, label: bytesText(use), edge: use.edge });
  };
  for (const use of origin) add('value', use);
  for (const [index, { uses }] of steps.entries()) for (const use of uses) add(`s${index}`, use);
  return { nodes, edges };
}

function labelOf(step: WhyStep): readonly string[] {
  const { n, address, symbol, text, kind, defines } = step;
  return [
    `#${group(n)} ${[symbol ?? address, text].filter((part) => part !== undefined).join('  ')}`,
    `${defines.map(bytesText).join(', ')} (${kind})`,
    ...copiedLines(step),
  ];
}

const DOT_STYLES: Readonly<Record<WhyEdge, string>> = { data: 'solid', address: 'dashed', control: 'dotted' };

export function whyDot(why: Why): string {
  const { nodes, edges } = graphOf(why);
  return [
    'digraph why {',
    '  node [shape=box, fontname="monospace"];',
    ...nodes.map(({ id, lines, isEnd }) => `  ${id} [label=${quoted(lines)}${isEnd ? ', shape=plaintext' : ''}];`),
    ...edges.map(
      ({ from, to, label, edge }) => `  ${from} -> ${to} [label=${quoted([label])}, style=${DOT_STYLES[edge]}];`,
    ),
    '}',
    '',
  ].join('\n');
}

/** Returns a quoted string of the DOT language, with line breaks between the lines. */
function quoted(lines: readonly string[]): string {
  return `"${lines.map((line) => printable(line).replaceAll('\\', '\\\\').replaceAll('"', '\\"')).join('\\n')}"`;
}

const MERMAID_ARROWS: Readonly<Record<WhyEdge, string>> = { data: '-->', address: '-.->', control: '==>' };

export function whyMermaid(why: Why): string {
  const { nodes, edges } = graphOf(why);
  return [
    'flowchart TD',
    ...nodes.map(({ id, lines, isEnd }) => `  ${id}${isEnd ? `([${entities(lines)}])` : `[${entities(lines)}]`}`),
    ...edges.map(({ from, to, label, edge }) => `  ${from} ${MERMAID_ARROWS[edge]}|${entities([label])}| ${to}`),
    '',
  ].join('\n');
}

/** Returns quoted text in which characters that Mermaid or HTML read otherwise are entities. */
function entities(lines: readonly string[]): string {
  const plain = lines.map((line) => printable(line).replaceAll(/[&<>"#;`|]/g, (sign) => `#${sign.charCodeAt(0)};`));
  return `"${plain.join('<br/>')}"`;
}
