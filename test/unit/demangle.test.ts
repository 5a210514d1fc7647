// Demangled names of C++ and Rust symbols. The names of C++ were printed by c++filt of GNU binutils 2.40.
import { describe, expect, test } from 'vitest';
import { demangle, shortNames } from '../../electron/engine/image/names/demangle.ts';
import { punycode } from '../../electron/engine/image/names/punycode.ts';

test.each([
  ['_ZN3app4workERKSt6vectorIiSaIiEE', 'app::work(std::vector<int, std::allocator<int> > const&)'],
  ['_Z1fv', 'f()'],
  ['_Z1fz', 'f(...)'],
  ['_Z3addii', 'add(int, int)'],
  ['_ZN1AC1Ev', 'A::A()'],
  ['_ZN1AC2ERKS_', 'A::A(A const&)'],
  ['_ZN1AD0Ev', 'A::~A()'],
  ['_ZN1A1BC2ERKS0_', 'A::B::B(A::B const&)'],
  ['_ZN1AC1IiEET_', 'A::A<int>(int)'],
  ['_ZNSsC1Ev', 'std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string()'],
  ['_ZN1AaSERKS_', 'A::operator=(A const&)'],
  ['_ZN1AppEi', 'A::operator++(int)'],
  ['_ZN1AcvT_IiEEv', 'A::operator int<int>()'],
  ['_ZN1AclEv', 'A::operator()()'],
  ['_ZNK1A1fEv', 'A::f() const'],
  ['_ZNKR1A1fEv', 'A::f() const &'],
  ['_ZNO1A1fEv', 'A::f() &&'],
  ['_Zli3_kmy', 'operator"" _km(unsigned long long)'],
  ['_ZlsIiEvT_', 'void operator<< <int>(int)'],
  ['_Z1fRA3_i', 'f(int (&) [3])'],
  ['_Z1fPA3_A4_i', 'f(int (*) [3][4])'],
  ['_Z1fPFvvE', 'f(void (*)())'],
  ['_Z1fM1AFvvE', 'f(void (A::*)())'],
  ['_Z1fM1Ai', 'f(int A::*)'],
  ['_Z1fPKVi', 'f(int volatile const*)'],
  ['_Z1fPDoFvvE', 'f(void (*)() noexcept)'],
  ['_Z1fIFivEEvPT_', 'void f<int ()>(int (*)())'],
  ['_Z1fIRiEvOT_', 'void f<int&>(int&)'],
  ['_Z1fIJidEEvDpRKT_', 'void f<int, double>(int const&, double const&)'],
  ['_Z1fIJEEvDpT_', 'void f<>()'],
  ['_Z1fILin5EEvv', 'void f<-5>()'],
  ['_Z1fILb1ELc65ELj7ELm8EEvv', 'void f<true, (char)65, 7u, 8ul>()'],
  ['_Z1fIXadL_Z3foovEEEvv', 'void f<&(foo())>()'],
  ['_Z1fIXtl1ALi1ELi2EEEEvv', 'void f<A{1, 2}>()'],
  ['_ZN1A1fIiEEDTplfp_fp_ET_', 'decltype ({parm#1}+{parm#1}) A::f<int>(int)'],
  [
    '_Z1fIiEvNSt9enable_ifIXsr3std6is_intIT_EE5valueEiE4typeE',
    'void f<int>(std::enable_if<std::is_int<int>::value, int>::type)',
  ],
  ['_Z1fDv4_f', 'f(float __vector(4))'],
  ['_Z1fU8__vectori', 'f(int __vector)'],
  ['_ZN12_GLOBAL__N_11fEv', '(anonymous namespace)::f()'],
  ['_ZN3FooB5cxx111fB3abcEv', 'Foo[abi:cxx11]::f[abi:abc]()'],
  ['_ZNUt_1fEv', '{unnamed type#1}::f()'],
  ['_ZZ1fvE1x_0', 'f()::x'],
  ['_ZZ1fvEs', 'f()::string literal'],
  ['_ZZ1fIiEvT_ENKUlvE_clEv', 'f<int>(int)::{lambda()#1}::operator()() const'],
  ['_ZZN1A1fEvENKUlT_E_clIiEEDaS0_', 'auto A::f()::{lambda(auto:1)#1}::operator()<int>(int) const'],
  ['_ZZN1AC1EvENKUliE0_clEi', 'A::A()::{lambda(int)#2}::operator()(int) const'],
  ['_ZZZ1fvENKUlvE_clEvE1x', 'f()::{lambda()#1}::operator()() const::x'],
  ['_ZTV3Foo', 'vtable for Foo'],
  ['_ZTT3Foo', 'VTT for Foo'],
  ['_ZTIPK3Foo', 'typeinfo for Foo const*'],
  ['_ZTS3Foo', 'typeinfo name for Foo'],
  ['_ZTCN1AE0_1B', 'construction vtable for B-in-A'],
  ['_ZThn8_N1A1fEv', 'non-virtual thunk to A::f()'],
  ['_ZTv0_n24_N1A1fEv', 'virtual thunk to A::f()'],
  ['_ZGVZ1fvE1x', 'guard variable for f()::x'],
  ['_ZTW1x', 'TLS wrapper function for x'],
  ['_Z1fv.part.0', 'f() [clone .part.0]'],
  ['_Z1fv.constprop.0.isra.3', 'f() [clone .constprop.0] [clone .isra.3]'],
  ['_Z1fv.cold', 'f() [clone .cold]'],
  [
    '_ZStplIcSt11char_traitsIcESaIcEENSt7__cxx1112basic_stringIT_T0_T1_EEPKS5_RKS8_',
    'std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > std::operator+<char, std::char_traits<char>, std::allocator<char> >(char const*, std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)',
  ],
  [
    '_ZSt16__insertion_sortIPiN9__gnu_cxx5__ops15_Iter_less_iterEEvT_S4_T0_',
    'void std::__insertion_sort<int*, __gnu_cxx::__ops::_Iter_less_iter>(int*, int*, __gnu_cxx::__ops::_Iter_less_iter)',
  ],
  [
    '_ZNSt8functionIFivEEC2IZ4mainEUlvE_vEEOT_',
    'std::function<int ()>::function<main::{lambda()#1}, void>(main::{lambda()#1}&&)',
  ],
])('demangles the C++ symbol %s', (symbol, name) => {
  expect(demangle(symbol)).toBe(name);
});

