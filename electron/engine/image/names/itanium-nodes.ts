/**
 * Parts of a C++ name, as a tree that is printed when the whole symbol is understood. C++ declares types around the name (`int (*f)[3]`), so
 * every part prints a left and a right half. Spelling follows c++filt of GNU binutils.
 */
import { giveUp, type Printer, type Scope } from './printer.ts';

type Out = Printer<Node>;

export interface Node {
  left(out: Out): void;
  right?(out: Out): void;
  /** Kind of type, if a pointer to it needs parentheses. */
  shape?(out: Out): Shape;
  /** Argument that a template parameter stands for, and the scope to print it in. */
  target?(out: Out): Placed | undefined;
  /** Reference type: its sign and the type that it refers to. */
  readonly reference?: { readonly sign: '&' | '&&'; readonly to: Node };
  /** Elements of an argument pack. */
  readonly pack?: readonly Node[];
  /** Last part of the name without template arguments, which constructors repeat. */
  readonly base?: Node;
  /** True if the node needs no parentheses as an operand. */
  readonly isSimple?: true;
  /** Form of a standard abbreviation before constructors: `std::basic_string<...>` for `std::string`. */
  readonly expanded?: Node;
}

interface Placed {
  readonly node: Node;
  readonly scope: Scope<Node> | undefined;
}

export type Shape = 'function' | 'array' | undefined;

export function print(node: Node, out: Out): void {
  out.step(() => {
    node.left(out);
    node.right?.(out);
  });
}

const left = (node: Node, out: Out): void => {
  out.step(() => {
    node.left(out);
  });
};
const right = (node: Node, out: Out): void => {
  out.step(() => node.right?.(out));
};
const shapeOf = (node: Node, out: Out): Shape => out.step(() => node.shape?.(out));

/** Prints a list. Elements that print nothing, such as empty packs, need no comma. */
export function printList(nodes: readonly Node[], out: Out): void {
  let isFirst = true;
  for (const node of nodes) {
    const before = out.text;
    if (!isFirst) out.write(', ');
    const start = out.text.length;
    print(node, out);
    if (out.text.length === start) out.text = before;
    else isFirst = false;
  }
}

export function text(value: string, base?: Node): Node {
  return { left: (out) => out.write(value), ...(base && { base }) };
}

/** Joins texts and nodes. */
export function sequence(...parts: readonly (string | Node)[]): Node {
  return {
    left: (out) => {
      for (const part of parts)
        if (typeof part === 'string') out.write(part);
        else print(part, out);
    },
  };
}

export function list(before: string, nodes: readonly Node[], after: string): Node {
  return {
    left: (out) => {
      out.write(before);
      printList(nodes, out);
      out.write(after);
    },
  };
}

export function nested(scope: Node, name: Node): Node {
  return { ...sequence(scope, '::', name), base: name.base ?? name };
}

/** Appends an ABI tag, such as [abi:cxx11]. Constructors repeat the name with its tags. */
export function tagged(name: Node, tag: string): Node {
  return { ...sequence(name, `[abi:${tag}]`), ...(name.expanded && { expanded: name.expanded }) };
}

export function templated(name: Node, args: readonly Node[]): Node {
  return {
    left: (out) => {
      print(name, out);
      if (out.bare) return;
      out.write(out.text.endsWith('<') ? ' <' : '<');
      printList(args, out);
      out.write(out.text.endsWith('>') ? ' >' : '>');
    },
    base: name.base ?? name,
  };
}

/** Adds const, volatile, restrict or a vendor's qualifier behind a type. */
export function qualified(type: Node, qualifiers: string): Node {
  return {
    left: (out) => {
      left(type, out);
      out.write(qualifiers);
    },
    right: (out) => {
      right(type, out);
    },
    shape: (out) => shapeOf(type, out),
  };
}

export function pointer(to: Node): Node {
  return { left: (out) => openPointer(to, out, '*'), right: (out) => closePointer(to, out) };
}

function openPointer(to: Node, out: Out, sign: string): void {
  const shape = shapeOf(to, out);
  left(to, out);
  if (shape === 'array') out.write(' ');
  out.write(shape === undefined ? sign : `(${sign}`);
}

function closePointer(to: Node, out: Out): void {
  if (shapeOf(to, out) !== undefined) out.write(')');
  right(to, out);
}

/** A reference to a reference collapses: to `&`, unless both are `&&` (C++ standard, [dcl.ref]). */
export function reference(to: Node, sign: '&' | '&&'): Node {
  const collapsed = (out: Out): Placed & { readonly sign: '&' | '&&' } => {
    let result = { node: to, scope: out.scope, sign };
    for (;;) {
      const { node, scope } = resolved(result.node, result.scope, out);
      if (node.reference === undefined) return result;
      result = { node: node.reference.to, scope, sign: node.reference.sign === '&' ? '&' : result.sign };
    }
  };
  return {
    left: (out) => {
      const { node, scope, sign: own } = collapsed(out);
      inScope(out, scope, () => {
        openPointer(node, out, own);
      });
    },
    right: (out) => {
      const { node, scope } = collapsed(out);
      inScope(out, scope, () => {
        closePointer(node, out);
      });
    },
    reference: { sign, to },
  };
}

