// Keccak-256 for bloom bits and roots. The permutation is assembled into a WebAssembly function at load: 64-bit
// rotations are single instructions there, which makes it over ten times as fast as JavaScript numbers.

const rateBytes = 136
const constantsAt = 256

const roundConstants = [
  0x0000000000000001n,
  0x0000000000008082n,
  0x800000000000808an,
  0x8000000080008000n,
  0x000000000000808bn,
  0x0000000080000001n,
  0x8000000080008081n,
  0x8000000000008009n,
  0x000000000000008an,
  0x0000000000000088n,
  0x0000000080008009n,
  0x000000008000000an,
  0x000000008000808bn,
  0x800000000000008bn,
  0x8000000000008089n,
  0x8000000000008003n,
  0x8000000000008002n,
  0x8000000000000080n,
  0x000000000000800an,
  0x800000008000000an,
  0x8000000080008081n,
  0x8000000000008080n,
  0x0000000080000001n,
  0x8000000080008008n,
]

function leb(value: number): number[] {
  const out: number[] = []
  let rest = value
  do {
    const byte = rest & 0x7f
    rest >>>= 7
    out.push(rest === 0 ? byte : byte | 0x80)
  } while (rest !== 0)
  return out
}

/** Like leb, with room for the sign bit. */
const sleb = (value: number): number[] => (value < 64 ? [value] : [(value & 0x7f) | 0x80, value >>> 7])

/** The body of keccak-f[1600] over the 25 words at address 0. */
function permutationCode(): number[] {
  const code: number[] = []
  // Local 0 is the round, as the address of its constant; then the state a, the moved state b, and the columns c, d.
  const round = 0
  const a = (i: number) => 1 + i
  const b = (i: number) => 26 + i
  const c = (i: number) => 51 + (i % 5)
  const d = (i: number) => 56 + (i % 5)
  const get = (local: number) => code.push(0x20, ...leb(local))
  const set = (local: number) => code.push(0x21, ...leb(local))
  const xor = () => code.push(0x85)
  const rotate = (bits: number) => bits !== 0 && code.push(0x42, ...sleb(bits), 0x89)

  for (let i = 0; i < 25; i++) {
    code.push(0x41, 0, 0x29, 3, ...leb(8 * i))
    set(a(i))
  }
  code.push(0x41, ...sleb(0), 0x21, round, 0x03, 0x40)
  for (let x = 0; x < 5; x++) {
    get(a(x))
    for (let y = 1; y < 5; y++) {
      get(a(x + 5 * y))
      xor()
    }
    set(c(x))
  }
  for (let x = 0; x < 5; x++) {
    get(c(x + 4))
    get(c(x + 1))
    rotate(1)
    xor()
    set(d(x))
  }
  const offsets = new Array<number>(25).fill(0)
  for (let t = 0, x = 1, y = 0; t < 24; t++) {
    offsets[x + 5 * y] = (((t + 1) * (t + 2)) / 2) % 64
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
  }
  for (let x = 0; x < 5; x++) {
    for (let y = 0; y < 5; y++) {
      get(a(x + 5 * y))
      get(d(x))
      xor()
      rotate(offsets[x + 5 * y]!)
      set(b(y + 5 * ((2 * x + 3 * y) % 5)))
    }
  }
  for (let y = 0; y < 5; y++) {
    for (let x = 0; x < 5; x++) {
      get(b(x + 5 * y))
      get(b(((x + 1) % 5) + 5 * y))
      code.push(0x42, 0x7f)
      xor()
      get(b(((x + 2) % 5) + 5 * y))
      code.push(0x83)
      xor()
      if (x === 0 && y === 0) {
        get(round)
        code.push(0x29, 3, ...leb(constantsAt))
        xor()
      }
      set(a(x + 5 * y))
    }
  }
  get(round)
  code.push(0x41, 8, 0x6a, 0x22, round, 0x41, ...sleb(24 * 8), 0x47, 0x0d, 0, 0x0b)
  for (let i = 0; i < 25; i++) {
    code.push(0x41, 0)
    get(a(i))
    code.push(0x37, 3, ...leb(8 * i))
  }
  return code
}

function assembleModule(): Uint8Array {
  const section = (id: number, bytes: number[]) => [id, ...leb(bytes.length), ...bytes]
  // Locals: one i32, then 60 i64.
  const body = [2, 1, 0x7f, 60, 0x7e, ...permutationCode(), 0x0b]
  return new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 0, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, 1, 0x6d, 2, 0, 1, 0x66, 0, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
  ])
}

// Node has it; the compiler's libraries, without a browser's, do not name it.
interface Assembly {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: Readonly<Record<string, unknown>> }
}
const assembly = (globalThis as unknown as { readonly WebAssembly: Assembly }).WebAssembly
const instance = new assembly.Instance(new assembly.Module(assembleModule()))
const permute = instance.exports["f"] as () => void
const memory = (instance.exports["m"] as { readonly buffer: ArrayBuffer }).buffer
const state = Buffer.from(memory, 0, 200)
const stateWords = new Int32Array(memory, 0, 50)
const constants = new DataView(memory)
for (const [i, word] of roundConstants.entries()) constants.setBigUint64(constantsAt + 8 * i, word, true)

/** The hash of the bytes, as a new Buffer of 32. */
export function keccak256(bytes: Uint8Array): Buffer {
  state.fill(0)
  let at = 0
  for (; at + rateBytes <= bytes.length; at += rateBytes) {
    for (let i = 0; i < rateBytes; i++) state[i]! ^= bytes[at + i]!
    permute()
  }
  for (let i = 0; at + i < bytes.length; i++) state[i]! ^= bytes[at + i]!
  state[bytes.length - at]! ^= 0x01
  state[rateBytes - 1]! ^= 0x80
  permute()
  return Buffer.from(state.subarray(0, 32))
}

export const keccakText = (bytes: Uint8Array): string => `0x${keccak256(bytes).toString("hex")}`

/**
 * Hashes the bytes of the first `count` words (under 34). The digest is at the start of the shared state it returns.
 */
export function keccakOfWords(words: Int32Array, count: number): Uint8Array {
  stateWords.fill(0)
  for (let i = 0; i < count; i++) stateWords[i] = words[i]!
  state[4 * count]! ^= 0x01
  state[rateBytes - 1]! ^= 0x80
  permute()
  return state
}
