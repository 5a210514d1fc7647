/** Codes of the Itanium C++ ABI, section 5.1 (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling). */

/** 5.1.5.2: builtin types. */
export const BUILTIN_TYPES: Readonly<Record<string, string>> = {
  v: 'void',
  w: 'wchar_t',
  b: 'bool',
  c: 'char',
  a: 'signed char',
  h: 'unsigned char',
  s: 'short',
  t: 'unsigned short',
  i: 'int',
  j: 'unsigned int',
  l: 'long',
  m: 'unsigned long',
  x: 'long long',
  y: 'unsigned long long',
  n: '__int128',
  o: 'unsigned __int128',
  f: 'float',
  d: 'double',
  e: 'long double',
  g: '__float128',
  z: '...',
  Dd: 'decimal64',
  De: 'decimal128',
  Df: 'decimal32',
  Dh: 'half',
  Di: 'char32_t',
  Ds: 'char16_t',
  Du: 'char8_t',
  Da: 'auto',
  Dc: 'decltype(auto)',
  Dn: 'decltype(nullptr)',
};

/** 5.1.6.4: suffix of an integer literal by its type; other types are written as a cast. */
export const LITERAL_SUFFIXES: Readonly<Record<string, string>> = { i: '', j: 'u', l: 'l', m: 'ul', x: 'll', y: 'ull' };

/** 5.1.10: abbreviations of `std`, with the name that a constructor repeats. */
export const ABBREVIATIONS: Readonly<
  Record<string, { readonly text: string; readonly full?: string; readonly base: string }>
> = {
  a: { text: 'std::allocator', base: 'allocator' },
  b: { text: 'std::basic_string', base: 'basic_string' },
  s: {
    text: 'std::string',
    full: 'std::basic_string<char, std::char_traits<char>, std::allocator<char> >',
    base: 'basic_string',
  },
  i: { text: 'std::istream', full: 'std::basic_istream<char, std::char_traits<char> >', base: 'basic_istream' },
  o: { text: 'std::ostream', full: 'std::basic_ostream<char, std::char_traits<char> >', base: 'basic_ostream' },
  d: { text: 'std::iostream', full: 'std::basic_iostream<char, std::char_traits<char> >', base: 'basic_iostream' },
};

/** How an operator is written in expressions. `type`: its operand is a type. `named`: it is no function that can be declared. */
export interface Operator {
  readonly sign: string;
  readonly form: 'prefix' | 'binary' | 'postfix' | 'type' | 'call' | 'member' | 'ternary' | 'new' | 'delete' | 'cast';
  readonly onlyInExpressions?: true;
}

/** 5.1.4: operators. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  nw: { sign: ' new', form: 'new' },
  na: { sign: ' new[]', form: 'new' },
  dl: { sign: ' delete', form: 'delete' },
  da: { sign: ' delete[]', form: 'delete' },
  aw: { sign: ' co_await', form: 'prefix' },
  ps: { sign: '+', form: 'prefix' },
  ng: { sign: '-', form: 'prefix' },
  ad: { sign: '&', form: 'prefix' },
  de: { sign: '*', form: 'prefix' },
  co: { sign: '~', form: 'prefix' },
  nt: { sign: '!', form: 'prefix' },
  pl: { sign: '+', form: 'binary' },
  mi: { sign: '-', form: 'binary' },
  ml: { sign: '*', form: 'binary' },
  dv: { sign: '/', form: 'binary' },
  rm: { sign: '%', form: 'binary' },
  an: { sign: '&', form: 'binary' },
  or: { sign: '|', form: 'binary' },
  eo: { sign: '^', form: 'binary' },
  aS: { sign: '=', form: 'binary' },
  pL: { sign: '+=', form: 'binary' },
  mI: { sign: '-=', form: 'binary' },
  mL: { sign: '*=', form: 'binary' },
  dV: { sign: '/=', form: 'binary' },
  rM: { sign: '%=', form: 'binary' },
  aN: { sign: '&=', form: 'binary' },
  oR: { sign: '|=', form: 'binary' },
  eO: { sign: '^=', form: 'binary' },
  ls: { sign: '<<', form: 'binary' },
  rs: { sign: '>>', form: 'binary' },
  lS: { sign: '<<=', form: 'binary' },
  rS: { sign: '>>=', form: 'binary' },
  eq: { sign: '==', form: 'binary' },
  ne: { sign: '!=', form: 'binary' },
  lt: { sign: '<', form: 'binary' },
  gt: { sign: '>', form: 'binary' },
  le: { sign: '<=', form: 'binary' },
  ge: { sign: '>=', form: 'binary' },
  ss: { sign: '<=>', form: 'binary' },
  aa: { sign: '&&', form: 'binary' },
  oo: { sign: '||', form: 'binary' },
  pp: { sign: '++', form: 'postfix' },
  mm: { sign: '--', form: 'postfix' },
  cm: { sign: ',', form: 'binary' },
  pm: { sign: '->*', form: 'binary' },
  pt: { sign: '->', form: 'member' },
  cl: { sign: '()', form: 'call' },
  ix: { sign: '[]', form: 'binary' },
  qu: { sign: '?', form: 'ternary' },
  ds: { sign: '.*', form: 'binary', onlyInExpressions: true },
  dt: { sign: '.', form: 'member', onlyInExpressions: true },
  st: { sign: 'sizeof ', form: 'type', onlyInExpressions: true },
  sz: { sign: 'sizeof ', form: 'prefix', onlyInExpressions: true },
  at: { sign: 'alignof ', form: 'type', onlyInExpressions: true },
  az: { sign: 'alignof ', form: 'prefix', onlyInExpressions: true },
  ti: { sign: 'typeid ', form: 'type', onlyInExpressions: true },
  te: { sign: 'typeid ', form: 'prefix', onlyInExpressions: true },
  nx: { sign: 'noexcept ', form: 'prefix', onlyInExpressions: true },
  tw: { sign: 'throw ', form: 'prefix', onlyInExpressions: true },
  dc: { sign: 'dynamic_cast', form: 'cast', onlyInExpressions: true },
  sc: { sign: 'static_cast', form: 'cast', onlyInExpressions: true },
  cc: { sign: 'const_cast', form: 'cast', onlyInExpressions: true },
  rc: { sign: 'reinterpret_cast', form: 'cast', onlyInExpressions: true },
};

/** 5.1.4.1: names of data that belongs to a type. */
export const TYPE_DATA: Readonly<Record<string, string>> = {
  TV: 'vtable for ',
  TT: 'VTT for ',
  TI: 'typeinfo for ',
  TS: 'typeinfo name for ',
};

/** 5.1.4.1 and later additions: names of data that belongs to an object. */
export const OBJECT_DATA: Readonly<Record<string, string>> = {
  GV: 'guard variable for ',
  TW: 'TLS wrapper function for ',
  TH: 'TLS init function for ',
};
