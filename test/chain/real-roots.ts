// Consensus encodings of transactions and receipts (EIP-1559), for chains that are asked for real roots.

import { keccak_256 } from "@noble/hashes/sha3"
import type { TransactionContent } from "./block-content.js"
import { bytesToHex, hexToBytes, quantity } from "./hex.js"
import { rlpBytes, rlpHex, rlpList, rlpQuantity } from "./rlp.js"

const typePrefix = Buffer.from([2])

export const priorityFeePerGas = 1_000_000_000
export const maxFeePerGas = (baseFeePerGas: number): number => baseFeePerGas + 2 * priorityFeePerGas

export function encodeTransaction(
  transaction: TransactionContent,
  chain: { readonly chainId: number; readonly baseFeePerGas: number },
): Buffer {
  const fields = [
    rlpQuantity(quantity(chain.chainId)),
    rlpQuantity(transaction.nonce),
    rlpQuantity(quantity(priorityFeePerGas)),
    rlpQuantity(quantity(maxFeePerGas(chain.baseFeePerGas))),
    rlpQuantity(transaction.gasLimit),
    rlpHex(transaction.to),
    rlpQuantity(transaction.value),
    rlpHex(transaction.input),
    rlpList([]),
    rlpQuantity("0x1"),
    rlpQuantity(transaction.r),
    rlpQuantity(transaction.s),
  ]
  return Buffer.concat([typePrefix, rlpList(fields)])
}

export const hashOfEncoded = (encoded: Uint8Array): string => bytesToHex(keccak_256(encoded))

export function encodeReceipt(
  transaction: TransactionContent,
  receipt: { readonly cumulativeGasUsed: number; readonly bloom: string },
): Buffer {
  const logs = transaction.logs.map((log) =>
    rlpList([
      rlpHex(log.address.hex),
      rlpList(log.topics.map((topic) => rlpHex(topic.hex))),
      rlpBytes(hexToBytes(log.data)),
    ]),
  )
  const fields = [
    rlpQuantity("0x1"),
    rlpQuantity(quantity(receipt.cumulativeGasUsed)),
    rlpHex(receipt.bloom),
    rlpList(logs),
  ]
  return Buffer.concat([typePrefix, rlpList(fields)])
}
