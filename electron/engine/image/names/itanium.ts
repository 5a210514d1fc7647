/**
 * Reads C++ symbols as the Itanium C++ ABI mangles them (section 5.1, https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling): a
 * recursive descent over the grammar, whose productions the functions are named after. All compilers for Linux, macOS and embedded
 * processors use it. Productions that are not supported make the symbol not understood.
 */
import {
  ABBREVIATIONS,
  BUILTIN_TYPES,
  LITERAL_SUFFIXES,
  OBJECT_DATA,
  OPERATORS,
  TYPE_DATA,
  type Operator,
} from './itanium-tables.ts';
import {
  argumentPack,
  array,
  encoding,
  expansion,
  functionType,
  lambda,
  list,
  memberPointer,
  nested,
  pointer,
  print,
  qualified,
  reference,
  sequence,
  tagged,
  templated,
  templateParameter,
  text,
  type Node,
  withArguments,
} from './itanium-nodes.ts';
import { createPrinter, giveUp } from './printer.ts';

export interface CppName {
  /** All of the symbol. */
  readonly whole: Node;
  /** The name without return type, parameters and qualifiers; undefined if the symbol is not a function. */
  readonly name?: Node;
  /** First character after the mangled name. */
  readonly end: number;
}

/** Facts about a name that decide how its function is read. */
interface NameFacts {
  /** Constructors, destructors and conversions have no return type. */
  isUntyped: boolean;
  /** Qualifiers of a member function, as printed. */
  qualifiers: string;
  /** Template arguments at the end of the name. */
  args: readonly Node[] | undefined;
}

