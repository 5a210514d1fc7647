"""
Runs the program values.c in the emulator Unicorn and writes what it shows, for tests that read the files without any of these tools:

- `tarmac/a64-values` and `tarmac/riscv-values` of test/samples: traces with all accesses to memory and all changes of registers;
- `lackey/x86-values`: the trace and the program of a run in Valgrind;
- `a64.txt`, `riscv64.txt`, `x86-64.txt` and others in this folder: for each instruction, which bytes its result depends on. The emulator
  executes it again with one byte changed, in many states, and compares the results.

Needs Debian's python3-unicorn, valgrind and its cross compilers: `/usr/bin/python3 test/engine/compiled/observed/observe.py`, then
`UPDATE_GOLDENS=1 npm test -- test/laws test/engine/goldens.test.ts`.
"""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import unicorn as uc
from unicorn import arm64_const as a64
from unicorn import arm_const as arm
from unicorn import riscv_const as riscv
from unicorn import x86_const as x86

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "programs", "values.c")
SAMPLES = os.path.join(HERE, "..", "..", "..", "samples")
FREE = ("-ffreestanding -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fno-tree-vectorize -g0 -nostdlib "
        "-nostartfiles -static -Wl,--build-id=none -Wl,-z,max-page-size=4096 -Wl,-eprogram").split()
STACK = 0x70000
END = 0x60000


class Cell:
    """A register, or one flag of a status register."""

    def __init__(self, name, number, size, bit=None):
        self.name, self.number, self.size, self.bit = name, number, size, bit


def numbered(prefix, constants, first, last, size, names=None):
    base = [getattr(constants, f"{prefix}{n}") for n in range(first, last + 1)]
    return [Cell((names or "{}").format(n), number, size) for n, number in zip(range(first, last + 1), base)]


A64_CELLS = (numbered("UC_ARM64_REG_X", a64, 0, 30, 8, "x{}") + [Cell("sp", a64.UC_ARM64_REG_SP, 8)]
             + [Cell(f"pstate.{flag}", a64.UC_ARM64_REG_NZCV, 1, 31 - k) for k, flag in enumerate("nzcv")]
             + numbered("UC_ARM64_REG_Q", a64, 0, 31, 16, "v{}") + [Cell("fpsr", a64.UC_ARM64_REG_FPSR, 4)])
