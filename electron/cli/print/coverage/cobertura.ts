/**
 * Coverage as XML of Cobertura (coverage-04.dtd), which Jenkins, GitLab and Azure read. A folder is a package, a file is a class, a
 * function is a method. Each conditional branch is a condition with two ways.
 */
import type { Coverage, CoveredFunction, Share } from '../../../../shared/requests/answers/coverage.ts';
import { escaped } from '../markup.ts';
import type { Written } from './document.ts';
import { branchesShare, filesOf, linesShare, type BranchCode, type FileCode, type LineCode } from './files.ts';

/** @param time when it was written, in seconds since 1970 */
export function coberturaOf(coverage: Coverage, written: Written, version: string, time: number): string {
  const files = filesOf(coverage, written);
  const methods = linesOfFunctions(coverage);
  const folders = new Map<string, FileCode[]>();
  for (const file of files) {
    const folder = file.path.slice(0, Math.max(0, file.path.lastIndexOf('/')));
    const known = folders.get(folder);
    if (known === undefined) folders.set(folder, [file]);
    else known.push(file);
  }
  const all = files.flatMap(({ lines }) => lines);
  const [lines, branches] = [linesShare(all), branchesShare(all)];
  const totals = [
    `lines-covered="${lines.covered}" lines-valid="${lines.total}"`,
    `branches-covered="${branches.covered}" branches-valid="${branches.total}"`,
  ].join(' ');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">',
    `<coverage ${rates(all)} ${totals} version="Tracebench ${escaped(version)}" timestamp="${time}">`,
    '<sources><source>.</source></sources>',
    '<packages>',
    ...[...folders].flatMap(([folder, own]) => [
      `<package name="${escaped(folder.replaceAll('/', '.').replace(/^\.+/, ''))}" ${rates(own.flatMap((file) => file.lines))}>`,
      '<classes>',
      ...own.flatMap((file) => classOf(file, coverage.functions, methods)),
      '</classes>',
      '</package>',
    ]),
    '</packages>',
    '</coverage>',
    '',
  ].join('\n');
}

/** Lines of which a function has an instruction, by the rows of functions. */
function linesOfFunctions({ instructions, functions }: Coverage): readonly ReadonlySet<number>[] {
  const own = functions.map(() => new Set<number>());
  instructions.functions.forEach((row, at) => own[row]?.add(instructions.lines[at]!));
  return own;
}

function classOf(
  { path, lines, functions }: FileCode,
  all: readonly CoveredFunction[],
  linesOf: readonly ReadonlySet<number>[],
): readonly string[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return [
    `<class name="${escaped(name.replaceAll('.', '_'))}" filename="${escaped(path)}" ${rates(lines)}>`,
    '<methods>',
    ...functions.flatMap((row) => {
      const own = lines.filter((line) => linesOf[row]!.has(line.row));
      return [`<method name="${escaped(all[row]!.name)}" signature="" ${rates(own)}>`, ...linesXml(own), '</method>'];
    }),
    '</methods>',
    ...linesXml(lines),
    '</class>',
  ];
}

function linesXml(lines: readonly LineCode[]): readonly string[] {
  return ['<lines>', ...lines.map(lineXml), '</lines>'];
}

function lineXml({ line, count, branches }: LineCode): string {
  const start = `<line number="${line}" hits="${count}"`;
  if (branches.length === 0) return `${start} branch="false"/>`;
  const { covered, total } = waysOf(branches);
  const conditions = branches.map((branch, number) => {
    const own = waysOf([branch]);
    return `<condition number="${number}" type="jump" coverage="${percent(own)}"/>`;
  });
  return (
    `${start} branch="true" condition-coverage="${percent({ covered, total })} (${covered}/${total})">` +
    `<conditions>${conditions.join('')}</conditions></line>`
  );
}

function waysOf(branches: readonly BranchCode[]): Share {
  return branchesShare([{ branches }]);
}

/** Rounded down: 100 % only if all ran. */
function percent({ covered, total }: Share): string {
  return `${total === 0 ? 100 : Math.floor((100 * covered) / total)}%`;
}

function rates(lines: readonly LineCode[]): string {
  const rate = ({ covered, total }: Share): string =>
    total === 0 ? '1' : String(Math.floor((10_000 * covered) / total) / 10_000);
  return `line-rate="${rate(linesShare(lines))}" branch-rate="${rate(branchesShare(lines))}" complexity="0"`;
}