/** From the examples of RFC 2603, the tests of the rustc-demangle crate, and the legacy mangling of rustc. */
test.each([
  ['_RNvNtCs1234_5crate3app4work', 'crate::app::work'],
  ['_RNvC6_123foo3bar', '123foo::bar'],
  ['_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y', 'utf8_idents::საჭმელად_გემრიელი_სადილი'],
  ['_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_', 'cc::spawn::{closure#0}::{closure#0}'],
  [
    '_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_4iter8iterator8Iterator9rpositionNCNgNpB9_6memchr7memrchrs_0E0Bb_',
    '<core::slice::Iter<u8> as core::iter::iterator::Iterator>::rposition::<core::slice::memchr::memrchr::{closure#1}>::{closure#0}',
  ],
  [
    '_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std',
    'alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>',
  ],
  ['_RMC0INtC8arrayvec8ArrayVechKj7b_E', '<arrayvec::ArrayVec<u8, 123>>'],
  ['_RMCs4fqI2P2rA04_13const_genericINtB0_4CharKc76_E', "<const_generic::Char<'v'>>"],
  ['_RMCs4fqI2P2rA04_13const_genericINtB0_8UnsignedKhb_E', '<const_generic::Unsigned<11>>'],
  ['_RMCs4fqI2P2rA04_13const_genericINtB0_6SignedKsn98_E', '<const_generic::Signed<-152>>'],
  ['_RMCs4fqI2P2rA04_13const_genericINtB0_4BoolKb1_E', '<const_generic::Bool<true>>'],
  ['_RMCsno73SFvQKx_1cINtB0_3StrKRe616263_E', '<c::Str<"abc">>'],
  ['_RMCs4fqI2P2rA04_13const_genericINtB0_3FooKRAhj1_j2_EE', undefined],
  ['_RINvC1a1fFG_RL0_hEuE', "a::f::<for<'a> fn(&'a u8)>"],
  ['_RINvC1a1fFKCTRhOmEEyE', 'a::f::<extern "C" fn((&u8, *mut u32)) -> u64>'],
  ['_RINvC1a1fAtj4_SbPcE', 'a::f::<[u16; 4], [bool], *const char>'],
  ['_RNSC1a4shim6vtable', undefined],
  ['_RNvC1a1f.llvm.123', 'a::f [clone .llvm.123]'],
  ['_ZN3foo3bar17h05af221e174051e9E', 'foo::bar'],
  [
    '_ZN4core3ptr85drop_in_place$LT$std..rt..lang_start$LT$$LP$$RP$$GT$..$u7b$$u7b$closure$u7d$$u7d$$GT$17h0123456789abcdefE',
    'core::ptr::drop_in_place<std::rt::lang_start<()>::{{closure}}>',
  ],
  [
    '_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE',
    "<Test + 'static as foo::Bar<Test>>::bar",
  ],
  ['_ZN3foo17h0123456789abcdefE.llvm.9D1C9369', 'foo [clone .llvm.9D1C9369]'],
])('demangles the Rust symbol %s', (symbol, name) => {
  expect(demangle(symbol)).toBe(name);
});

