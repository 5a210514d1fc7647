/** The files that coverage can be written as. */
import { basename } from 'node:path';
import type { Coverage } from '../../../shared/requests/answers/coverage.ts';
import { VERSION } from '../../program.ts';
import type { Context } from '../command.ts';
import { asmOf } from '../print/coverage/asm.ts';
import { coberturaOf } from '../print/coverage/cobertura.ts';
import type { Written } from '../print/coverage/document.ts';
import { drcovOf } from '../print/coverage/drcov.ts';
import { filesOf } from '../print/coverage/files.ts';
import { pageOf } from '../print/coverage/html/page.ts';
import { lcovOf } from '../print/coverage/lcov.ts';
import type { Gathered } from './gather.ts';
import { readSources } from './sources.ts';

export const FORMS = ['lcov', 'cobertura', 'drcov', 'asm', 'html'] as const;
export type Form = (typeof FORMS)[number];

export interface FormSettings extends Written {
  /** Where source files are that are not at their own paths. */
  readonly sources: string | undefined;
  /** Traces whose code is left out. */
  readonly others: readonly string[];
}

/** Returns the file of a form. Reads source files for a page, and says which may not be those of the program. */
export async function writtenAs(
  form: Form,
  context: Context,
  { coverage, images }: Gathered,
  settings: FormSettings,
): Promise<string | Uint8Array> {
  switch (form) {
    case 'lcov':
      return lcovOf(coverage, settings);
    case 'cobertura':
      return coberturaOf(coverage, settings, VERSION, Math.floor(Date.now() / 1000));
    case 'drcov':
      return drcovOf(coverage, images);
    case 'asm':
      return asmOf(coverage, settings.pathOf);
    case 'html': {
      const paths = filesOf(coverage, settings).map(({ path }) => path);
      const { sources, notes } = await readSources(paths, settings.sources, images);
      for (const note of notes) context.notify(note);
      const traces = [context.trace, ...context.rest].map((path) => basename(path));
      const others = settings.others.map((path) => basename(path));
      const page: Coverage = { ...coverage, notes: [...coverage.notes, ...notes] };
      return pageOf(page, { ...settings, sources, traces, others, version: VERSION });
    }
  }
}
