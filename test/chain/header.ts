// A Cancun header: its JSON fields and its hash, keccak of the RLP of all twenty of them.

import { keccak_256 } from "@noble/hashes/sha3"
import { bytesToHex } from "./hex.js"
import { rlpHex, rlpList, rlpQuantity } from "./rlp.js"
import { emptyTrieRoot } from "./trie-root.js"

export interface Header {
  readonly parentHash: string
  readonly miner: string
  readonly stateRoot: string
  readonly transactionsRoot: string
  readonly receiptsRoot: string
  readonly logsBloom: string
  readonly number: string
  readonly gasLimit: string
  readonly gasUsed: string
  readonly timestamp: string
  readonly mixHash: string
  readonly baseFeePerGas: string
  readonly parentBeaconBlockRoot: string
}

const emptyUncles = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"
const extraData = "0x73796e746865746963"
const zeroNonce = "0x0000000000000000"

export function hashHeader(header: Header): string {
  const fields = [
    rlpHex(header.parentHash),
    rlpHex(emptyUncles),
    rlpHex(header.miner),
    rlpHex(header.stateRoot),
    rlpHex(header.transactionsRoot),
    rlpHex(header.receiptsRoot),
    rlpHex(header.logsBloom),
    rlpQuantity("0x0"),
    rlpQuantity(header.number),
    rlpQuantity(header.gasLimit),
    rlpQuantity(header.gasUsed),
    rlpQuantity(header.timestamp),
    rlpHex(extraData),
    rlpHex(header.mixHash),
    rlpHex(zeroNonce),
    rlpQuantity(header.baseFeePerGas),
    rlpHex(emptyTrieRoot),
    rlpQuantity("0x0"),
    rlpQuantity("0x0"),
    rlpHex(header.parentBeaconBlockRoot),
  ]
  return bytesToHex(keccak_256(rlpList(fields)))
}

/** The header's members without the closing brace: what only a block has follows. */
export const headerJson = (header: Header, hash: string): string =>
  `{"hash":"${hash}","parentHash":"${header.parentHash}","sha3Uncles":"${emptyUncles}","miner":"${header.miner}",` +
  `"stateRoot":"${header.stateRoot}","transactionsRoot":"${header.transactionsRoot}",` +
  `"receiptsRoot":"${header.receiptsRoot}","logsBloom":"${header.logsBloom}","difficulty":"0x0",` +
  `"number":"${header.number}","gasLimit":"${header.gasLimit}","gasUsed":"${header.gasUsed}",` +
  `"timestamp":"${header.timestamp}","extraData":"${extraData}","mixHash":"${header.mixHash}",` +
  `"nonce":"${zeroNonce}","baseFeePerGas":"${header.baseFeePerGas}","withdrawalsRoot":"${emptyTrieRoot}",` +
  `"blobGasUsed":"0x0","excessBlobGas":"0x0","parentBeaconBlockRoot":"${header.parentBeaconBlockRoot}"`

/** Where the members that are not part of the header begin. */
export const blockOnlyMembers = ',"size":'
