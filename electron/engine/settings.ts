/** What whoever starts an engine may choose. */
export interface EngineSettings {
  /** Threads that decode; as many as the machine has processors by default. */
  readonly jobs?: number;
  /** Folder of all indexes; the user's cache folder by default. */
  readonly indexDirectory?: string;
  /** Where notebooks lie that cannot lie beside their traces; the user's data folder by default. */
  readonly dataDirectory?: string;
  /** An index will be built, or a person is going to zoom in: the decode workers start with the engine. */
  readonly decodes?: boolean;
  /** Bytes of a block, a multiple of 12: tests choose small ones to see many blocks in small files. */
  readonly blockBytes?: number;
}
