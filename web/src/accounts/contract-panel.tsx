// What is known of a contract: who made it, and what code it has.

import type { ReactNode } from "react"
import type { Answer } from "../data/api-query"
import { Address } from "../parts/address"
import type { Scope } from "../parts/completeness"
import { CompletenessBadge } from "../parts/completeness-badge"
import { Facts } from "../parts/facts"
import { formatNumber } from "../parts/format-number"
import { Hash } from "../parts/hash"
import { Panel } from "../parts/panel"
import { TransactionHash } from "../parts/transaction-hash"
import { Lifetime } from "../tokens/lifetime"

interface ContractPanelProps {
  readonly contract: Answer<"/contracts/{address}">["data"]
  readonly meta: Scope
}

export function ContractPanel({ contract, meta }: ContractPanelProps): ReactNode {
  const { deployer, transaction_hash: hash, code_hash: code, code_bytes: bytes, deployment_count: count } = contract
  return (
    <Panel title="Contract" side={<CompletenessBadge meta={meta} />}>
      <Facts
        facts={[
          { name: "Deployed by", value: deployer && <Address address={deployer} whole /> },
          { name: "In transaction", value: hash && <TransactionHash hash={hash} /> },
          { name: "Method", value: contract.method },
          { name: "Deployments", value: count === "1" ? null : formatNumber(count) },
          {
            name: "Deployed",
            value: <Lifetime first={contract.first_block_height} last={contract.last_block_height} />,
          },
          { name: "Code hash", value: code && <Hash value={code} name="code hash" whole /> },
          { name: "Code size", value: bytes === null ? null : `${formatNumber(bytes)} bytes` },
        ]}
      />
    </Panel>
  )
}
