/** The tables and functions that SQL over a trace has, with their columns. Tables, help, documents and completion derive from these lists. */

/**
 * Types of cells. `record` is a record number; `address` and `value` are unsigned (see integer.ts), and are printed in hexadecimal; `time`
 * is an integer if it is whole.
 */
export type SqlType = 'record' | 'integer' | 'address' | 'value' | 'time' | 'text';

export interface SqlColumn {
  readonly name: string;
  readonly type: SqlType;
  /** A phrase. */
  readonly text: string;
}

export interface SqlTable {
  readonly name: string;
  /** A phrase. */
  readonly text: string;
  /** Hidden columns: arguments of the table as a function, in this order, or conditions such as `low = 0x1000`. */
  readonly parameters: readonly SqlColumn[];
  readonly columns: readonly SqlColumn[];
}

export interface SqlFunction {
  readonly name: string;
  /** With its arguments: `reg_at(n, name)`. */
  readonly call: string;
  /** A phrase. */
  readonly text: string;
}

const n = { name: 'n', type: 'record', text: 'number of the record' } as const;
const time = {
  name: 'time',
  type: 'time',
  text: 'time in the unit of the trace; not exact if it has a fraction',
} as const;
const cpu = { name: 'cpu', type: 'integer', text: 'number of the CPU' } as const;
const inferred = { name: 'inferred', type: 'integer', text: '1 if it was concluded, not recorded' } as const;
const range = [
  { name: 'from_n', type: 'record', text: 'only this record and later ones' },
  { name: 'to_n', type: 'record', text: 'only records before this one' },
] as const;

