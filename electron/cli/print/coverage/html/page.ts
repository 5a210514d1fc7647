/**
 * Coverage as one HTML file without scripts that fetches nothing: a tree of folders, files and functions with bars, then the source lines
 * with their counts.
 */
import type { Coverage, CoveredFunction, Share } from '../../../../../shared/requests/answers/coverage.ts';
import { counted, group } from '../../../../../shared/base/numbers.ts';
import { escaped } from '../../markup.ts';
import type { Written } from '../document.ts';
import { branchesShare, filesOf, linesShare, type FileCode } from '../files.ts';
import { percent } from '../tables.ts';
import { folderTree, type Folder } from './folders.ts';
import { sourceHtml } from './source.ts';
import { STYLE } from './style.ts';

export interface PageSettings extends Written {
  /** Lines of the source files that were found, by path. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
  /** Names of the traces, and of those whose code is left out. */
  readonly traces: readonly string[];
  readonly others: readonly string[];
  readonly version: string;
}

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function pageOf(coverage: Coverage, settings: PageSettings): string {
  const { traces, others, version, sources } = settings;
  const files = filesOf(coverage, settings);
  const title = `Coverage of ${traces.join(', ')}`;
  const without = others.length === 0 ? '' : ` without the code that ${others.join(', ')} ran`;
  const numbers = new Map(files.map((file, at) => [file, at + 1]));
  const numberOf = (file: FileCode): number => numbers.get(file)!;
  const lone = coverage.functions.filter(({ file, instructions }) => file === undefined && instructions.total > 0);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Tracebench ${escaped(version)}">
<title>${escaped(title)}</title>
<style>
${STYLE}</style>
</head>
<body>
<a class="skip" href="#code">Skip to the code</a>
<header>
<p class="eyebrow">Coverage</p>
<h1 dir="auto">${escaped(traces.join(', '))}</h1>
${without === '' ? '' : `<p class="under" dir="auto">${escaped(without.trim())}</p>\n`}<dl class="totals">
${totalsHtml(coverage)}
</dl>
${coverage.notes.map((note) => `<p class="note">${escaped(note)}</p>\n`).join('')}</header>
<main id="code">
<section>
<h2>Files and functions</h2>
<div class="tree">
<div class="row head"><span>Name</span><span>Lines</span><span>Instructions</span><span>Branches</span><span>Entered</span></div>
${folderTree(files)
  .map((folder) => folderHtml(folder, coverage, numberOf))
  .join('')}${loneHtml(lone)}</div>
</section>
${files.map((file) => fileHtml(file, numberOf(file), sources.get(file.path))).join('')}</main>
</body>
</html>
`;
}

function totalsHtml({ totals }: Coverage): string {
  const cell = (name: string, share: Share): string =>
    `<div><dt>${name}</dt><dd>${share.total === 0 ? '–' : percent(share.covered, share.total)}</dd>` +
    `${meter(share)}<p>${group(share.covered)} of ${group(share.total)}</p></div>`;
  return [
    cell('Functions', totals.functions),
    cell('Lines', totals.lines),
    cell('Instructions', totals.instructions),
    cell('Ways of branches', totals.branches),
    ...(totals.conditions ? [cell('Outcomes of other conditional instructions', totals.conditions)] : []),
  ].join('\n');
}

/** A bar. Its width is a drawing attribute, so no rule of style is needed for each. */
function meter({ covered, total }: Share): string {
  if (total === 0) return '<i></i>';
  const width = Math.floor((1000 * covered) / total) / 10;
  const level = covered === total ? 'full' : covered === 0 ? 'none' : 'part';
  return (
    `<svg class="meter ${level}" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">` +
    `<rect class="all" width="100" height="6"/><rect class="ran" width="${width}" height="6"/></svg>`
  );
}

function cells(shares: readonly Share[], entered: string): string {
  const cell = (share: Share): string =>
    share.total === 0
      ? '<span></span>'
      : `<span>${meter(share)}<b>${percent(share.covered, share.total)}</b> <small>${group(share.covered)}/${group(share.total)}</small></span>`;
  return `${shares.map(cell).join('')}<span class="count">${entered}</span>`;
}

function folderHtml(folder: Folder, coverage: Coverage, numberOf: (file: FileCode) => number): string {
  const inner = [
    ...folder.folders.map((each) => folderHtml(each, coverage, numberOf)),
    ...folder.files.map(({ name, file }) => fileRow(name, file, coverage, numberOf(file))),
  ].join('');
  if (folder.name === '') return inner;
  const name = `<span class="name folder"><bdi>${escaped(folder.name)}</bdi></span>`;
  return `<details open><summary class="row">${name}${cells(sharesOf(folder.all, coverage), '')}</summary><div class="inner">${inner}</div></details>\n`;
}

function fileRow(name: string, file: FileCode, coverage: Coverage, number: number): string {
  const functions = file.functions.map((row) => coverage.functions[row]!);
  const link = `<a href="#file-${number}"><bdi>${escaped(name)}</bdi></a>`;
  const own = cells(sharesOf([file], coverage), '');
  if (functions.length === 0) return `<div class="row"><span class="name file">${link}</span>${own}</div>\n`;
  const rows = functions.map((one) => functionRow(one, number)).join('');
  return `<details><summary class="row"><span class="name file">${link}</span>${own}</summary><div class="inner">${rows}</div></details>\n`;
}

function functionRow({ name, line, lines, instructions, branches, count }: CoveredFunction, file?: number): string {
  const text = `<bdi>${escaped(name)}</bdi>`;
  const link = file === undefined || line === undefined ? text : `<a href="#line-${file}-${line}">${text}</a>`;
  const state = instructions.covered === 0 ? ' never' : '';
  return `<div class="row${state}"><span class="name function">${link}</span>${cells([lines, instructions, branches], group(count))}</div>\n`;
}

function loneHtml(functions: readonly CoveredFunction[]): string {
  if (functions.length === 0) return '';
  const sum = (of: (one: CoveredFunction) => Share): Share => ({
    covered: functions.reduce((all, one) => all + of(one).covered, 0),
    total: functions.reduce((all, one) => all + of(one).total, 0),
  });
  const shares = [sum(({ lines }) => lines), sum(({ instructions }) => instructions), sum(({ branches }) => branches)];
  const rows = functions.map((one) => functionRow(one)).join('');
  return `<details><summary class="row"><span class="name folder">functions without source lines</span>${cells(shares, '')}</summary><div class="inner">${rows}</div></details>\n`;
}

/** Lines, instructions and branches of files. */
function sharesOf(files: readonly FileCode[], { functions }: Coverage): readonly Share[] {
  const lines = files.flatMap((file) => file.lines);
  const own = files.flatMap((file) => file.functions.map((row) => functions[row]!.instructions));
  const instructions = own.reduce(
    (sum, { covered, total }) => ({ covered: sum.covered + covered, total: sum.total + total }),
    { covered: 0, total: 0 },
  );
  return [linesShare(lines), instructions, branchesShare(lines)];
}

function fileHtml(file: FileCode, number: number, source: readonly string[] | undefined): string {
  const share = linesShare(file.lines);
  const about = `${group(share.covered)} of ${counted(share.total, 'line')} ran`;
  return `<section class="source" id="file-${number}">
<h2 dir="auto">${escaped(file.path)}</h2>
<p class="under">${about}. <a href="#code">Back to the files</a></p>
${sourceHtml(file.lines, number, source)}</section>
`;
}