describe('a substitution that repeats a template parameter', () => {
  test('stands for the argument of the function that repeats it', () => {
    // S5_ is the T_ of l, where it means B*. In the type of g it means U*.
    expect(demangle('_Z1gIP1UZ1lIP1BEvT_EUlvE_ES5_S5_T0_')).toBe(
      'U* g<U*, l<B*>(B*)::{lambda()#1}>(U*, l<B*>(B*)::{lambda()#1})',
    );
  });
});

test.each([
  ['_ZN3app4workERKSt6vectorIiSaIiEE', ['app::work', 'app::work']],
  [
    '_ZNSt6vectorIiSaIiEE9push_backEOi',
    ['std::vector<int, std::allocator<int> >::push_back', 'std::vector::push_back'],
  ],
  ['_Z1fIiEvT_', ['f<int>', 'f']],
  ['_RINvC1a1fhE', ['a::f']],
  ['main', []],
])('gives the short names of %s', (symbol, names) => {
  expect(shortNames(symbol)).toEqual(names);
});

test.each([
  'main',
  '_start',
  '_Z',
  '_ZN',
  '_ZN3foo',
  '_Zfoo',
  '_Z3foovqq',
  '_Z1fT_',
  '_Z1fS_',
  '_Z1fDpT_',
  '_Z9foov',
  '_ZN3fooE$x',
  '_R',
  '_RNvC1a',
  '_RNvC1a1fXYZ',
  '_RINvC1aTB9_B9_EE',
  '_RNvB_1f',
  '_ZN3foo17hE',
])('leaves %s as it is, because it is not understood to its end', (symbol) => {
  expect(demangle(symbol)).toBeUndefined();
});

/** Symbols whose names are exponentially long or deeply nested. */
function hostile(): readonly (readonly [string, string])[] {
  const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const substitution = (i: number): string => (i === 0 ? 'S_' : `S${(i - 1).toString(36).toUpperCase()}_`);
  const cpp = Array.from({ length: 200 }, (_, i) => `S_I${substitution(i + 1).repeat(2)}E`).join('');
  let rust = '_RINvC1a1fTuuE';
  for (let before = 8, i = 0; i < 200; i++) {
    const here = rust.length - 2;
    const number = before - 1;
    const reference = `B${number < 62 ? digits[number]! : digits[Math.floor(number / 62)]! + digits[number % 62]!}_`;
    rust += `T${reference}${reference}E`;
    before = here;
  }
  return [
    ['doubled substitutions', `_Z1f1AIiiE${cpp}`],
    ['doubled back references', `${rust}E`],
    ['a back reference to itself', '_RINvC1a1fB9_E'],
    ['pointers', `_Z1f${'P'.repeat(4000)}i`],
    ['references in Rust', `_RINvC1a1f${'R'.repeat(4000)}uE`],
    ['nested names', '_ZN'.repeat(1300)],
    ['nested arguments', `_Z1f${'1AI'.repeat(600)}i${'E'.repeat(600)}`],
    ['local names', `_${'Z'.repeat(1000)}1fv${'E1x'.repeat(900)}`],
    ['expressions', `_Z1fIXX${'pl'.repeat(1500)}`],
    ['unresolved names', `_Z1fIX${'sr1aI'.repeat(700)}`],
    ['empty packs', `_Z1f${'IJ'.repeat(900)}${'EE'.repeat(900)}v`],
    ['a long identifier', `_Z${'9'.repeat(3000)}`],
    ['a long symbol', `_Z5000${'a'.repeat(5000)}v`],
  ];
}

test.each(hostile())('gives up on %s within bounds', (_, symbol) => {
  expect(demangle(symbol)).toBeUndefined();
  expect(shortNames(symbol)).toEqual([]);
});

test('limits a name to 16,384 characters', () => {
  const long = 'a'.repeat(4000);
  expect(demangle(`_Z1f4000${long}S_S_S_S_`)).toBeUndefined();
  const fits = 'a'.repeat(900);
  expect(demangle(`_Z1f900${fits}S_S_S_`)).toBe(`f(${[fits, fits, fits, fits].join(', ')})`);
});

test.each([
  ['gdel_5qa', 'gödel'],
  ['fsse_jra', undefined],
  ['', ''],
])('decodes the Punycode of %s', (encoded, text) => {
  if (text === undefined) expect(punycode(encoded)).not.toBe(encoded);
  else expect(punycode(encoded)).toBe(text);
});