/** Reads the symbol `_Z...`. Throws NotUnderstood. */
export function readItanium(symbol: string): CppName {
  /** Limits depth and number of productions. */
  const limits = createPrinter();
  const substitutions: Node[] = [];
  /** False in the type of a conversion operator, whose template arguments belong to the operator. */
  let takesArguments = true;
  let at = 2;

  const { whole, name } = readEncoding();
  return { whole, ...(name && { name }), end: at };

  function peek(length = 1): string {
    return symbol.slice(at, at + length);
  }

  function take(wanted: string): boolean {
    if (!symbol.startsWith(wanted, at)) return false;
    at += wanted.length;
    return true;
  }

  function expect(wanted: string): void {
    if (!take(wanted)) giveUp();
  }

  function isDigit(offset = 0): boolean {
    const code = symbol.charCodeAt(at + offset);
    return code >= 48 && code <= 57;
  }

  function digits(): string {
    const start = at;
    while (isDigit()) at++;
    if (start === at) giveUp();
    return symbol.slice(start, at);
  }

  function number(): string {
    return take('n') ? `-${digits()}` : digits();
  }

  /** Reads productions up to an `E`. */
  function until<T>(read: () => T): T[] {
    const all: T[] = [];
    while (!take('E')) all.push(read());
    return all;
  }

  function remember(node: Node): Node {
    substitutions.push(node);
    return node;
  }

  // 5.1.2 General structure

  function readEncoding(hasResult = true): { readonly whole: Node; readonly name?: Node } {
    return limits.step(() => {
      if (peek() === 'T' || (peek() === 'G' && /[VRT]/.test(symbol[at + 1] ?? ''))) return { whole: readSpecialName() };
      const facts = newFacts();
      const name = readName(facts);
      if (isAtEncodingEnd()) return { whole: name };
      const whole = readBareFunction(name, facts, hasResult);
      return { whole, name: { left: (out) => withArguments(out, facts.args, () => print(name, out)) } };
    });
  }

  function newFacts(): NameFacts {
    return { isUntyped: false, qualifiers: '', args: undefined };
  }

  function isAtEncodingEnd(): boolean {
    return at >= symbol.length || '.E@_'.includes(peek());
  }

  function readBareFunction(name: Node, facts: NameFacts, hasResult: boolean): Node {
    const result = facts.args !== undefined && !facts.isUntyped ? readType() : undefined;
    const types: Node[] = [];
    if (!take('v')) {
      do types.push(readType());
      while (!isAtEncodingEnd());
    }
    return encoding(hasResult ? result : undefined, name, types, facts.args, facts.qualifiers);
  }

  function readSpecialName(): Node {
    const code = peek(2);
    at += 2;
    const data = TYPE_DATA[code];
    if (data !== undefined) return sequence(data, readType());
    const object = OBJECT_DATA[code];
    if (object !== undefined) return sequence(object, readName(newFacts()));
    switch (code) {
      case 'TC': {
        const owner = readType();
        digits();
        expect('_');
        return sequence('construction vtable for ', readType(), '-in-', owner);
      }
      case 'TA':
        return sequence('template parameter object for ', readTemplateArgument());
      case 'Th':
      case 'Tv':
        at--;
        return sequence(`${readCallOffset()} thunk to `, readEncoding().whole);
      case 'Tc':
        readCallOffset();
        readCallOffset();
        return sequence('covariant return thunk to ', readEncoding().whole);
      case 'GR': {
        const object_ = readName(newFacts());
        const id = symbol.slice(at, symbol.indexOf('_', at));
        if (!/^[0-9A-Z]*$/.test(id)) giveUp();
        at += id.length + 1;
        return sequence(`reference temporary #${id === '' ? 0 : parseInt(id, 36) + 1} for `, object_);
      }
      case 'GT':
        if (!take('t') && !take('n')) giveUp();
        return sequence(
          symbol[at - 1] === 't' ? 'transaction clone for ' : 'non-transaction clone for ',
          readEncoding().whole,
        );
      default:
        return giveUp();
    }
  }

  function readCallOffset(): string {
    const isVirtual = take('v');
    if (!isVirtual) expect('h');
    number();
    expect('_');
    if (isVirtual) {
      number();
      expect('_');
    }
    return isVirtual ? 'virtual' : 'non-virtual';
  }

  // 5.1.3 Names

  function readName(facts: NameFacts): Node {
    return limits.step(() => {
      if (peek() === 'N') return readNestedName(facts);
      if (peek() === 'Z') return readLocalName(facts);
      let name: Node;
      if (peek() === 'S' && peek(2) !== 'St') {
        name = readSubstitution();
        if (peek() !== 'I') giveUp();
      } else {
        name = readUnscopedName(facts);
        if (peek() !== 'I') return name;
        remember(name);
      }
      facts.args = readTemplateArguments();
      return templated(name, facts.args);
    });
  }

  function readUnscopedName(facts: NameFacts): Node {
    const isStd = take('St');
    const name = readUnqualifiedName(undefined, facts);
    return isStd ? nested(text('std'), name) : name;
  }

  function readNestedName(facts: NameFacts): Node {
    expect('N');
    const qualifiers = readQualifiers();
    const sign = take('R') ? ' &' : take('O') ? ' &&' : '';
    facts.qualifiers = qualifiers + sign;
    let scope: Node | undefined;
    for (let parts = 0; !take('E'); parts++) {
      if (scope !== undefined && take('M')) continue;
      const before = facts.args;
      facts.args = undefined;
      if (peek() === 'T') scope = remember(readTemplateParameter());
      else if (peek() === 'I') {
        if (scope === undefined) giveUp();
        if (before !== undefined) giveUp();
        facts.args = readTemplateArguments();
        scope = remember(templated(scope, facts.args));
      } else if (/^D[tT]/.test(peek(2))) scope = remember(readDecltype());
      else if (peek() === 'S' && parts === 0) {
        if (take('St')) scope = text('std');
        else scope = readSubstitution();
        continue;
      } else {
        const name = readUnqualifiedName(scope, facts);
        scope = remember(scope === undefined ? name : nested(scopeBefore(scope), name));
        continue;
      }
    }
    if (scope === undefined || substitutions.length === 0) giveUp();
    substitutions.pop();
    return scope;

    /** Constructors of an abbreviated class are printed with all of its name. */
    function scopeBefore(node: Node): Node {
      return facts.isUntyped && node.expanded !== undefined ? node.expanded : node;
    }
  }

  function readLocalName(facts: NameFacts): Node {
    expect('Z');
    // As c++filt does, the return type of the enclosing function is left out.
    const outer = readEncoding(false).whole;
    expect('E');
    if (take('s')) {
      readDiscriminator();
      return sequence(outer, '::string literal');
    }
    if (take('d')) {
      const index = isDigit() || peek() === 'n' ? Number(number()) + 2 : 1;
      expect('_');
      return sequence(outer, `::{default arg#${index}}::`, readName(facts));
    }
    const entity = readName(facts);
    readDiscriminator();
    return nested(outer, entity);
  }

  function readDiscriminator(): void {
    if (take('__')) {
      digits();
      expect('_');
    } else if (peek() === '_' && isDigit(1)) at += 2;
  }

  function readUnqualifiedName(scope: Node | undefined, facts: NameFacts): Node {
    take('L');
    let name: Node;
    if (isDigit()) name = readSourceName();
    else if (peek() === 'U') name = readUnnamedType();
    else if (take('DC')) name = list('[', until(readSourceName), ']');
    else if (/^(C[I1-5]|D[0-5])/.test(peek(2))) name = readConstructor(scope, facts);
    else name = readOperatorName(facts);
    while (take('B')) name = tagged(name, readIdentifier());
    return name;
  }

  function readIdentifier(): string {
    const length = Number(digits());
    const end = at + length;
    if (length === 0 || end > symbol.length) giveUp();
    const name = symbol.slice(at, end);
    at = end;
    return name;
  }

  function readSourceName(): Node {
    const name = readIdentifier();
    return text(/^_GLOBAL_[._$]N/.test(name) ? '(anonymous namespace)' : name);
  }

  function readConstructor(scope: Node | undefined, facts: NameFacts): Node {
    if (scope === undefined) giveUp();
    facts.isUntyped = true;
    const base = scope.base ?? scope;
    if (take('D')) {
      at++;
      return sequence('~', base);
    }
    expect('C');
    const isInherited = take('I');
    at++;
    if (isInherited) readName(newFacts());
    return sequence(base);
  }

  function readUnnamedType(): Node {
    if (take('Ut')) return text(`{unnamed type#${readSequence()}}`);
    if (!take('Ul')) giveUp();
    const types = take('vE') ? [] : until(readType);
    return lambda(types, readSequence());
  }

  /** Reads `_` as 1, `0_` as 2 and so on. */
  function readSequence(): number {
    const value = isDigit() ? Number(digits()) + 2 : 1;
    expect('_');
    return value;
  }

  function readOperatorName(facts: NameFacts): Node {
    const code = peek(2);
    at += 2;
    if (code === 'cv') {
      facts.isUntyped = true;
      const outer = takesArguments;
      takesArguments = false;
      const type = readType();
      takesArguments = outer;
      return sequence('operator ', type);
    }
    if (code === 'li') return sequence('operator"" ', readSourceName());
    if (/^v\d/.test(code)) return sequence('operator ', readSourceName());
    const operator = operatorAt(code);
    if (operator === undefined || operator.onlyInExpressions) giveUp();
    return text(`operator${operator.sign}`);
  }

  function operatorAt(code: string): Operator | undefined {
    return Object.hasOwn(OPERATORS, code) ? OPERATORS[code] : undefined;
  }

  // 5.1.5 Types

  function readQualifiers(): string {
    const [isRestrict, isVolatile, isConst] = [take('r'), take('V'), take('K')];
    return (isConst ? ' const' : '') + (isVolatile ? ' volatile' : '') + (isRestrict ? ' restrict' : '');
  }

  function readType(): Node {
    return limits.step(readAnyType);
  }

  function readAnyType(): Node {
    const builtin = BUILTIN_TYPES[peek()] ?? BUILTIN_TYPES[peek(2)];
    if (builtin !== undefined) {
      at += BUILTIN_TYPES[peek()] === undefined ? 2 : 1;
      return text(builtin);
    }
    switch (peek()) {
      case 'r':
      case 'V':
      case 'K':
        return readQualifiedType();
      case 'U':
        return readVendorType();
      case 'u':
        at++;
        return remember(withOwnArguments(readSourceName()));
      case 'P':
        at++;
        return remember(pointer(readType()));
      case 'R':
        at++;
        return remember(reference(readType(), '&'));
      case 'O':
        at++;
        return remember(reference(readType(), '&&'));
      case 'C':
        at++;
        return remember(qualified(readType(), ' _Complex'));
      case 'G':
        at++;
        return remember(qualified(readType(), ' _Imaginary'));
      case 'F':
        return remember(readFunctionType(''));
      case 'A':
        return remember(readArrayType());
      case 'M': {
        at++;
        const owner = readType();
        return remember(memberPointer(owner, readType()));
      }
      case 'D':
        return readTypeD();
      case 'T':
        return readParameterType();
      case 'S': {
        if (peek(2) === 'St') break;
        const substitution = readSubstitution();
        if (!takesArguments || peek() !== 'I') return substitution;
        return remember(templated(substitution, readTemplateArguments()));
      }
    }
    if (!isDigit() && !'NZS'.includes(peek())) giveUp();
    return remember(readName(newFacts()));
  }

  function withOwnArguments(node: Node): Node {
    return peek() === 'I' ? templated(node, readTemplateArguments()) : node;
  }

  function readQualifiedType(): Node {
    const qualifiers = readQualifiers();
    if (peek() === 'F' || /^D[oOwx]/.test(peek(2))) return remember(readFunctionType(qualifiers));
    return remember(qualified(readType(), qualifiers));
  }

  function readVendorType(): Node {
    expect('U');
    const name = withOwnArguments(readSourceName());
    const type = readType();
    return remember({
      ...qualified(type, ''),
      left: (out) => {
        type.left(out);
        out.write(' ');
        name.left(out);
      },
    });
  }

  function readFunctionType(qualifiers: string): Node {
    let after = text('');
    if (take('Do')) after = text(' noexcept');
    else if (take('DO')) {
      after = sequence(' noexcept(', readExpression(), ')');
      expect('E');
    } else if (take('Dw')) after = list(' throw(', until(readType), ')');
    const isTransactional = take('Dx');
    expect('F');
    take('Y');
    const result = readType();
    const types: Node[] = [];
    let sign = '';
    while (!take('E')) {
      if (take('v')) continue;
      if (take('RE')) sign = ' &';
      else if (take('OE')) sign = ' &&';
      else {
        types.push(readType());
        continue;
      }
      break;
    }
    return functionType(result, types, sequence(qualifiers, sign, isTransactional ? ' transaction_safe' : '', after));
  }

  function readArrayType(): Node {
    expect('A');
    let length: Node | undefined;
    if (isDigit()) length = text(digits());
    else if (peek() !== '_') length = readExpression();
    expect('_');
    return array(readType(), length);
  }

  function readTypeD(): Node {
    switch (symbol[at + 1]) {
      case 't':
      case 'T':
        return remember(readDecltype());
      case 'p':
        at += 2;
        return remember(expansion(readType()));
      case 'v': {
        at += 2;
        const length = take('_') ? readExpression() : text(digits());
        expect('_');
        const element = readType();
        return remember({ ...qualified(element, ''), ...sequence(element, ' __vector(', length, ')') });
      }
      case 'F': {
        at += 2;
        const bits = digits();
        if (take('b')) return text('std::bfloat16_t');
        if (take('x')) return text(`_Float${bits}x`);
        expect('_');
        return text(`_Float${bits}`);
      }
      case 'B':
      case 'U': {
        const sign = symbol[at + 1] === 'U' ? 'unsigned ' : '';
        at += 2;
        const bits = isDigit() ? text(digits()) : readExpression();
        expect('_');
        return sequence(`${sign}_BitInt(`, bits, ')');
      }
      case 'o':
      case 'O':
      case 'w':
      case 'x':
        return remember(readFunctionType(''));
      default:
        return giveUp();
    }
  }

  function readDecltype(): Node {
    at += 2;
    const expression = readExpression();
    expect('E');
    return sequence('decltype (', expression, ')');
  }

  function readParameterType(): Node {
    if (/^T[sue]/.test(peek(2))) {
      at += 2;
      return remember(readName(newFacts()));
    }
    const parameter = remember(readTemplateParameter());
    if (!takesArguments || peek() !== 'I') return parameter;
    return remember(templated(parameter, readTemplateArguments()));
  }

  // 5.1.5.8 Template arguments

  function readTemplateArguments(): readonly Node[] {
    expect('I');
    const outer = takesArguments;
    takesArguments = true;
    const args = until(readTemplateArgument);
    takesArguments = outer;
    return args;
  }

  function readTemplateArgument(): Node {
    return limits.step(() => {
      if (take('X')) {
        const expression = readExpression();
        expect('E');
        return expression;
      }
      // GCC before version 4.6 wrote `I` for `J`.
      if (take('J') || take('I')) return argumentPack(until(readTemplateArgument));
      return peek() === 'L' ? readLiteral() : readType();
    });
  }

  function readTemplateParameter(): Node {
    expect('T');
    const index = isDigit() ? Number(digits()) + 1 : 0;
    expect('_');
    return templateParameter(index);
  }

  // 5.1.6 Expressions

  function readExpression(): Node {
    return limits.step(readAnyExpression);
  }

  function operand(node: Node): Node {
    return node.isSimple ? node : sequence('(', node, ')');
  }

  function simple(node: Node): Node {
    return { ...node, isSimple: true };
  }

  function readAnyExpression(): Node {
    const isGlobal = take('gs');
    const before = isGlobal ? '::' : '';
    if (peek() === 'L') return readLiteral();
    if (peek() === 'T') return readTemplateParameter();
    if (isDigit()) return sequence(before, readSimpleId());
    const code = peek(2);
    if (code === 'fp' || (code === 'fL' && isDigit(2))) return readFunctionParameter();
    if (/^f[lrLR]/.test(code)) return readFold();
    switch (code) {
      case 'on':
      case 'dn':
      case 'sr':
        return sequence(before, readUnresolvedName());
      case 'sp':
        at += 2;
        return expansion(readExpression());
      case 'sZ':
        at += 2;
        return sequence(
          'sizeof...(',
          peek() === 'T' ? expansion(readTemplateParameter()) : readFunctionParameter(),
          ')',
        );
      case 'sP':
        at += 2;
        return list('sizeof...(', until(readTemplateArgument), ')');
      case 'tl': {
        at += 2;
        const type = readType();
        return sequence(type, list('{', until(readExpression), '}'));
      }
      case 'il':
        at += 2;
        return list('{', until(readExpression), '}');
      case 'tr':
        at += 2;
        return text('throw');
      case 'cv': {
        at += 2;
        const type = readType();
        return sequence('(', type, ')', take('_') ? list('(', until(readExpression), ')') : operand(readExpression()));
      }
    }
    const operator = operatorAt(code) ?? giveUp();
    at += 2;
    return readOperation(operator, before);
  }

  function readOperation({ sign, form }: Operator, before: string): Node {
    switch (form) {
      case 'type':
        return sequence(sign, '(', readType(), ')');
      case 'prefix':
        return sequence(sign.trimStart(), operand(readExpression()));
      case 'postfix':
        if (take('_')) return sequence(sign, operand(readExpression()));
        return sequence(operand(readExpression()), sign);
      case 'member': {
        const object = readExpression();
        return sequence(operand(object), sign, readUnresolvedMember());
      }
      case 'binary': {
        const first = readExpression();
        const second = readExpression();
        if (sign === '[]') return sequence(operand(first), '[', second, ']');
        const both = sequence(operand(first), sign, operand(second));
        return sign === '>' ? sequence('(', both, ')') : both;
      }
      case 'ternary': {
        const condition = readExpression();
        const yes = readExpression();
        return sequence(operand(condition), '?', operand(yes), ' : ', operand(readExpression()));
      }
      case 'call': {
        const callee = readExpression();
        return sequence(callee, list('(', until(readExpression), ')'));
      }
      case 'cast': {
        const type = readType();
        return sequence(sign, '<', type, '>', operand(readExpression()));
      }
      case 'delete':
        return sequence(before, sign.trimStart(), ' ', readExpression());
      case 'new':
        return readNew(before + sign.trimStart());
    }
  }

  function readNew(sign: string): Node {
    const places: Node[] = [];
    while (!take('_')) places.push(readExpression());
    const type = readType();
    const initial = take('pi')
      ? list('(', until(readExpression), ')')
      : peek(2) === 'il'
        ? readExpression()
        : undefined;
    if (initial === undefined || peek() === 'E') take('E');
    return sequence(sign, places.length > 0 ? list('(', places, ')') : '', ' ', type, initial ?? '');
  }

  function readFold(): Node {
    const [, form = ''] = peek(2);
    at += 2;
    const operator = operatorAt(peek(2)) ?? giveUp();
    at += 2;
    const first = readExpression();
    const second = form === 'L' || form === 'R' ? readExpression() : undefined;
    const { sign } = operator;
    if (second) return sequence('(', operand(first), sign, '...', sign, operand(second), ')');
    return form === 'l' ? sequence('(...', sign, operand(first), ')') : sequence('(', operand(first), sign, '...)');
  }

  function readFunctionParameter(): Node {
    if (take('fpT')) return simple(text('this'));
    if (take('fL')) {
      digits();
      expect('p');
    } else expect('fp');
    readQualifiers();
    const index = isDigit() ? Number(digits()) + 2 : 1;
    expect('_');
    return simple(text(`{parm#${index}}`));
  }

  function readSimpleId(): Node {
    const name = readSourceName();
    return peek() === 'I' ? withOwnArguments(name) : simple(name);
  }

  function readUnresolvedMember(): Node {
    if (peek(2) === 'on' || peek(2) === 'dn' || isDigit()) return readBaseUnresolvedName();
    return peek(2) === 'sr' ? readUnresolvedName() : readExpression();
  }

  function readBaseUnresolvedName(): Node {
    if (isDigit()) return readSimpleId();
    if (take('dn')) return sequence('~', isDigit() ? readSimpleId() : readUnresolvedType());
    expect('on');
    return withOwnArguments(readOperatorName(newFacts()));
  }

  function readUnresolvedType(): Node {
    if (peek() === 'T') return readParameterType();
    if (/^D[tT]/.test(peek(2))) return remember(readDecltype());
    if (peek(2) === 'St') return remember(readName(newFacts()));
    const node = readSubstitution();
    return peek() === 'I' ? remember(templated(node, readTemplateArguments())) : node;
  }

  function readUnresolvedName(): Node {
    if (!take('sr')) return readBaseUnresolvedName();
    let scope: Node;
    if (isDigit()) {
      // Either the qualifiers and an `E`, or (older compilers) a class type and the name.
      const start = at;
      const before = substitutions.length;
      scope = readSimpleId();
      if (isDigit() || take('E')) {
        at = start;
        substitutions.length = before;
        return readQualifiedUnresolvedName();
      }
    } else scope = readUnresolvedScope();
    return simple(nested(scope, readBaseUnresolvedName()));
  }

  function readUnresolvedScope(): Node {
    return peek() === 'N' ? readType() : withOwnArguments(readUnresolvedType());
  }

  function readQualifiedUnresolvedName(): Node {
    const [start, before] = [at, substitutions.length];
    const scopes: Node[] = [];
    while (isDigit()) scopes.push(readSimpleId());
    if (take('E') && (isDigit() || /^[od]n/.test(peek(2)))) {
      const scope = scopes.reduce((all, next) => nested(all, next));
      return simple(nested(scope, readBaseUnresolvedName()));
    }
    at = start;
    substitutions.length = before;
    const type = readType();
    return simple(nested(type, readBaseUnresolvedName()));
  }

  function readLiteral(): Node {
    expect('L');
    if (take('_Z') || take('Z')) {
      const { whole, name } = readEncoding();
      expect('E');
      return name === undefined ? simple(whole) : whole;
    }
    const code = peek();
    if (code === 'b' && /^b[01]E/.test(peek(3))) {
      at += 3;
      return text(symbol[at - 2] === '1' ? 'true' : 'false');
    }
    const isNull = peek(2) === 'Dn';
    const type = readType();
    if (take('E')) return isNull ? text('(decltype(nullptr))0') : sequence('(', type, ')0');
    if ('fdeg'.includes(code)) {
      const bits = /^[0-9a-f]+/.exec(symbol.slice(at, at + 32))?.[0] ?? giveUp();
      at += bits.length;
      expect('E');
      return sequence('(', type, `)[${bits}]`);
    }
    const value = number();
    expect('E');
    const suffix = LITERAL_SUFFIXES[code];
    return suffix === undefined ? sequence('(', type, `)${value}`) : text(value + suffix);
  }

  // 5.1.10 Compression

  function readSubstitution(): Node {
    expect('S');
    const letter = peek();
    const abbreviation = Object.hasOwn(ABBREVIATIONS, letter) ? ABBREVIATIONS[letter] : undefined;
    if (abbreviation !== undefined) {
      at++;
      const base = text(abbreviation.base);
      const node = text(abbreviation.text, base);
      const known = abbreviation.full === undefined ? node : { ...node, expanded: text(abbreviation.full, base) };
      if (peek() !== 'B') return known;
      let withTags: Node = known;
      while (take('B')) withTags = tagged(withTags, readIdentifier());
      return remember(withTags);
    }
    const id = /^[0-9A-Z]*/.exec(symbol.slice(at, at + 8))?.[0] ?? '';
    at += id.length;
    expect('_');
    return substitutions[id === '' ? 0 : parseInt(id, 36) + 1] ?? giveUp();
  }
}