# The emulator does not restore the flags of RISC-V's floating point.
RISCV_CELLS = (numbered("UC_RISCV_REG_X", riscv, 1, 31, 8, "x{}") + numbered("UC_RISCV_REG_F", riscv, 0, 31, 8, "f{}"))
X86_FLAGS = {"cf": 0, "pf": 2, "af": 4, "zf": 6, "sf": 7, "of": 11}
X86_CELLS = ([Cell(name, getattr(x86, f"UC_X86_REG_{name.upper()}"), 8)
              for name in "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split()]
             + [Cell(f"eflags.{name}", x86.UC_X86_REG_EFLAGS, 1, bit) for name, bit in X86_FLAGS.items()]
             + numbered("UC_X86_REG_XMM", x86, 0, 15, 16, "xmm{}"))
ARM_CELLS = (numbered("UC_ARM_REG_R", arm, 0, 12, 4, "r{}")
             + [Cell("r13", arm.UC_ARM_REG_SP, 4), Cell("r14", arm.UC_ARM_REG_LR, 4)]
             + [Cell(f"cpsr.{flag}", arm.UC_ARM_REG_CPSR, 1, 31 - k) for k, flag in enumerate("nzcv")])


RISCV_NAMES = dict(zip(
    [f"{letter}{n}" for letter in "xf" for n in range(32)],
    ("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6 "
     "ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 fs2 fs3 fs4 fs5 fs6 fs7 fs8 fs9 fs10 fs11 "
     "ft8 ft9 ft10 ft11").split()))


class Target:
    def __init__(self, name, compiler, options, text, arch, mode, cells, counter):
        self.name, self.compiler, self.options, self.text = name, compiler, options, text
        self.arch, self.mode, self.cells, self.counter = arch, mode, cells, counter


TARGETS = [
    Target("a64", "aarch64-linux-gnu-", "-O2", 0x8000, uc.UC_ARCH_ARM64, uc.UC_MODE_ARM, A64_CELLS, a64.UC_ARM64_REG_PC),
    Target("riscv64", "riscv64-linux-gnu-", "-O1 -march=rv64gc -mabi=lp64d -mno-relax", 0x8000, uc.UC_ARCH_RISCV,
           uc.UC_MODE_RISCV64, RISCV_CELLS, riscv.UC_RISCV_REG_PC),
    Target("x86-64", "", "-O2 -mno-red-zone -fcf-protection=none -no-pie", 0x8000, uc.UC_ARCH_X86, uc.UC_MODE_64,
           X86_CELLS, x86.UC_X86_REG_RIP),
]


def tool(target, name, *args):
    return subprocess.run([f"{target.compiler}{name}", *args], check=True, capture_output=True, text=True).stdout


class Machine:
    def __init__(self, target, elf):
        self.target, self.cells = target, target.cells
        self.m = m = uc.Uc(target.arch, target.mode)
        m.mem_map(0x0, 0x80000)
        data = open(elf, "rb").read()
        at, = struct.unpack_from("<Q", data, 32)
        size, count = struct.unpack_from("<HH", data, 54)
        for k in range(count):
            kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", data, at + k * size)
            if kind == 1:
                m.mem_write(address, data[offset:offset + length])
        self.accesses = []
        self.old = []
        m.hook_add(uc.UC_HOOK_MEM_READ, self.on_read)
        m.hook_add(uc.UC_HOOK_MEM_WRITE, self.on_write)

    def on_read(self, m, access, address, size, value, data):
        self.accesses.append(("R", address, size))

    def on_write(self, m, access, address, size, value, data):
        self.accesses.append(("W", address, size))
        self.old.append((address, bytes(m.mem_read(address, size))))

    def state(self):
        known = {}
        result = []
        for cell in self.cells:
            value = known.get(cell.number)
            if value is None:
                value = known[cell.number] = self.m.reg_read(cell.number)
            result.append((value >> cell.bit) & 1 if cell.bit is not None else value & ((1 << 8 * cell.size) - 1))
        return result

    def put(self, index, value):
        cell = self.cells[index]
        if cell.bit is not None:
            rest = self.m.reg_read(cell.number) & ~(1 << cell.bit)
            value = rest | (value & 1) << cell.bit
        self.m.reg_write(cell.number, value)

    def step(self, pc):
        """Executes one instruction; returns where it leads and its accesses."""
        self.accesses, self.old = [], []
        self.m.emu_start(pc, -1, count=1)
        return self.m.reg_read(self.target.counter), self.accesses

    def undo(self):
        for address, data in reversed(self.old):
            self.m.mem_write(address, data)
        self.old = []


def instructions(target, elf):
    """Bytes and text by address."""
    options = {"riscv64": ["-M", "no-aliases"]}.get(target.name, [])
    found = {}
    for line in tool(target, "objdump", "-d", "-w", *options, elf).splitlines():
        match = re.match(r"^ *([0-9a-f]+):\t([0-9a-f ]+)\t(.*)$", line)
        if match:
            text = re.sub(r"\s+", " ", re.sub(r"\s*(//|# |<).*", "", match[3])).strip()
            found[int(match[1], 16)] = (match[2].replace(" ", ""), text)
    return found


def begin(machine):
    m, target = machine.m, machine.target
    if target.name == "a64":
        m.reg_write(a64.UC_ARM64_REG_CPACR_EL1, 3 << 20)
        m.reg_write(a64.UC_ARM64_REG_SP, STACK)
        m.reg_write(a64.UC_ARM64_REG_X30, END)
    elif target.name == "riscv64":
        m.reg_write(riscv.UC_RISCV_REG_MSTATUS, m.reg_read(riscv.UC_RISCV_REG_MSTATUS) | 0x6000)
        m.reg_write(riscv.UC_RISCV_REG_X2, STACK)
        m.reg_write(riscv.UC_RISCV_REG_X1, END)
    else:
        m.mem_write(STACK - 8, END.to_bytes(8, "little"))
        m.reg_write(x86.UC_X86_REG_RSP, STACK - 8)


VECTOR_OPERAND = {"a64": r"\b[vqdshb]\d", "riscv64": r"\bf", "x86-64": "xmm"}


class Observed:
    """By an instruction: which of its results depend on what."""

    def __init__(self):
        self.written = set()
        self.depends = set()
        self.addresses = set()


def changed_bytes(one, other, cells):
    for k, cell in enumerate(cells):
        if one[k] != other[k]:
            for byte in range(cell.size):
                if (one[k] ^ other[k]) >> 8 * byte & 0xff:
                    yield (cell.name, byte)


def result_of(machine, context, pc):
    """State, next address, accesses and written memory after one instruction, whose writes are undone."""
    try:
        after, accesses = machine.step(pc)
    except uc.UcError:
        machine.undo()
        return None
    writes = sorted((address, size) for way, address, size in accesses if way == "W")
    low = writes[0][0] if writes else 0
    memory = {address - low + k: byte for address, size in writes for k, byte in enumerate(machine.m.mem_read(address, size))}
    state = machine.state()
    machine.undo()
    return state, after, accesses, memory


def random_float():
    """A number with a point in one of its forms: RISC-V marks a single one by ones above it."""
    number = random.choice([0.0, 100.0, -2.5, 0.1, float("inf"), float("nan"), float("nan"), 123456.0])
    double, = struct.unpack("<Q", struct.pack("<d", number))
    single, = struct.unpack("<I", struct.pack("<f", number))
    return random.choice([double, single, single | 0xffffffff << 32])


def random_value(size):
    bits = 8 * size
    if size >= 8 and random.random() < 0.4:
        return random_float()
    return random.choice([0, 1, (1 << bits) - 1, random.getrandbits(bits), random.getrandbits(bits), random.getrandbits(4),
                          1 << (bits - 1)])


class Experiment:
    """One instruction in one state: changes bytes and notes which bytes of its result differ."""

    def __init__(self, machine, observed, pc, state):
        self.machine, self.observed, self.pc, self.state = machine, observed, pc, state
        machine.m.context_restore(state)
        self.start = machine.state()
        self.base = result_of(machine, state, pc)

    def result(self, index=None, value=None):
        self.machine.m.context_restore(self.state)
        if index is not None:
            self.machine.put(index, value)
        return result_of(self.machine, self.state, self.pc)

    def vary_register(self, index):
        cell, start = self.machine.cells[index], self.start[index]
        if cell.bit is not None:
            self.compare(self.base, self.result(index, start ^ 1), (cell.name, 0))
            return
        trials = [start ^ random.getrandbits(8 * cell.size), random_value(cell.size), start ^ 16]
        # Most registers have no influence, which few trials show.
        if all(self.is_same(index, self.result(index, value)) for value in trials):
            return
        for byte in range(cell.size):
            for bits in (random.randrange(1, 256), 1, 0x80):
                changed = start ^ bits << 8 * byte
                self.compare(self.base, self.result(index, changed), (cell.name, byte), changed - start)
        # From one value to another one, byte by byte: a result may need several bytes that differ from those of the run.
        for value in trials:
            last, last_result = start, self.base
            for byte in random.sample(range(cell.size), cell.size):
                mask = 0xff << 8 * byte
                changed = last & ~mask | value & mask
                result = self.result(index, changed)
                self.compare(last_result, result, (cell.name, byte), changed - last)
                last, last_result = changed, result

    def is_same(self, index, other):
        """True if nothing but the changed register itself differs."""
        if other is None or other[1:] != self.base[1:]:
            return other is None
        name = self.machine.cells[index].name
        outs = changed_bytes(self.base[0], other[0], self.machine.cells)
        return all(out[0] == name and out not in self.observed.written for out in outs)

    def vary_memory(self, with_floats):
        m = self.machine.m
        reads = sorted((address, size) for way, address, size in self.base[2] if way == "R")
        bytes_read = [at for address, size in reads for at in range(address, address + size)]
        for at in bytes_read:
            kept = bytes(m.mem_read(at, 1))
            for bits in (random.randrange(1, 256), 1, 0x80):
                m.mem_write(at, bytes([kept[0] ^ bits]))
                self.compare(self.base, self.result(), ("m", at - bytes_read[0]))
            m.mem_write(at, kept)
        if with_floats and len(reads) == 1:
            kept, last = bytes(m.mem_read(*reads[0])), self.base
            value = random_float().to_bytes(8, "little")[:len(kept)]
            for byte in random.sample(range(len(value)), len(value)):
                m.mem_write(reads[0][0] + byte, value[byte:byte + 1])
                result = self.result()
                self.compare(last, result, ("m", byte))
                last = result
            m.mem_write(reads[0][0], kept)

    def compare(self, base, other, source, change=0):
        """Notes the bytes of a result that differ because byte `source` was changed. Faults show nothing."""
        if base is None or other is None:
            return
        observed = self.observed
        if other[2] != base[2]:
            observed.addresses.add(source)
            self.note_moved_base(base, other, source, change)
            return
        for out in changed_bytes(base[0], other[0], self.machine.cells):
            if out != source or out in observed.written:
                observed.depends.add((out, source))
        if base[1] != other[1]:
            observed.depends.add((("pc", 0), source))
        for at, byte in base[3].items():
            if other[3].get(at) != byte:
                observed.depends.add((("w", at), source))

    def note_moved_base(self, base, other, source, change):
        """The register of an address differs after the instruction by as much as before it: the instruction added to it."""
        for k, cell in enumerate(self.machine.cells):
            moved = (other[0][k] - base[0][k] - change) % (1 << 8 * cell.size) == 0
            if cell.name == source[0] and moved and (cell.name, 0) in self.observed.written:
                self.observed.depends.add(((cell.name, 0), source))


def observe(machine, observed, pc, text, context):
    """Executes one instruction in states near one that occurred."""
    has_vectors = re.search(VECTOR_OPERAND[machine.target.name], text) is not None
    plain = Experiment(machine, observed, pc, context)
    for attempt in range(30 if has_vectors else 14):
        experiment = plain if attempt == 0 else near(plain)
        if experiment.base is None:
            continue
        observed.written.update(changed_bytes(experiment.start, experiment.base[0], machine.cells))
        for k, cell in enumerate(machine.cells):
            if has_vectors or not re.match(r"(v|f|xmm)\d", cell.name):
                experiment.vary_register(k)
        experiment.vary_memory(has_vectors)


def near(plain):
    """A random state in which the instruction accesses the same memory: the registers that form its address are the same."""
    machine, observed = plain.machine, plain.observed
    machine.m.context_restore(plain.state)
    addresses = {name for name, _ in observed.addresses}
    for k, cell in enumerate(machine.cells):
        if random.random() < 0.5 and cell.name not in addresses:
            machine.put(k, random_value(cell.size))
    found = Experiment(machine, observed, plain.pc, machine.m.context_save())
    return found if found.base is not None and found.base[2] == plain.base[2] else plain


def spans(pairs):
    """Bytes as the stretch from the first to the last of each register: `x0.0-7`."""
    low, high = {}, {}
    for name, byte in pairs:
        low[name] = min(byte, low.get(name, byte))
        high[name] = max(byte, high.get(name, byte))
    return [f"{name}.{low[name]}-{high[name]}" for name in sorted(low)]


def line_of(observed):
    parts = []
    outs = {out for out, _ in observed.depends} | observed.written
    for name in sorted({name for name, _ in outs}):
        own = [out for out in outs if out[0] == name]
        sources = {source for out, source in observed.depends if out[0] == name}
        parts.append(" ".join([*spans(own), "<", *spans(sources)]))
    if observed.addresses:
        parts.append(" ".join(["@", "<", *spans(observed.addresses)]))
    return "; ".join(parts)


def status(flags):
    """Interrupts are masked at exception level 1."""
    return sum(value << bit for bit, value in flags.items()) | 0x3c5


class Tarmac:
    """Lines of a trace with accesses and changes of registers."""

    def __init__(self, target, texts):
        self.target, self.texts, self.lines, self.count = target, texts, [], 0
        if target.name == "a64":
            self.lines.append(f"0 clk cpu0 R cpsr {status({}):08x}")

    def add(self, machine, pc, before, accesses, after):
        self.count += 1
        code, text = self.texts[pc]
        isa, mode, cpu = ("O", "EL1h_ns", "cpu0") if self.target.name == "a64" else ("A", "svc_ns", "0")
        start = f"{self.count} clk {cpu}"
        self.lines.append(f"{start} IT ({self.count}) {pc:016x} {code} {isa} {mode} : {text}")
        for way, address, size, value in accesses:
            self.lines.append(f"{start} M{way}{size} {address:016x} {value:0{2 * size}x}")
        flags = {}
        for k, cell in enumerate(machine.cells):
            if cell.bit is not None:
                flags[cell.bit] = after[k]
        for k, cell in enumerate(machine.cells):
            if before[k] == after[k]:
                continue
            if cell.bit is None:
                name = RISCV_NAMES[cell.name] if self.target.name == "riscv64" else cell.name
                self.lines.append(f"{start} R {name} {after[k]:0{2 * cell.size}x}")
            elif " cpsr " not in self.lines[-1]:
                self.lines.append(f"{start} R cpsr {status(flags):08x}")


def run(target, folder):
    random.seed(1)
    elf = os.path.join(folder, f"{target.name}.elf")
    tool(target, "gcc", *FREE, *target.options.split(), f"-Wl,-Ttext={target.text:#x}", "-o", elf, SOURCE)
    texts = instructions(target, elf)
    symbols = {line.split()[2]: int(line.split()[0], 16) for line in tool(target, "nm", elf).splitlines()}
    machine = Machine(target, elf)
    begin(machine)
    m = machine.m
    trace = Tarmac(target, texts)
    seen = {}
    pc = symbols["program"]
    while pc != END:
        before, context = machine.state(), m.context_save()
        opcode = texts[pc][0]
        observed, times = seen.get(opcode, (Observed(), 0))
        seen[opcode] = (observed, times + 1)
        if times < 4:
            observe(machine, observed, pc, texts[pc][1], context)
        m.context_restore(context)
        result = result_of(machine, context, pc)
        values = {}
        for way, address, size in result[2]:
            values[(way, address, size)] = int.from_bytes(m.mem_read(address, size), "little")
        m.context_restore(context)
        after_pc, accesses = machine.step(pc)
        full = [(way, address, size, values[(way, address, size)] if way == "R" else int.from_bytes(m.mem_read(address, size), "little"))
                for way, address, size in accesses]
        trace.add(machine, pc, before, full, machine.state())
        pc = after_pc
    lines = [f"{opcode} {text_of(texts, opcode)} | {line_of(observed)}" for opcode, (observed, _) in seen.items()]
    with open(os.path.join(HERE, f"{target.name}.txt"), "w") as out:
        out.write("\n".join(sorted(lines)) + "\n")
    sample = {"a64": "a64-values", "riscv64": "riscv-values"}.get(target.name)
    if sample:
        os.makedirs(os.path.join(SAMPLES, "tarmac", sample), exist_ok=True)
        with open(os.path.join(SAMPLES, "tarmac", sample, "trace.txt"), "w") as out:
            out.write("\n".join(trace.lines) + "\n")
    print(target.name, trace.count, "instructions", len(trace.lines), "records", len(seen), "opcodes")


def text_of(texts, opcode):
    return next(text for code, text in texts.values() if code == opcode)


def write_lackey(target, folder):
    program = os.path.join(folder, "values")
    tool(target, "gcc", *FREE, *target.options.split(), "-Wl,-Ttext-segment=0x400000", "-Wl,-z,noseparate-code", "-Wl,-e_start",
         "-o", program, SOURCE)
    ran = subprocess.run(["valgrind", "--tool=lackey", "--trace-mem=yes", "./values"], cwd=folder, capture_output=True, text=True)
    sample = os.path.join(SAMPLES, "lackey", "x86-values")
    os.makedirs(sample, exist_ok=True)
    with open(os.path.join(sample, "trace.txt"), "w") as out:
        out.write(ran.stderr)
    shutil.copy(program, os.path.join(sample, "program.elf"))


with tempfile.TemporaryDirectory() as folder:
    for target in TARGETS:
        if len(sys.argv) < 2 or target.name in sys.argv[1:]:
            run(target, folder)
            if target.name == "x86-64":
                write_lackey(target, folder)
sys.stdout.flush()
# The emulator does not always end with the interpreter.
os._exit(0)
