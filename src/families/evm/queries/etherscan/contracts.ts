// contract getcontractcreation; getabi and getsourcecode, of ABIs that were given. No sources are kept.

import type { EtherscanAction, EtherscanAsk } from "../../../../queries/etherscan/etherscan-action.js"
import { EtherscanError } from "../../../../queries/etherscan/etherscan-error.js"
import { readCovered } from "../../../../queries/etherscan/read-covered.js"
import type { AbiEntry } from "../../parse-abi.js"
import { completeEntry } from "./complete-abi.js"
import { hex, hexOrEmpty } from "./etherscan-values.js"

interface Deployment {
  readonly [column: string]: unknown
  readonly address: Buffer
  readonly sender: Buffer | null
  /** The contract that made it, where it was not the transaction itself. */
  readonly factory: Buffer | null
  readonly id: Buffer
  readonly height: string
  readonly time: string
}

// The last deployment, as of the block explorers: a contract that destroyed itself may be deployed again.
const deploymentsSql = `select d.address, t.from_address as sender, d.id, d.height::text as height,
    case when d.method = 'factory' then d.deployer end as factory, d.time
  from unnest($1::bytea[]) as asked (address)
  cross join lateral (
    select address, deployer, method, transaction_id as id, block_height as height, transaction_index,
      extract(epoch from timestamp)::int8::text as time
    from app.contract_deployments where address = asked.address
    order by block_height desc, transaction_index desc, event_index desc limit 1
  ) as d
  cross join lateral (
    select from_address from app.evm_transactions
    where block_height = d.height and transaction_index = d.transaction_index offset 0
  ) as t`

/** Clients match these words. */
const unverified = "Contract source code not verified"

export const contracts: readonly EtherscanAction[] = [
  {
    module: "contract",
    action: "getcontractcreation",
    answer: async (ask) => {
      const addresses = ask.params.addresses("contractaddresses", 5)
      const need = { store: "app" as const, workers: ["meta_worker", "evm_worker"] }
      const { value, completeness } = await readCovered(ask, need, async ({ tx }) => {
        const { rows } = await tx.query<Deployment>(deploymentsSql, [addresses])
        return rows
      })
      const rows = value.map(({ address, sender, factory, id, height, time }) => ({
        contractAddress: hex(address),
        contractCreator: hexOrEmpty(sender),
        txHash: hex(id),
        blockNumber: height,
        timestamp: time,
        contractFactory: hexOrEmpty(factory),
      }))
      return { kind: "list", none: "No data found", rows, completeness }
    },
  },
  {
    module: "contract",
    action: "getabi",
    answer: async (ask) => {
      const known = await abiOf(ask)
      if (!known) throw new EtherscanError(unverified)
      return { kind: "value", value: known.text }
    },
  },
  {
    module: "contract",
    action: "getsourcecode",
    answer: async (ask) => {
      const known = await abiOf(ask)
      const rows = [
        {
          SourceCode: "",
          ABI: known?.text ?? unverified,
          ContractName: known?.name ?? "",
          CompilerVersion: "",
          // Where there is an ABI, cast reads the rest too, and wants numbers.
          OptimizationUsed: known ? "0" : "",
          Runs: known ? "0" : "",
          ConstructorArguments: "",
          EVMVersion: "Default",
          Library: "",
          LicenseType: "Unknown",
          Proxy: "0",
          Implementation: "",
          SwarmSource: "",
        },
      ]
      return { kind: "list", none: "No data found", rows }
    },
  },
]

/** Undefined: none was given for the contract itself. */
async function abiOf({
  chain,
  params,
}: EtherscanAsk): Promise<{ readonly name: string; readonly text: string } | undefined> {
  const address = hex(params.address("address"))
  const { own } = (await chain.abis.of([address]))(address)
  const [first] = own
  if (!first) return undefined
  // Of several, what they have in common once.
  const entries = own
    .flatMap(({ entries }) => entries as readonly AbiEntry[])
    .map((entry) => JSON.stringify(completeEntry(entry)))
  return { name: first.name, text: `[${[...new Set(entries)].join(",")}]` }
}