function inScope<T>(out: Out, scope: Scope<Node> | undefined, run: () => T): T {
  const outer = out.scope;
  out.scope = scope;
  const result = run();
  out.scope = outer;
  return result;
}

/** Follows template parameters to their argument. */
function resolved(node: Node, scope: Scope<Node> | undefined, out: Out): Placed {
  let at: Placed = { node, scope };
  for (;;) {
    const { target } = at.node;
    const next = out.step(() => inScope(out, at.scope, () => target?.(out)));
    if (next === undefined) return at;
    at = next;
  }
}

export function memberPointer(owner: Node, member: Node): Node {
  return {
    left: (out) => {
      left(member, out);
      out.write(shapeOf(member, out) === undefined ? ' ' : shapeOf(member, out) === 'array' ? ' (' : '(');
      print(owner, out);
      out.write('::*');
    },
    right: (out) => closePointer(member, out),
  };
}

export function array(element: Node, length: Node | undefined): Node {
  return {
    left: (out) => left(element, out),
    right: (out) => {
      out.write(out.text.endsWith(']') ? '[' : ' [');
      if (length) print(length, out);
      out.write(']');
      right(element, out);
    },
    shape: () => 'array',
  };
}

/** @param after qualifiers, reference sign and exception specification */
export function functionType(result: Node, parameters: readonly Node[], after: Node): Node {
  return {
    left: (out) => {
      left(result, out);
      out.write(' ');
    },
    right: (out) => {
      out.write('(');
      printList(parameters, out);
      out.write(')');
      right(result, out);
      print(after, out);
    },
    shape: () => 'function',
  };
}

/** A function with its parameters. `args`: arguments of its own template. `after`: qualifiers of the function. */
export function encoding(
  result: Node | undefined,
  name: Node,
  parameters: readonly Node[],
  args: readonly Node[] | undefined,
  after: string,
): Node {
  const whole = (out: Out): void => {
    if (result) {
      left(result, out);
      if (shapeOf(result, out) === undefined) out.write(' ');
    }
    print(name, out);
    out.write('(');
    printList(parameters, out);
    out.write(')');
    if (result) right(result, out);
    out.write(after);
  };
  return {
    left: (out) => {
      withArguments(out, args, () => {
        whole(out);
      });
    },
  };
}

/** Prints a name whose template parameters stand for these arguments. */
export function withArguments(out: Out, args: readonly Node[] | undefined, run: () => void): void {
  const [isLambda, pack] = [out.isLambda, out.pack];
  [out.isLambda, out.pack] = [false, undefined];
  inScope(out, args === undefined ? out.scope : { args, outer: out.scope }, run);
  [out.isLambda, out.pack] = [isLambda, pack];
}

/**
 * A template parameter. Its meaning depends on the name in which it is printed, because a substitution can repeat the parameter of an inner
 * function for an outer one. A pack prints one element at a time within an expansion.
 */
export function templateParameter(index: number): Node {
  const argument = (out: Out): Placed | undefined => {
    if (out.isLambda) return undefined;
    const { args, outer } = out.scope ?? giveUp();
    const found = args[index] ?? giveUp();
    if (found.pack === undefined || out.pack === undefined) return { node: found, scope: outer };
    out.pack.size ??= found.pack.length;
    return { node: found.pack[out.pack.index] ?? NOTHING, scope: outer };
  };
  const through = <T>(out: Out, use: (node: Node) => T): T | undefined => {
    const found = argument(out);
    return found && inScope(out, found.scope, () => use(found.node));
  };
  return {
    left: (out) => {
      if (out.isLambda) out.write(`auto:${index + 1}`);
      else
        through(out, (node) => {
          left(node, out);
        });
    },
    right: (out) => {
      through(out, (node) => {
        right(node, out);
      });
    },
    shape: (out) => through(out, (node) => shapeOf(node, out)),
    target: argument,
  };
}

const NOTHING: Node = { left: () => undefined };

/** A lambda, named by its parameters and its number in the function. */
export function lambda(parameters: readonly Node[], number: number): Node {
  return {
    left: (out) => {
      out.write('{lambda(');
      const outer = out.isLambda;
      out.isLambda = true;
      printList(parameters, out);
      out.isLambda = outer;
      out.write(`)#${number}}`);
    },
  };
}

/** Repeats a pattern for each element of the packs in it. */
export function expansion(pattern: Node): Node {
  return {
    left: (out) => {
      const [outer, before] = [out.pack, out.text];
      const pack = { index: 0, size: undefined as number | undefined };
      out.pack = pack;
      print(pattern, out);
      if (pack.size === undefined) out.write('...');
      else if (pack.size === 0) out.text = before;
      else {
        while (++pack.index < pack.size) {
          out.write(', ');
          print(pattern, out);
        }
      }
      out.pack = outer;
    },
  };
}

export function argumentPack(elements: readonly Node[]): Node {
  return { left: (out) => printList(elements, out), pack: elements };
}
