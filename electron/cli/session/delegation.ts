/** Messages between a process and the session that runs its command. */

/** From the process: the command, and what the process has around it. */
export interface Delegation {
  readonly type: 'run';
  readonly args: readonly string[];
  readonly folder: string;
  readonly stdout: StreamFacts;
  readonly stderr: StreamFacts;
  readonly colour: boolean;
}

export interface StreamFacts {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
}

/** From the process while its command runs: a signal, or that its standard output takes no more. */
export type FromProcess =
  { readonly type: 'signal'; readonly name: NodeJS.Signals } | { readonly type: 'output ended' };

/** From the session: that the process has to run the command itself; or output, and at last the exit code. */
export type FromSession =
  | { readonly type: 'declined' }
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
  | { readonly type: 'exit'; readonly code: number };
