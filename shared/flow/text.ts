/**
 * Classifies instructions by their disassembly, for ARM, AArch64, MIPS, RISC-V and x86.
 *
 *     bl 0x8624 · popge {r4, pc} · jalr ra,0(t1) · jr ra · c.j 80001234 · rep ret · int 80h
 *
 * Mnemonics that several processors share mean the same on all, or their operands distinguish them. Unknown text is no branch. Targets are
 * read only from x86 text, because its disassemblers agree on how they print them.
 */
import { BRANCH, NO_BRANCH } from './events.ts';
import { POINT, type Point } from './point.ts';

/** Sets branch and marks of a point, and the target if it is x86 text. */
export function classifyText(text: string, point: Point): void {
  point.branch = NO_BRANCH;
  // Formats without text call this for every branch.
  if (text === '') return;
  const [mnemonic, operands] = partsOf(text);
  const { branch, mark, isLinking, isSettingLink, isDirect } = traitsOf(mnemonic);
  point.branch = branch ?? branchByOperands(mnemonic, operands);
  point.mark |= mark;
  if (isLinking && /^(lr\s*,\s*(pc|r15)|r14\s*,\s*pc)$/.test(operands)) point.mark |= POINT.link;
  if (isSettingLink && /^(lr|r14|x30)\s*,(?!.*\[\s*(sp|r13)\b)/.test(operands)) point.mark |= POINT.setsLink;
  if (point.branch === BRANCH.jump && /(\[|,)\s*(lr|r14|x30)\b|^(lr|x30)$/.test(operands)) point.mark |= POINT.usesLink;
  if (point.branch !== NO_BRANCH && !OF_ARM.test(mnemonic)) {
    point.mark |= POINT.anywhere;
    point.targetLow = ENDS.test(mnemonic) ? 1 : 0;
    point.targetHigh = 0;
  }
  const target = isDirect ? ADDRESS.exec(operands)?.[1] : undefined;
  if (target === undefined) return;
  point.mark |= POINT.direct;
  point.targetLow = Number.parseInt(target.slice(-8), 16);
  point.targetHigh = Number.parseInt(target.slice(-16, -8) || '0', 16);
}

/** Facts about a mnemonic, whatever its operands are. */
interface Traits {
  /** Undefined if the operands determine it. */
  readonly branch: number | undefined;
  readonly mark: number;
  readonly isLinking: boolean;
  readonly isSettingLink: boolean;
  /** A direct branch of x86. */
  readonly isDirect: boolean;
}

/** Traits of mnemonics. Programs use a few hundred, so the patterns are tried once for each. */
const TRAITS = new Map<string, Traits>();
const MOST_TRAITS = 4096;

function traitsOf(mnemonic: string): Traits {
  let traits = TRAITS.get(mnemonic);
  if (traits === undefined) {
    traits = {
      branch: BY_MNEMONIC.find(([pattern]) => pattern.test(mnemonic))?.[1],
      mark:
        (MEMORY.test(mnemonic) ? POINT.memory : 0) |
        (X86_JUMP.test(mnemonic) ? POINT.always : 0) |
        (SUPERVISOR.test(mnemonic) ? POINT.supervisor : 0),
      isLinking: LINKING.test(mnemonic),
      isSettingLink: SETS_LINK.test(mnemonic),
      isDirect: X86_DIRECT.test(mnemonic),
    };
    if (TRAITS.size === MOST_TRAITS) TRAITS.clear();
    TRAITS.set(mnemonic, traits);
  }
  return traits;
}

/** Indirect branches that only ARM has. */
const OF_ARM =
  /^(bl?x|blxns|bxj|bxns|bxaut|letp|wls|wlstp\.(8|16|32|64)|pop|ldm|ldr|mov|mvn|add|adc|sub|sbc|rsb|rsc|and|orr|eor|bic|lsl|lsr|asr|ror|rrx|rfe|tb[bh]$)/;
/** Returns from exceptions and interrupts. */
const ENDS = /^(iret[dqlw]?|d?eret(nc|a[ab])?|[msud]ret|mnret)$/;

/** Direct branches of x86. */
const X86_DIRECT = /^(call[lqw]?|jmp[lqw]?|j[er]?cxz|loop(n?[ez])?|jn?[abglczosep]|jp[eo]|jn?[abgl]e)$/;
/** Unconditional jumps of x86. */
const X86_JUMP = /^jmp[lqw]?$/;
/** An address alone or with its symbol: 401100, 0x401100 <main+4>. */
const ADDRESS = /^(?:0x)?(?=\d|(?<=0x))([0-9a-f]{1,16})h?(?:\s*<[^>]*>)?$/;

const PREFIXES = /^((rep|repz|repnz|repe|repne|bnd|notrack|lock|data16|addr32)\s+)+/;
const MEMORY = /^(ldr|str|ldm|stm|push|pop|swp|ldp|stp|ldc|stc|ldu?r|stu?r|l[bhwd]u?$|s[bhwd]$)/;

function partsOf(text: string): readonly [mnemonic: string, operands: string] {
  const whole = text.trim().toLowerCase().replace(PREFIXES, '');
  const comment = whole.search(/[;#]\s/);
  const plain = comment < 0 ? whole : whole.slice(0, comment).trimEnd();
  const end = /\s|$/.exec(plain)?.index ?? plain.length;
  return [plain.slice(0, end).replace(/\.[wn]$/, ''), plain.slice(end).trim()];
}

const COND = '(eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al)';

const LINKING = new RegExp(`^mov${COND}?$`);
const SETS_LINK = new RegExp(`^(adrp?|addw?|subw?|movw?|movt|mov[zkn]|mvn|orr|ldr)${COND}?$`);
/** Mnemonics that determine the kind, in the order in which they are tried: `blt` is no `bl`. */
const SUPERVISOR = new RegExp(`^(svc|swi)${COND}?$`);
const BY_MNEMONIC: readonly (readonly [RegExp, number])[] = [
  [/^bal[cs]?$/, BRANCH.call],
  [new RegExp(`^b(c?\\.)?(${COND}|nv)$`), BRANCH.jump],
  [new RegExp(`^blx?${COND}?$|^blxns$`), BRANCH.call],
  [
    /^b$|^b(eq|ne|ge|lt|gt|le)(z|u|l|zl|c|zc|uc)$|^bc1(t|f|eqz|nez)l?$|^b(c|ovc|nvc)$|^c?bn?ez$|^c\.b(eq|ne)z$/,
    BRANCH.jump,
  ],
  [/^(cbn?z|tbn?z|br|bra[ab]z?|tb[bh]|letp|wls|wlstp\.(8|16|32|64)|c\.j|j|tail)$/, BRANCH.jump],
  [/^(bgezall?|bltzall?|b(gez|gtz|lez|ltz|eqz|nez)alc|jalx|jialc|jals|jalrs|c\.jalr?|blra[ab]z?)$/, BRANCH.call],
  [/^(l?callf?[lqw]?)$/, BRANCH.call],
  [/^(l?ret[nf]?[lqw]?|reta[ab](sppcr?)?|iret[dqlw]?|sysret[lq]?|sysexit[lq]?)$/, BRANCH.return],
  [/^(d?eret(nc|a[ab])?|[msud]ret|mnret|rfe(ia|ib|da|db)?)$/, BRANCH.return],
  [/^(l?jmpf?[lqw]?|j[er]?cxz|loop(n?[ez])?|jp[eo]|jn?[abglczosep]|jn?[abgl]e)$/, BRANCH.jump],
  [/^(int[13o]?|into|syscall|sysenter|ud[012][abw]?|ecall|c?\.?ebreak|break|brk|bkpt|hvc|smc)$/, BRANCH.exception],
  [SUPERVISOR, BRANCH.exception],
];

function branchByOperands(mnemonic: string, operands: string): number {
  // AArch64 calls a register; PowerPC has no operand and returns.
  if (mnemonic === 'blr') return operands === '' ? BRANCH.return : BRANCH.call;
  return LINKED.test(mnemonic) ? linked(mnemonic, operands) : armBranch(mnemonic, operands);
}

const LINKED = /^(c\.)?j(al)?r(c|\.hb)?$|^jal$|^jic$/;

/** Classifies JAL, JALR, JR and JIC of MIPS and RISC-V. The first of several registers is the link register. */
function linked(mnemonic: string, operands: string): number {
  const [first = '', second] = operands.split(',').map((operand) => operand.trim());
  if (mnemonic.endsWith('jal') || mnemonic.includes('jalr')) {
    if (second === undefined || LINKS.test(first)) return BRANCH.call;
    return /^(zero|x0|\$0|\$zero)$/.test(first) &&
      mnemonic.includes('jalr') &&
      /^(.*\()?(ra|x1|\$ra|\$31)\)?$/.test(second)
      ? BRANCH.return
      : BRANCH.jump;
  }
  return /^(ra|x1|\$ra|\$31|r31)$/.test(first) ? BRANCH.return : BRANCH.jump;
}

const LINKS = /^(ra|x1|t0|x5|\$(?!zero|0$).*)$/;

/** Classifies ARM instructions that branch by writing the program counter. */
function armBranch(mnemonic: string, operands: string): number {
  // System z loads with an LE.
  if (mnemonic === 'le') return /^((lr|r14)\s*,\s*)?[#0-9][^,]*$/.test(operands) ? BRANCH.jump : NO_BRANCH;
  if (mnemonic === 'bxaut') return /^\w+\s*,\s*(lr|r14)\s*,/.test(operands) ? BRANCH.return : BRANCH.jump;
  if (/^bx(j|ns)?/.test(mnemonic)) return /^(lr|r14)$/.test(operands) ? BRANCH.return : BRANCH.jump;
  if (/^(pop|ldm)/.test(mnemonic)) return /\{[^{}]*\b(pc|r15)\b/.test(operands) ? BRANCH.return : NO_BRANCH;
  if (!/^(pc|r15)\s*,/.test(operands) || isPlain(mnemonic, operands)) return NO_BRANCH;
  if (LOADS.test(mnemonic)) return /\[\s*(sp|r13)\b/.test(operands) ? BRANCH.return : BRANCH.jump;
  const computes = COMPUTES.exec(mnemonic);
  if (computes === null) return NO_BRANCH;
  // The S suffix restores the status register: a return from an exception.
  const [, , before, , after] = computes;
  const moved = mnemonic.startsWith('mov') && /,\s*(lr|r14)$/.test(operands);
  return moved || before !== undefined || after !== undefined ? BRANCH.return : BRANCH.jump;
}

/** Returns true if the text writes R14 or R15, which x86-64 has as ordinary registers: `mov r15, r14`. */
export function writesPlain(text: string): boolean {
  return /\br1[45]\b/i.test(text) && isPlain(...partsOf(text));
}

function isPlain(mnemonic: string, operands: string): boolean {
  return /^(mov|add|adc|sub|and|ror|lsl)$/.test(mnemonic) && /^r1[45]\s*,(?!\s*(pc|lr)\b)/.test(operands);
}

const LOADS = new RegExp(`^ldr${COND}?$`);
/** The S may precede or follow the condition: `subseq`, and `subeqs` in older text. */
const COMPUTES = new RegExp(`^(mov|mvn|add|adc|sub|sbc|rsb|rsc|and|orr|eor|bic|lsl|lsr|asr|ror|rrx)(s)?${COND}?(s)?$`);
