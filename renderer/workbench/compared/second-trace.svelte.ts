/**
 * The trace that another one is compared with, while panes show both: opens it beside the first one, and gives it the images of the first
 * one that are its program.
 */
import { untrack } from 'svelte';
import { attached } from '../../trace/attached.svelte.ts';
import { compareOptions } from '../../trace/compare-options.ts';
import { fittingImages, isSameImages } from '../../trace/images-of-b.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import type { Workbench } from '../workbench.svelte.ts';

type Opener = Pick<Workbench, 'openBeside' | 'setImages'>;

export interface SecondTrace {
  /** Path of the trace that a person chose; undefined without one. */
  readonly path: string | undefined;
  /** The trace at the path; undefined while it is not open. */
  readonly other: Trace | undefined;
  /** It could not be opened, or a person has closed it: it is not opened by itself. */
  readonly isClosed: boolean;
  /** It has images that nobody has compared with it yet. */
  readonly isUnchecked: boolean;
  /** Both traces are indexed as a whole, and the other one has its images. */
  readonly isReady: boolean;
  /** Why it does not have the images of the first one; null if nothing speaks against them. */
  readonly refusal: string | null;
  /** Pane that a person chooses it in: that pane shows the comparison. */
  pane: string;
  /** Chooses the trace at a path. */
  readonly choose: (path: string) => void;
  /** Opens the trace and checks its images. Panes call it in an effect. */
  readonly keep: (workbench: Opener) => void;
  readonly openAgain: () => void;
  /** Gives it the images of the first trace, because a person says that they are its program. */
  readonly useImagesOfFirst: (workbench: Opener) => void;
}

export const secondTrace = attached((trace: Trace): SecondTrace => {
  const options = compareOptions(trace);
  /** Path of the trace once it was open, of one that could not be opened, and of one that is being opened. */
  let wasOpen = $state<string>();
  let refused = $state<string>();
  let opening: string | undefined;
  let unchecked = $state<string>();
  let checking: Trace | undefined;
  let refusal = $state<string | null>(null);
  let pane = $state('compare');

  async function open(workbench: Opener, wanted: string): Promise<void> {
    if (opening === wanted) return;
    opening = wanted;
    const images = options.hasImages ? [] : (trace.source.images ?? []);
    if (images.length > 0) unchecked = wanted;
    const opened = await workbench.openBeside({ path: wanted }, images);
    opening = undefined;
    if (!opened) refused = wanted;
    // A trace that was left with images of its own keeps them, unchecked: a person chose them.
    if (opened?.source.images !== images) unchecked = undefined;
  }

  /** Images of the first trace name nothing in the other one before they are compared with it. */
  async function check(workbench: Opener, of: Trace): Promise<void> {
    if (checking === of) return;
    checking = of;
    const { images = [] } = of.source;
    const fitting = await fittingImages(of, images);
    checking = undefined;
    if (trace.compared !== of || unchecked !== options.other) return;
    options.hasImages = true;
    refusal = fitting.refusal ?? null;
    if (!isSameImages(fitting.images, images)) await workbench.setImages(of, fitting.images);
    unchecked = undefined;
  }

  return {
    get path() {
      return options.other;
    },
    get other() {
      return trace.compared;
    },
    get isClosed() {
      const { other } = options;
      return other !== undefined && trace.compared === undefined && (refused === other || wasOpen === other);
    },
    get isUnchecked() {
      return options.other !== undefined && unchecked === options.other;
    },
    get isReady() {
      const isIndexed = trace.reach.complete && trace.compared?.reach.complete === true;
      return isIndexed && unchecked !== options.other;
    },
    get refusal() {
      return refusal;
    },
    get pane() {
      return pane;
    },
    set pane(next) {
      pane = next;
    },
    choose(path) {
      if (path !== options.other) {
        options.cpu = undefined;
        options.hasImages = false;
        refusal = null;
      }
      options.other = path;
      wasOpen = undefined;
      refused = undefined;
    },
    keep(workbench) {
      const path = options.other;
      const other = trace.compared;
      const isClosed = path !== undefined && (refused === path || wasOpen === path);
      const isComplete = other?.reach.complete === true;
      const isUnchecked = unchecked === path;
      untrack(() => {
        if (other) wasOpen = path;
        else if (path !== undefined && !isClosed) void open(workbench, path);
        if (other && isComplete && isUnchecked) void check(workbench, other);
      });
    },
    openAgain() {
      wasOpen = undefined;
      refused = undefined;
    },
    useImagesOfFirst(workbench) {
      const { compared } = trace;
      if (!compared) return;
      options.hasImages = true;
      refusal = null;
      void workbench.setImages(compared, trace.source.images ?? []);
    },
  };
});