export const SQL_TABLES: readonly SqlTable[] = [
  {
    name: 'records',
    text: 'the records as they are in the trace',
    parameters: range,
    columns: [
      n,
      time,
      cpu,
      { name: 'kind', type: 'text', text: 'kind of record: instruction, read, write, register ...' },
      { name: 'native', type: 'text', text: "the record's own name in its format" },
      { name: 'address', type: 'address', text: 'address of the instruction or access' },
      { name: 'size', type: 'integer', text: 'bytes accessed' },
      { name: 'register', type: 'text', text: 'register that a register record sets' },
      { name: 'value', type: 'value', text: 'value moved or set' },
      { name: 'opcode', type: 'value', text: 'bytes of the instruction as one number' },
      { name: 'isa', type: 'text', text: 'instruction set' },
      { name: 'text', type: 'text', text: 'text in the trace, or disassembly' },
      { name: 'target', type: 'address', text: 'where a branch went' },
      { name: 'source', type: 'address', text: 'where a branch came from' },
      { name: 'flags', type: 'text', text: 'marks, separated by blanks' },
    ],
  },
  {
    name: 'accesses',
    text: 'reads, fetches and writes of memory',
    parameters: [
      ...range,
      { name: 'low', type: 'address', text: 'only accesses that touch this address or a higher one' },
      { name: 'high', type: 'address', text: 'only accesses that touch this address or a lower one' },
      { name: 'of_kind', type: 'text', text: 'only this kind' },
    ],
    columns: [
      n,
      time,
      cpu,
      { name: 'kind', type: 'text', text: 'read, write, fetch, bus-read, bus-write or bus-fetch' },
      { name: 'address', type: 'address', text: 'first byte accessed' },
      { name: 'size', type: 'integer', text: 'bytes accessed' },
      { name: 'value', type: 'value', text: 'value moved' },
    ],
  },
  {
    name: 'instructions',
    text: 'instructions, one row for each execution that has a record',
    parameters: [
      ...range,
      { name: 'low', type: 'address', text: 'only instructions that contain this address or a higher one' },
      { name: 'high', type: 'address', text: 'only instructions that contain this address or a lower one' },
    ],
    columns: [
      n,
      time,
      cpu,
      { name: 'kind', type: 'text', text: 'instruction, or skipped if its condition failed' },
      { name: 'address', type: 'address', text: 'address' },
      { name: 'size', type: 'integer', text: 'bytes' },
      { name: 'opcode', type: 'value', text: 'its bytes as one number' },
      { name: 'isa', type: 'text', text: 'instruction set' },
      { name: 'text', type: 'text', text: 'disassembly' },
    ],
  },
  {
    name: 'register_sets',
    text: 'settings of registers, one row for each register that a record sets',
    parameters: [...range, { name: 'of_register', type: 'text', text: 'only this register' }],
    columns: [
      n,
      time,
      cpu,
      { name: 'register', type: 'text', text: 'name as in the trace' },
      { name: 'value', type: 'value', text: 'new value; NULL if the trace does not record it' },
    ],
  },
  {
    name: 'calls',
    text: 'single calls of functions, interrupts and exceptions, in the order in which they began',
    parameters: [...range, { name: 'of_function', type: 'text', text: 'only calls of this function: name or address' }],
    columns: [
      { name: 'n', type: 'record', text: 'record that entered the function' },
      { name: 'end_n', type: 'record', text: 'record that left it; NULL if it had not returned at the end' },
      cpu,
      { name: 'function', type: 'text', text: 'name of the function' },
      { name: 'address', type: 'address', text: 'its entry point' },
      { name: 'caller', type: 'text', text: 'name of the function below it on the stack' },
      { name: 'site', type: 'address', text: 'address of the call instruction' },
      { name: 'depth', type: 'integer', text: 'number of known frames below it' },
      { name: 'kind', type: 'text', text: 'call, interrupt or exception' },
      inferred,
    ],
  },
  {
    name: 'functions',
    text: 'functions with their costs in a range',
    parameters: range,
    columns: [
      { name: 'function', type: 'text', text: 'name' },
      { name: 'address', type: 'address', text: 'entry point' },
      { name: 'calls', type: 'integer', text: 'number of calls' },
      { name: 'self', type: 'integer', text: 'instructions (or branches) of the function itself' },
      { name: 'total', type: 'integer', text: 'the same with its callees; recursion counts once' },
    ],
  },
  {
    name: 'branches',
    text: 'single branches in record order',
    parameters: [...range, { name: 'of_kind', type: 'text', text: 'only this kind' }],
    columns: [
      n,
      cpu,
      { name: 'kind', type: 'text', text: 'call, return, jump ...' },
      { name: 'source', type: 'address', text: 'address of the branch' },
      { name: 'target', type: 'address', text: 'where it went' },
      { name: 'source_symbol', type: 'text', text: 'symbol of the source' },
      { name: 'target_symbol', type: 'text', text: 'symbol of the target' },
      inferred,
    ],
  },
  {
    name: 'contexts',
    text: 'nodes of the calling-context tree, callers before callees',
    parameters: range,
    columns: [
      { name: 'id', type: 'integer', text: 'number of the node' },
      { name: 'parent', type: 'integer', text: 'number of its caller; NULL for a root' },
      { name: 'depth', type: 'integer', text: 'number of callers' },
      { name: 'function', type: 'text', text: 'name of the function' },
      { name: 'calls', type: 'integer', text: 'number of calls in this context' },
      { name: 'self', type: 'integer', text: 'instructions (or branches) of the function itself' },
      { name: 'total', type: 'integer', text: 'the same with its callees' },
      { name: 'first_n', type: 'record', text: 'record of the first call' },
    ],
  },
  {
    name: 'coverage',
    text: 'instructions of the images, and how often each ran; needs --image',
    parameters: range,
    columns: [
      { name: 'address', type: 'address', text: 'address' },
      { name: 'size', type: 'integer', text: 'bytes' },
      { name: 'count', type: 'integer', text: 'how often control came to it' },
      { name: 'kind', type: 'text', text: 'plain, conditional, branch or conditional-branch' },
      { name: 'taken', type: 'integer', text: 'how often a branch was taken' },
      { name: 'not_taken', type: 'integer', text: 'how often the next instruction followed' },
      { name: 'function', type: 'text', text: 'function that contains it' },
      { name: 'file', type: 'text', text: 'source file' },
      { name: 'line', type: 'integer', text: 'source line' },
    ],
  },
  {
    name: 'lines',
    text: 'source lines with code, and how often each ran; needs --image',
    parameters: range,
    columns: [
      { name: 'file', type: 'text', text: 'source file' },
      { name: 'line', type: 'integer', text: 'source line' },
      { name: 'count', type: 'integer', text: 'count of its instruction that ran most' },
      { name: 'sum', type: 'integer', text: 'sum of the counts of its instructions' },
    ],
  },
  {
    name: 'diagnostics',
    text: 'bad input by code and shape',
    parameters: [],
    columns: [
      { name: 'code', type: 'text', text: 'code of the diagnostic' },
      { name: 'shape', type: 'text', text: 'line or bytes without their particulars' },
      { name: 'count', type: 'integer', text: 'number of places' },
      { name: 'first_offset', type: 'integer', text: 'byte of the first one' },
      { name: 'first_n', type: 'record', text: 'record of the first one' },
      { name: 'text', type: 'text', text: 'explanation' },
    ],
  },
  {
    name: 'notes',
    text: 'the notes of the notebook',
    parameters: [],
    columns: [
      { name: 'n', type: 'record', text: 'record, or first record of a range' },
      { name: 'to_n', type: 'record', text: 'record after the range; NULL if the note is about one record' },
      { name: 'address', type: 'address', text: 'address, if it has one' },
      { name: 'length', type: 'integer', text: 'bytes at the address' },
      { name: 'title', type: 'text', text: 'title' },
      { name: 'text', type: 'text', text: 'Markdown' },
      { name: 'colour', type: 'text', text: 'colour' },
      { name: 'tags', type: 'text', text: 'tags, separated by commas' },
      { name: 'created', type: 'text', text: 'time in UTC' },
      { name: 'changed', type: 'text', text: 'time in UTC' },
    ],
  },
];

