/**
 * Names of the numbered events of ARMulator and meanings of their two words.
 *
 * Names and numbers are those of ARMulator's event headers of 1997 and 2001, the words those of ARM DUI0041C and DUI0207D.
 */

export interface EventMeaning {
  readonly name: string;
  /** Meaning of the first and the second word; absent if not documented. */
  readonly word1?: string;
  readonly word2?: string;
}

/** Returns undefined for undocumented numbers. */
export function eventOf(number: number): EventMeaning | undefined {
  const known = EVENTS.get(number);
  if (known !== undefined) return known;
  return number >= FIRST_USER && number <= LAST_USER ? { name: 'UserEvent' } : undefined;
}

/** True if the event is an exception that interrupts the instruction whose address is the first word. */
export function isException(number: number): boolean {
  return number >= UNDEFINED_INSTRUCTION && number <= FIQ;
}

const UNDEFINED_INSTRUCTION = 2;
const FIQ = 8;
const FIRST_USER = 0x100000;
const LAST_USER = 0x1fffff;

const EVENTS: ReadonlyMap<number, EventMeaning> = new Map([
  event(0x1, 'Reset'),
  event(0x2, 'UndefinedInstr', 'pc', 'instruction'),
  event(0x3, 'SWI', 'pc', 'number'),
  event(0x4, 'PrefetchAbort', 'pc'),
  event(0x5, 'DataAbort', 'pc', 'address'),
  event(0x6, 'AddrExceptn', 'pc', 'address'),
  event(0x7, 'IRQ', 'pc'),
  event(0x8, 'FIQ', 'pc'),
  event(0x9, 'Breakpoint', 'pc', 'handle'),
  event(0xa, 'Watchpoint', 'pc', 'address'),
  event(0x17, 'IRQSpotted', 'pc'),
  event(0x18, 'FIQSpotted', 'pc'),
  event(0x19, 'ModeChange', 'pc', 'mode'),
  event(0x20, 'Dependency', 'pc', 'interlock'),
  event(0x10001, 'DLineFetch', 'miss', 'victim'),
  event(0x10002, 'ILineFetch', 'miss', 'victim'),
  event(0x10003, 'WBStall', 'address', 'words'),
  event(0x10004, 'DTLBWalk', 'miss', 'victim'),
  event(0x10005, 'ITLBWalk', 'miss', 'victim'),
  event(0x10006, 'LineWB', 'miss', 'victim'),
  event(0x10007, 'DCacheStall', 'stalling', 'fetching'),
  event(0x10008, 'ICacheStall', 'stalling', 'fetching'),
  event(0x20001, 'PUFull'),
  event(0x20002, 'PUMispredict'),
  event(0x20003, 'PUEmpty'),
  event(0x20004, 'PipeDependency'),
  event(0x30001, 'PiccoloInstr', 'pc', 'instruction'),
  event(0x30002, 'PiccoloSkip', 'pc', 'instruction'),
  event(0x30003, 'PiccoloStalled', 'pc', 'instruction'),
  event(0x30004, 'PiccoloROBLoad'),
  event(0x30005, 'PiccoloFIFOOut'),
  event(0x40001, 'InToDebug'),
  event(0x40002, 'OutOfDebug'),
  event(0x40003, 'DebuggerChangedPC'),
  event(0x40004, 'InToSemihost'),
  event(0x40005, 'OutOfSemihost'),
  event(0x40006, 'TrickboxRead'),
  event(0x40007, 'TrickboxWrite'),
  event(0x40008, 'RunCodeSequence'),
  event(0x40009, 'EndCodeSequence'),
  event(0x50001, 'AllLoaded'),
  event(0x50002, 'Reset'),
  event(0x50003, 'VectorsLoaded'),
  event(0x50005, 'EndiannessChanged'),
  event(0x50006, 'AboutToClose'),
  event(0x50007, 'RouteLinks'),
  event(0x50008, 'HighVecChanged'),
  event(0x60001, 'TraceLine'),
  event(0x7001, 'RESET'),
  event(0x7002, 'UNDEF'),
  event(0x7003, 'SWI'),
  event(0x7004, 'PABORT'),
  event(0x7005, 'DABORT'),
  event(0x7006, 'SE'),
  event(0x7007, 'IRQ'),
  event(0x7008, 'FIQ'),
  event(0x7009, 'BreakPt'),
  event(0x700a, 'WatchPt'),
  event(0x700b, 'Stop'),
]);

function event(number: number, name: string, word1?: string, word2?: string): [number, EventMeaning] {
  return [number, { name, ...(word1 === undefined ? {} : { word1 }), ...(word2 === undefined ? {} : { word2 }) }];
}
