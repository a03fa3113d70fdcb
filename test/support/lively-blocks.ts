// Blocks in which few addresses do much with few tokens, so that every state table has keys that many blocks touch. Seeded.

import type { BlockRow, LogRow, TransactionRow } from "./raw-rows.js"
import { seededRandom } from "./seeded-random.js"

const topic = {
  transfer: "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  transferSingle: "c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  transferBatch: "4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  deposit: "e1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  withdrawal: "7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
  pairCreated: "0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9",
}
const word = (value: number | bigint): string => BigInt(value).toString(16).padStart(64, "0")
const addressWord = (address: string): string => address.padStart(64, "0")
const person = (n: number): string => n.toString(16).padStart(2, "0").repeat(20)
const contract = (n: number): string => `c${n.toString(16)}`.repeat(20)
const max = 2n ** 256n - 1n

export function livelyBlocks({ seed, from, to }: { seed: number; from: number; to: number }): BlockRow[] {
  const random = seededRandom(seed)
  const below = (n: number): number => Math.floor(random.next() * n)
  // Nobody (the zero address) is one of them.
  const anyone = (): string => person(below(6))
  const amount = (): bigint => (below(20) === 0 ? max : BigInt(below(1_000)))
  const log = (address: string, topics: string[], data = ""): LogRow => ({ address, topics, data })
  const makers: (() => LogRow)[] = [
    () => log(contract(below(3)), [topic.transfer, addressWord(anyone()), addressWord(anyone())], word(amount())),
    () => log(contract(4), [topic.transfer, ...[anyone(), anyone()].map(addressWord), word(below(5))]),
    () =>
      log(
        contract(5),
        [topic.transferSingle, ...[anyone(), anyone(), anyone()].map(addressWord)],
        word(below(3)) + word(amount()),
      ),
    () =>
      log(
        contract(5),
        [topic.transferBatch, ...[anyone(), anyone(), anyone()].map(addressWord)],
        [64, 160, 2, below(3), below(3), 2, below(9), below(9)].map(word).join(""),
      ),
    () => log(contract(6), [topic.deposit, addressWord(anyone())], word(below(100))),
    () => log(contract(6), [topic.withdrawal, addressWord(anyone())], word(below(100))),
    () =>
      log(
        contract(7),
        [topic.pairCreated, ...[contract(0), contract(1)].map(addressWord)],
        addressWord(contract(8 + below(4))) + word(1),
      ),
    () => log(contract(below(9)), ["ab".repeat(32)], "00"),
  ]
  const transaction = (height: number, index: number): TransactionRow => {
    const isFailed = below(8) === 0
    const creates = below(10) === 0
    const recipient = creates ? null : `\\x${anyone()}`
    return {
      id: `${height.toString(16).padStart(8, "0")}${index.toString(16).padStart(4, "0")}`.padEnd(64, "7"),
      columns: {
        type: 2,
        status: isFailed ? 0 : 1,
        from_address: `\\x${person(1 + below(5))}`,
        to_address: recipient,
        contract_address: creates ? `\\x${contract(below(15))}` : null,
        nonce: below(100),
        value: below(3) === 0 ? below(1_000_000) : 0,
        gas_limit: 100_000,
        gas_used: 21_000 + below(1_000),
        gas_price: 20,
        effective_gas_price: 15 + below(5),
        input: below(2) === 0 ? "\\x" : "\\xa9059cbb0011",
      },
      logs: isFailed ? [] : Array.from({ length: below(5) }, () => makers[below(makers.length)]!()),
    }
  }
  return Array.from({ length: to - from }, (_, i) => ({
    height: from + i,
    timestamp: new Date(Date.UTC(2024, 1, 27) + (from + i) * 7_200_000).toISOString(),
    baseFee: 10,
    transactions: Array.from({ length: below(4) }, (_, index) => transaction(from + i, index)),
  }))
}