export const SQL_FUNCTIONS: readonly SqlFunction[] = [
  {
    name: 'mem_at',
    call: 'mem_at(n, address, length)',
    text: 'bytes of memory after record n, two digits each, ?? if unknown',
  },
  {
    name: 'int_at',
    call: "int_at(n, address, length [, 'big'])",
    text: 'the same as an unsigned number, little-endian by default; NULL if a byte is unknown',
  },
  { name: 'reg_at', call: 'reg_at(n, name [, cpu])', text: 'value of a register after record n; NULL if unknown' },
  {
    name: 'last_write',
    call: 'last_write(n, address [, length])',
    text: 'last record up to n that wrote any of the bytes; NULL if none did',
  },
  { name: 'stack_at', call: 'stack_at(n)', text: 'open calls after record n, innermost first: inner < caller < main' },
  { name: 'sym', call: 'sym(address)', text: 'symbol of an address as name or name+0x12; NULL if no image has one' },
  { name: 'address_of', call: 'address_of(symbol)', text: 'address of a symbol; NULL if no image has it' },
  { name: 'line', call: 'line(address)', text: 'source line of an address as main.c:12' },
  { name: 'hex', call: 'hex(x)', text: 'a number, address or blob in hexadecimal' },
  { name: 'unsigned', call: 'unsigned(x)', text: 'a number modulo 2^64 in the form that addresses have' },
  { name: 'plus', call: 'plus(address, k)', text: 'address + k modulo 2^64, right for all addresses' },
  { name: 'minus', call: 'minus(a, b)', text: 'a - b as a signed number, right for all addresses' },
  { name: 'align', call: 'align(address, size)', text: 'the greatest multiple of size, a power of two, up to address' },
];

export function sqlTable(name: string): SqlTable | undefined {
  return SQL_TABLES.find((table) => table.name === name.toLowerCase());
}
