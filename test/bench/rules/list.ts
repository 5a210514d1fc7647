/**
 * The inference rules of electron/engine/flow, each with the change of its source that switches it off. A change replaces a text
 * that the file has exactly once.
 */
export interface Rule {
  readonly name: string;
  /** Below electron/engine/flow. */
  readonly file: string;
  /** Conclusion of the rule, and its evidence. */
  readonly infers: string;
  /** Cases that the rule can concern; all by default. */
  readonly only?: Cases;
  readonly without: Changes;
}

export type Cases = 'messages with image' | 'no image' | 'instructions';
export type Changes = readonly (readonly [text: string, replacement: string])[];

/** Environment variable that names the rule to switch off. */
export const WITHOUT = 'TRACEBENCH_WITHOUT_RULE';

export const RULES: readonly Rule[] = [
  ...rulesFor('no image', [
    [
      'Interrupts are undone',
      'infer/interrupts.ts',
      'Interrupts and IRET: a branch goes back to a source, which then runs as what it is',
      [
        ['return handler.places >= FEWEST && handler.undone >= SHARE * handler.all;', 'return false;'],
        ['Number(places.size >= FEWEST && undoes[source]! >= SHARE * all[source]!)', 'Number(places.size < 0)'],
      ],
    ],
    [
      'Passed sources jump',
      'infer/calls.ts',
      'Conditional jumps: a straight run passed the source',
      [['if (mark === 1) return 1;', 'if (mark === 1) return 0;']],
    ],
    [
      'Passed sources never call or return',
      'infer/infer-kinds.ts',
      'Excludes sources that a straight run passed',
      [['  const passed = markPassed(observed, lone);', '  const passed = new Uint8Array(lows.length);']],
    ],
    [
      'A run may pass the name of its branch',
      'infer/passed-branches.ts',
      'Keeps sources that a Pentium may have named in place of the direct branch that the run reaches',
      [['if (!mayBeSame(id, end)) passed[id] = 1;', 'passed[id] = 1;']],
    ],
    [
      'No function begins inside a run',
      'infer/calls.ts',
      'Excludes calls to targets that fall-through or a conditional jump also reaches',
      [[' || inner[only] === 1) return false;', ') return false;']],
    ],
    [
      'Branches into a run jump',
      'infer/calls.ts',
      'Jumps: fall-through or a conditional jump also reaches the target',
      [['if (inner[only] === 1) return 1;', '']],
    ],
    [
      'Frequent branches jump',
      'infer/calls.ts',
      'Jumps: taken ten times, and nothing suggests a call or a return',
      [['return Number(times[id]! >= MANY && (isClear || isNear(id)));', 'return Number(times[id]! < 0 && isClear);']],
    ],
    [
      'Returns balance calls',
      'infer/call-candidates.ts',
      'Excludes sources that return without an open call, in six rounds',
      [['const STRAYS = [1.5, 0.67, 0.43, 0.25, 0.25, 0.25];', 'const STRAYS: number[] = [];']],
    ],
    [
      'A call ends where the next instruction begins',
      'infer/call-candidates.ts',
      'Excludes candidates that another known instruction cuts short',
      [['if (length !== DIRECT_CALL && starts.has(`${low - length} ${high}`)) break;', '']],
    ],
    [
      'A direct call excludes longer candidates',
      'infer/call-candidates.ts',
      'Excludes candidates before a direct call with another target',
      [
        [
          'const isOther = length > DIRECT_CALL && direct !== ABSENT &&',
          'const isOther = length < 0 && direct !== ABSENT &&',
        ],
      ],
    ],
    [
      'A call does not go to its return address',
      'infer/call-candidates.ts',
      'Excludes candidates that also branch to the address after them',
      [[' && !edgeOf.has(`${source} ${low} ${high}`)', '']],
    ],
    [
      'Calls through a register',
      'infer/calls.ts',
      'Calls: several targets, and several returns to one return address',
      [
        [
          'returnsOf[candidate]!.size > 1) isCall[candidate] = 1;',
          'returnsOf[candidate]!.size > 1) isCall[candidate] = 0;',
        ],
      ],
    ],
    [
      'Calls and returns prove each other',
      'infer/calls.ts',
      'Returns to known calls, and calls that known returns return to',
      [['for (let changed = true; changed;)', 'for (let changed = false; changed;)']],
    ],
    [
      'Direct calls have five bytes',
      'infer/calls.ts',
      'Calls: one target, five bytes before the return address',
      [['if (length === DIRECT_CALL) return true;', 'if (length === DIRECT_CALL) return false;']],
    ],
    [
      'Calls of other lengths return twice',
      'infer/calls.ts',
      'Calls: one target, 2, 3, 4 or 7 bytes before the return address, two returns',
      [
        [
          'return times > 1 && length !== FAR_CONDITION && length <= LONGEST_CALL;',
          'return times < 0 && length <= LONGEST_CALL;',
        ],
      ],
    ],
    [
      'Two bytes may be INT',
      'infer/calls.ts',
      'Leaves the kind of two-byte calls to one place unknown',
      [['if (length !== SHORT || lone[id]! < 0) return 0;', 'if (length >= 0 || lone[id]! < 0) return 0;']],
    ],
    [
      'Bodies of functions',
      'calls.ts',
      'The function at an address: code that runs, jumps and calls connect to an entry point',
      [['functions.setBodies(bodies)', 'void bodies']],
    ],
    [
      'Tail calls return for their caller',
      'infer/tail-calls.ts',
      'Jumps to entry points, if the entered function returns in place of the one that branched',
      [['Number(times > 0 && bad[id] === 0)', 'Number(times < 0 && bad[id] === 0)']],
    ],
  ]),
  ...rulesFor('messages with image', [
    [
      'The v pipe',
      'classify/by-image.ts',
      'Direct branches: the instruction after the reported one is a direct branch to the target',
      [['second?.target === undefined ? undefined : second;', 'second?.target === undefined ? undefined : undefined;']],
    ],
    [
      'Operand size by target',
      'classify/by-image.ts',
      '16-bit or 32-bit code: only one reading goes to the target',
      [['if (!pentium || events.operandSize[at] !== 0) return found;', 'return found;']],
    ],
    [
      'Handlers end with IRET',
      'classify/by-image.ts',
      'Interrupts: all ways through the code at the target end with IRET',
      [['const there = handlers.at(low, high, isa);', 'const there: number = 0;']],
    ],
    [
      'Functions without an end may be handlers',
      'classify/by-image.ts',
      'Marks indirect calls and jumps to such functions as inferred',
      [['const mayBeHandler = there === UNDECIDED && branch !== BRANCH.return;', 'const mayBeHandler = false;']],
    ],
    [
      'A return follows a call',
      'classify/by-image.ts',
      'Leaves returns unknown whose target does not follow a call',
      [['branch !== BRANCH.return || restores || runs', 'low >= 0 || runs']],
    ],
    [
      'Where the handler returns',
      'classify/by-image.ts',
      'Interrupt or indirect branch: the handler returns to the source, or after it',
      [['const back = findInterruptReturn(events, at, code, handlers, isa);', 'const back: number = OPEN;']],
    ],
    [
      'Fast messages: direct branches',
      'classify/by-image.ts',
      'Kind and target: a straight run leads from the target to the next source',
      [['if (!reaches(branch.target.low)) {', 'if (at >= 0) {']],
    ],
    [
      'Fast messages: jump tables',
      'classify/by-image.ts',
      'Targets: only one entry of the table leads to the next source',
      [['known && branch.table !== undefined ? runs', 'known && at < 0 && branch.table !== undefined ? runs']],
    ],
    [
      'Fast messages: the earliest start',
      'classify/by-image.ts',
      'Targets: return addresses and entry points at which the run to the next source must have begun',
      [
        [
          'known ? runs.earliest(to, high, isa) : undefined',
          'known && at < 0 ? runs.earliest(to, high, isa) : undefined',
        ],
      ],
    ],
    [
      'Fast messages: longjmp',
      'classify/by-image.ts',
      'Targets: a computed jump to a return address in another function',
      [
        [
          'const toReturnAddress = branch.branch === BRANCH.jump &&',
          'const toReturnAddress = at < 0 && branch.branch === BRANCH.jump &&',
        ],
      ],
    ],
    [
      'Fast messages: nested handlers',
      'classify/by-image.ts',
      'Targets of IRET: handlers end in reverse order, those of interrupts between instructions too',
      [
        [
          'branch.restores ? open.get(events.cpu[at]!)?.pop() : undefined',
          'at < 0 ? open.get(events.cpu[at]!)?.pop() : undefined',
        ],
        ['if (branch.restores && (ended === undefined || ended === INTERRUPT)) return;', ''],
      ],
    ],
  ]),
  ...rulesFor('instructions', [
    [
      'Handlers anywhere',
      'interrupts/handler-evidence.ts',
      'Handlers: something other than a branch leads there, or a return from an exception ends them',
      [
        [
          '    const all = createAddressMap();\n',
          '    const all = createAddressMap();\n    if (all.size === 0) return all;\n',
        ],
      ],
    ],
    [
      'Handlers after indirect branches',
      'interrupts/handler-evidence.ts',
      'Handlers: a return from an exception comes while only calls are open',
      [['of groups.sort((a, b) => a.places.length - b.places.length)) {', 'of groups.slice(0, 0)) {']],
    ],
    [
      'Small sets first',
      'interrupts/handler-evidence.ts',
      'Handlers: those that one address alone explains explain larger sets',
      [['groups.sort((a, b) => a.places.length - b.places.length)', 'groups']],
    ],
    [
      'A return address is no handler',
      'interrupts/handler-evidence.ts',
      'Excludes return addresses of calls',
      [['if (resumes.get(low, high) === ABSENT) all.set', 'all.set']],
    ],
    [
      'Possible handlers',
      'interrupts/handler-evidence.ts',
      'Makes branches to addresses unknown that only may be handlers',
      [
        ['isAlone && (isKnown || fits) ? HANDLER : MAYBE_HANDLER', 'isAlone && (isKnown || fits) ? HANDLER : 0'],
        ['    led.each((low, high) => {\n', '    led.each((low, high) => {\n      if (low >= 0) return;\n'],
      ],
    ],
    [
      'A handler ends where an interrupt would',
      'interrupts/handler-evidence.ts',
      'Handlers: a single indirect branch led there, and what ended fits an interrupt',
      [['(isKnown || fits)', 'isKnown']],
    ],
    [
      'An interrupt right after an interrupt',
      'interrupts/entry-stack.ts',
      'Handlers: a return from an exception does not lead near the interrupted instruction',
      [['if (!isNear) noteWithin(RETURNED, low, high);', 'void isNear;']],
    ],
    [
      'Returns may lead to handlers',
      'interrupts/entry-stack.ts',
      'Handlers: a return to an address that no open call returns to',
      [['    noteReturn(low, high) {\n      noteWithin(RETURNED, low, high);\n', '    noteReturn() {\n']],
    ],
    [
      'Jumps may lead to handlers',
      'interrupts/entry-stack.ts',
      'Handlers: an indirect jump',
      [['    noteJump(low, high) {\n      noteWithin(JUMPED, low, high);\n', '    noteJump() {\n']],
    ],
    [
      'Hidden targets are marked',
      'stack/interrupted-branches.ts',
      'Assumes that a hidden return went to its caller and a hidden jump stayed, and marks the frame',
      [
        ['(unseenRecord === record ? unseenBits : FRAME.belowUncertain)', '0'],
        ['    if (unseenRecord !== record) return;\n', '    if (record >= 0) return;\n'],
      ],
    ],
    [
      'A handler returns to the hidden target',
      'stack/shadow-stack.ts',
      'The function that continues after the handler: called, the same, or entered by a jump',
      [['mayBeHidden && returnToHiddenTarget(', 'mayBeHidden && low < 0 && returnToHiddenTarget(']],
    ],
    [
      'Deferred targets',
      'stack/interrupted-branches.ts',
      'Hidden targets for the time before the handler returned, in another walk over the trace',
      [['onHiddenTarget?.(at, low, high, !isAsAssumed && !stayed);', 'void stayed;']],
    ],
    [
      'Supposed interrupts that are targets',
      'stack/interrupted-branches.ts',
      'Calls of handlers: what began as an interrupt returns to a resume address',
      [['    if (!isTarget) return -1;\n', '    if (isTarget || over < 0) return -1;\n']],
    ],
    [
      'Hidden jumps stay near',
      'stack/interrupted-branches.ts',
      'Jumps within a function without symbols: the target is within 64 KiB',
      [['return isJump && isNear &&', 'return isJump && isNear && frame < 0 &&']],
    ],
    [
      'Chained interrupts',
      'stack/interrupted-branches.ts',
      'Hidden targets of a return from an interrupt that another interrupt followed',
      [['if (endedUnseen >= 0) endedBefore.set(record, endedUnseen);', '']],
    ],
    [
      'Branches that an interrupt cut',
      'stack/shadow-stack.ts',
      'Calls, returns and jumps: the instruction before the interrupt filled the link register, popped registers, or did neither',
      [['if (before !== 0 && mayResume &&', 'if (before < 0 && mayResume &&']],
    ],
    [
      'Faults',
      'stack/frames.ts',
      'Returns from exceptions to within 16 bytes of the faulting instruction',
      [['const isFault = columns', 'const isFault = low < 0 && columns']],
    ],
  ]),
  ...rulesFor(undefined, [
    [
      'Returns to exception vectors',
      'stack/shadow-stack.ts',
      'Returns that look like exceptions because code is at a vector',
      [
        [
          'return !messages && known === EVENT.inferred &&',
          'return !messages && flags < 0 && known === EVENT.inferred &&',
        ],
      ],
    ],
    [
      'Returns of interrupts that the trace lacks',
      'stack/shadow-stack.ts',
      'Ended handlers: a return into the function below an entry that nothing explains',
      [['      interruptsUnseen(frames, top) &&\n', '      record < 0 &&\n      interruptsUnseen(frames, top) &&\n']],
    ],
    [
      'Returns to before the resume address',
      'stack/shadow-stack.ts',
      'Returns that repeat the call',
      [['    if (frame < 0) frame = findCallBefore(frames, low, high);\n', '']],
    ],
    [
      'Suspended stacks',
      'stack/shadow-stack.ts',
      'Returns to another stack, as threads make',
      [['    if (calls.takeUp(low, high, record)) return;\n', '']],
    ],
    [
      'Switch helpers',
      'stack/shadow-stack.ts',
      'Returns a little after the resume address, past a table',
      [['    if (isSwitchHelper(top, there, record)) {', '    if (low < 0 && isSwitchHelper(top, there, record)) {']],
    ],
    [
      'Returns to entry points',
      'stack/shadow-stack.ts',
      'Calls by a pushed address, and threads',
      [
        [
          'if (there !== UNKNOWN && functions.beginsAt(target)) {',
          'if (low < 0 && there !== UNKNOWN && functions.beginsAt(target)) {',
        ],
      ],
    ],
    [
      'longjmp',
      'stack/shadow-stack.ts',
      'Ended calls: a branch to the resume address of an earlier call by an open function',
      [['if (top === 0 || !functions.isResumeAt', 'if (top >= 0 || !functions.isResumeAt']],
    ],
    [
      'Unwinders',
      'stack/shadow-stack.ts',
      'Ended calls: a computed jump into the middle of an open function',
      [['if (isOpen(frames, fn) && called[top] === since[top]) {', 'if (record < 0 && called[top] === since[top]) {']],
    ],
    [
      'Tail calls',
      'stack/shadow-stack.ts',
      'The function of a frame: a jump to the entry point of another function',
      [
        [
          '      if (entry === now) return;\n',
          '      if (entry === now) return;\n      if (record >= 0) return calls.moveTo(UNKNOWN, record);\n',
        ],
      ],
    ],
    [
      'Jumps that return',
      'stack/shadow-stack.ts',
      'Returns: a jump to the resume address in another function',
      [
        [
          'if (top > 0 && entry !== now && resumesAtTarget(top) &&',
          'if (top < 0 && entry !== now && resumesAtTarget(top) &&',
        ],
      ],
    ],
    [
      'Late callers',
      'stack/shadow-stack.ts',
      'Callers of the function in which a stack began: it returned to them',
      [['if (top === 0 && (flags & EVENT.inferred) === 0)', 'if (top < 0)']],
    ],
    [
      'Inferred returns find no callers',
      'stack/shadow-stack.ts',
      'Leaves the caller of an outermost function unknown if the return to it was inferred',
      [['if (top === 0 && (flags & EVENT.inferred) === 0)', 'if (top === 0)']],
    ],
    [
      'Unknown branches to entry points',
      'stack/shadow-stack.ts',
      'Calls, marked',
      [['if (entry >= 0 && entry !== calls.running() && !isBack) {', 'if (entry >= 0 && record < 0 && !isBack) {']],
    ],
    [
      'Unknown branches to the resume address',
      'stack/shadow-stack.ts',
      'Returns',
      [
        [
          'if (isBack && (flags & EVENT.resume) !== 0 && frames.count > 1) {',
          'if (isBack && record < 0 && frames.count > 1) {',
        ],
      ],
    ],
    [
      'Unknown branches without a source',
      'stack/shadow-stack.ts',
      'The function in which a trace or buffer begins',
      [['if (!hasSource && entry < 0 &&', 'if (!hasSource && record < 0 && entry < 0 &&']],
    ],
    [
      'Unknown branches across an entry point',
      'stack/shadow-stack.ts',
      'Leaves the running function unknown',
      [
        [
          '    if (!functions.areApart(low, high, words[at + WORD.sourceLow]!, words[at + WORD.sourceHigh]!)) return;\n    calls',
          '    if (record >= 0) return;\n    calls',
        ],
      ],
    ],
    [
      'Unknown messages with a resume address',
      'stack/shadow-stack.ts',
      'Calls of unknown kind',
      [
        [
          '    if ((flags & EVENT.resume) !== 0) {\n      enter(EDGE.unknown',
          '    if ((flags & EVENT.resume) !== 0 && record < 0) {\n      enter(EDGE.unknown',
        ],
      ],
    ],
    [
      'Unknown messages to the resume address',
      'stack/shadow-stack.ts',
      'Returns',
      [['if (top > 0 && resumesAtTarget(top) &&', 'if (top < 0 && resumesAtTarget(top) &&']],
    ],
    [
      'Unknown messages within a body',
      'stack/shadow-stack.ts',
      'Jumps',
      [['const stays = there === now &&', 'const stays = record < 0 && there === now &&']],
    ],
  ]),
];

type Row = readonly [name: string, file: string, infers: string, without: Changes];

function rulesFor(only: Cases | undefined, rows: readonly Row[]): readonly Rule[] {
  return rows.map(([name, file, infers, without]) => ({ name, file, infers, without, ...(only && { only }) }));
}
