// The question what token contracts call themselves: about every contract that emitted a transfer, kept in
// app.token_metadata.

import type { ContractNode } from "../observing/ask-at-block.js"
import { bytea } from "../observing/ask-at-block.js"
import type { Question } from "../observing/question.js"
import { writeAnswers } from "../observing/write-answers.js"
import { ContractInquirer, type GasLimits, type MetadataOutcome } from "./contract-inquirer.js"
import { decimalsOf, maxRawBytes, textOf } from "./metadata-answer.js"

export const metadataQueue = "token_metadata"

const answerTable = {
  table: "token_metadata",
  key: "contract_address",
  columns: {
    contract_address: "bytea",
    status: "text",
    asked_at_height: "int8",
    block_hash: "bytea",
    name_raw: "bytea",
    name: "text",
    symbol_raw: "bytea",
    symbol: "text",
    decimals_raw: "bytea",
    decimals: "int2",
    truncated: "boolean",
  },
} as const

export function metadataQuestion(node: ContractNode, gas?: GasLimits): Question<MetadataOutcome> {
  const inquirer = new ContractInquirer(node, gas)
  return {
    queue: metadataQueue,
    newSubjectsSql: `select '0x' || encode(contract_address, 'hex') as subject from app.metadata_subjects as subject
       where first_block_height >= $1 and first_block_height < $2
         and not exists (select from app.token_metadata as known
                          where known.contract_address = subject.contract_address
                            and known.asked_at_height >= subject.first_block_height)`,
    pageEndSql: `select first_block_height as height from app.metadata_subjects
       where first_block_height >= $1 and first_block_height < $2
       order by first_block_height offset $3::int8 - 1 limit 1`,
    subjectsSql: `select '0x' || encode(contract_address, 'hex') as subject, first_block_height as height
       from app.metadata_subjects where contract_address = any($1::bytea[])`,
    ask: (options) => inquirer.ask(options),
    write: (tx, { block, outcomes }) =>
      writeAnswers(
        tx,
        answerTable,
        outcomes.map((outcome) => ({
          asked_at_height: block.height,
          block_hash: bytea(block.hash),
          ...rowOf(outcome),
        })),
      ),
  }
}

function rowOf(outcome: MetadataOutcome) {
  const { name, symbol, decimals } =
    outcome.status === "answered" ? outcome.answers : { name: null, symbol: null, decimals: null }
  const cut = (answer: Uint8Array | null) => answer && Buffer.from(answer.subarray(0, maxRawBytes))
  return {
    contract_address: bytea(outcome.contract),
    status: outcome.status,
    name_raw: cut(name),
    name: name && textOf(name),
    symbol_raw: cut(symbol),
    symbol: symbol && textOf(symbol),
    decimals_raw: cut(decimals),
    decimals: decimals && decimalsOf(decimals),
    truncated: [name, symbol, decimals].some((answer) => answer !== null && answer.length > maxRawBytes),
  }
}
