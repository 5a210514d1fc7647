/** The notebook of a file, without an engine. */
import { createNotebook, type Held, type TraceNotebook } from '../../electron/engine/notebook/notebook.ts';
import { openSource } from '../../electron/engine/platform/source.ts';

export interface OpenNotebook extends TraceNotebook {
  /** Returns the content of the notebook; throws if the request fails. */
  held(): Held;
  /** Saves a note with this id and text; returns the error message if that fails. */
  note(id: string, text?: string): Promise<string>;
}

export function notebookOn(trace: string, dataDirectory: string, named?: string): OpenNotebook {
  const source = openSource(trace);
  if (!source.ok) throw new Error(source.error.message);
  const bytes = source.value.size;
  const notebook = createNotebook({ trace, source: source.value, bytes, dataDirectory, notebook: named });
  return {
    ...notebook,
    held(): Held {
      const held = notebook.read();
      if (!held.ok) throw new Error(`${held.error.code}: ${held.error.message}`);
      return held.value;
    },
    async note(id, text = `text of ${id}`): Promise<string> {
      const place = { n: 0, offset: 0, reading: 'test' };
      const put = [{ id, title: id, text, colour: 'red' as const, tags: ['t'], place }];
      const done = await notebook.change({ put, remove: [], putViews: [], removeViews: [] });
      return done.ok ? 'kept' : done.error.message;
    },
    close(): void {
      notebook.close();
      source.value.close();
    },
  };
}
