// Asks for the code of every deployed contract, once for each deployment. Its hash is stored in
// app.contract_code_hashes, the code itself once in app.contract_code.

import { keccak_256 } from "@noble/hashes/sha3"
import type { Hex } from "../../../../domain/linked-block.js"
import { quantityText } from "../../source/hex-text.js"
import type { RpcAnswer } from "../../source/json-rpc-reply.js"
import { askAtBlock, bytea, bytesOf, type ContractNode, identityContract } from "../observing/ask-at-block.js"
import { askByHalves, type NoAnswer } from "../observing/ask-by-halves.js"
import type { AskOptions, Question } from "../observing/question.js"
import { writeAnswers } from "../observing/write-answers.js"

type CodeOutcome =
  | { readonly contract: Hex; readonly status: "answered"; readonly code: Uint8Array }
  | { readonly contract: Hex; readonly status: "empty" }
  | NoAnswer

export const codeQueue = "contract_code"

/** Chains allow 24 kB, some a few times as much. A longer answer is no code. */
const maxCodeBytes = 1 << 20

const answerTable = {
  table: "contract_code_hashes",
  key: "address",
  columns: {
    address: "bytea",
    status: "text",
    asked_at_height: "int8",
    block_hash: "bytea",
    code_hash: "bytea",
    code_bytes: "int4",
  },
} as const

export const codeQuestion = (node: ContractNode): Question<CodeOutcome> => ({
  queue: codeQueue,
  newSubjectsSql: `select '0x' || encode(address, 'hex') as subject from app.contract_deployments as deployed
     where block_height >= $1 and block_height < $2
       and not exists (select from app.contract_code_hashes as known
                        where known.address = deployed.address and known.asked_at_height >= deployed.block_height)`,
  pageEndSql: `select block_height as height from app.contract_deployments
     where block_height >= $1 and block_height < $2 order by block_height offset $3::int8 - 1 limit 1`,
  subjectsSql: `select '0x' || encode(address, 'hex') as subject, last_block_height as height
     from app.smart_contracts where address = any($1::bytea[])`,
  ask: (options) => {
    const ask = (contracts: readonly Hex[]) => askCode(node, { ...options, contracts })
    return askByHalves({ ...options, ask, askControl: () => ask([]) })
  },
  async write(tx, { block, outcomes }) {
    const rows = outcomes.map((outcome) => {
      const code = outcome.status === "answered" ? outcome.code : null
      return {
        address: bytea(outcome.contract),
        status: outcome.status,
        asked_at_height: block.height,
        block_hash: bytea(block.hash),
        code_hash: code && Buffer.from(keccak_256(code)),
        code_bytes: code?.length ?? null,
        code_text: code && `0x${Buffer.from(code).toString("hex")}`,
      }
    })
    const found = rows.filter(({ code_hash }) => code_hash !== null)
    await tx.query(
      `insert into app.contract_code (code_hash, code_text)
       select distinct on (code_hash) code_hash, code_text
         from unnest($1::bytea[], $2::text[]) as found (code_hash, code_text) order by code_hash
       on conflict (code_hash) do nothing`,
      [found.map(({ code_hash }) => code_hash), found.map(({ code_text }) => code_text)],
    )
    await writeAnswers(tx, answerTable, rows)
  },
})

async function askCode(node: ContractNode, { contracts, block, signal }: AskOptions): Promise<readonly CodeOutcome[]> {
  const codeOf = (address: Hex) => ({ method: "eth_getCode", params: [address, quantityText(block.height)] })
  const calls = contracts.map(codeOf)
  const answers = await askAtBlock(node, { block, control: codeOf(identityContract), calls, signal })
  return contracts.map((contract, i) => outcomeOf(contract, answers[i]!))
}

function outcomeOf(contract: Hex, answer: RpcAnswer): CodeOutcome {
  const code = bytesOf(answer)
  if (code === null || code.length > maxCodeBytes) return { contract, status: "failed" }
  return code.length === 0 ? { contract, status: "empty" } : { contract, status: "answered", code }
}
