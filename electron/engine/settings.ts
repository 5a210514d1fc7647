import type { MessagePort } from 'node:worker_threads';

/** Settings of an engine, chosen by the host that starts it. */
export interface EngineSettings {
  /** Number of decode threads; by default the number of processors. */
  readonly jobs?: number;
  /** Folder of the indexes; by default in the user's cache folder. */
  readonly indexDirectory?: string;
  /** Folder of notebooks that cannot be stored next to their traces; by default in the user's data folder. */
  readonly dataDirectory?: string;
  /** Folder of what the page keeps between two starts; by default in the user's state folder. */
  readonly stateDirectory?: string;
  /** True if decode workers will soon be needed, to build an index or to zoom in: they then start with the engine. */
  readonly decodes?: boolean;
  /** Bytes per block, a multiple of 12. For tests that need many blocks in small files. */
  readonly blockBytes?: number;
  /** Looks at a program that builds the same index, 200 ms apart, before it counts as stopped. For tests, which must not wait. */
  readonly patience?: number;
  /** Receives a port for each process that executes SQL, if the engine cannot start them itself. */
  readonly sqlHost?: MessagePort;
  /** Folder for temporary files, which the host removes. It is made by its first user. */
  readonly scratch?: string;
}
