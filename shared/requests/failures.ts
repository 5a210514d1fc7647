/** Codes of failures that callers distinguish. */

/** The request was cancelled through its signal. */
export const CANCELLED = 'cancelled';
/** The index was damaged. It has been deleted, and the trace can be indexed again. */
export const INDEX_DAMAGED = 'index-damaged';
/** The request is about records that the index has not reached yet. */
export const BEYOND_INDEX = 'beyond-index';
/** An image cannot be used. */
export const BAD_IMAGE = 'image';
/** The trace contains no program flow, so the request can never be answered. */
export const NO_FLOW = 'no-flow';
/** The request is about the code of a program, and no image has code. */
export const NO_IMAGE_CODE = 'no-image-code';
/** The request is about time, and the records have none that it needs. */
export const NO_TIME = 'no-time';
/** Another window or program changed or removed the note first. */
export const NOTE_CHANGED = 'note-changed';
/** The notebook's file exists, but nothing in it can be read. */
export const NOTEBOOK_UNREADABLE = 'notebook-unreadable';
/** The file is an evidence bundle, which opens in its own way. */
export const BUNDLE = 'is-a-bundle';
