/**
 * Branch events of XScale trace buffers.
 *
 * An XScale core writes one message per branch into a trace buffer of 256 bytes. A debugger reads the buffer when the core stops: that is
 * one *capture*, and a trace is a sequence of captures. A message counts instructions, but only indirect branches have a target, and no
 * branch has a source. So each capture is followed through the program image, as a whole:
 *
 * 1. `visit.ts` decodes the blocks of the trace and `content.ts` puts the records of each capture together. Blocks and batches may cut a
 *    capture anywhere.
 * 2. `xscale/follow.ts` looks for *anchors*: entries after which the address is known from the buffer alone. They are indirect branches
 *    with a target, entries with a checkpoint register, and exceptions, which go to a vector.
 * 3. From each anchor to the next, `xscale/stretch.ts` runs through the image: the count of a message gives the instructions before its
 *    branch, and the branch instruction in the image gives its target. Where ARM or Thumb is not known, both are tried.
 * 4. A stretch in which the image contradicts the buffer proves nothing. What remains unknown is reported as a gap with a reason.
 *
 *     buffer            image                        proved
 *     00 00 80 00 90    -                            the core was at 0x8000 (anchor)
 *     83                0x800c: b 0x8100             ran 0x8000 0x8004 0x8008 0x800c, jump 0x800c -> 0x8100
 *     22                0x8108: svc 0                ran 0x8100 0x8104 0x8108, exception 0x8108 -> 0x8 (anchor)
 *
 * Three users: `reader.ts` turns captures into branch events on the decode threads, `between.ts` answers which instructions ran before a
 * record, and `capture-flow.ts` and `list.ts` implement the requests `captureFlow` and `captures`. Programs repeat themselves, so a thread
 * remembers steps, events and whole captures (`xscale/known-*.ts`).
 *
 * Source: Intel 80200 Developer's Manual, 13.12 (checkpoint registers), 13.13 (trace buffer), 13.16 (errata).
 */
import type { ImageFlow } from '../events/image-flow.ts';
import { runsBetween } from './between.ts';
import { createCaptureReader } from './reader.ts';
import { blocksAround } from './visit.ts';

export const xscaleFlow: ImageFlow = { format: 'xscale', blocksAround, createReader: createCaptureReader, runsBetween };
