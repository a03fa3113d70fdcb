// What went wrong with blocks, newest first. Which are shown is in the address; what is shown can be resolved.

import { Link, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import type { RowOf } from "../../data/api-query"
import type { Column } from "../../parts/data-list"
import { formatNumber } from "../../parts/format-number"
import { plainText } from "../../parts/plain-text"
import { Time } from "../../parts/time"
import { useOps } from "../access/ops-query"
import { ActButton } from "../acts/act-button"
import { StateMark } from "../figures/state-mark"
import { FilterBar } from "../lists/filter-bar"
import { OpsList } from "../lists/ops-list"
import { resolveErrors, resolveName } from "./error-acts"
import { ErrorMessage } from "./error-message"

type BlockError = RowOf<"/ops/errors">

const severities = [
  { value: "", words: "every severity" },
  { value: "FATAL", words: "fatal: needs a person" },
  { value: "WARN", words: "warning: is tried again" },
]
const states = [
  { value: "", words: "open" },
  { value: "true", words: "resolved" },
  { value: "all", words: "open and resolved" },
]
const isOf = (values: readonly { readonly value: string }[], value: string | undefined): boolean =>
  value !== undefined && values.some((one) => one.value === value)

export function ErrorList(): ReactNode {
  const chain = useChain()
  const { worker, severity, resolved, height, cursor } = useSearch({ from: "/console/$chain/incidents" })
  const { data: workers } = useOps(chain, "/ops/workers", { limit: 200 })
  const names = workers?.data.map((one) => ({ value: one.worker, words: one.worker })) ?? []
  const isFiltered = [worker, severity, resolved, height].some((one) => one !== undefined)
  return (
    <OpsList
      title="Errors"
      quiet="of blocks, newest first"
      path="/ops/errors"
      args={{
        ...{ worker, height, limit: 50 },
        severity: isOf(severities, severity) ? (severity as "WARN") : undefined,
        resolved: resolved === "all" ? undefined : resolved === "true" ? "true" : "false",
      }}
      cursor={cursor}
      columns={columnsOf(chain)}
      keyOf={({ worker: own, height: at, transaction_id, message }) => `${own} ${at} ${transaction_id} ${message}`}
      empty={isFiltered ? "No error is like that." : "No error is open."}
      side={
        <ActButton
          act={() => resolveErrors({ chain, worker, height })}
        >{`${resolveName({ worker, height })}…`}</ActButton>
      }
    >
      <FilterBar
        label="Which errors"
        filters={[
          {
            ...{ name: "worker", label: "Worker", value: worker },
            choices: [{ value: "", words: "every worker" }, ...names],
          },
          { name: "severity", label: "Severity", value: severity, choices: severities },
          { name: "resolved", label: "State", value: resolved, choices: states },
          { name: "height", label: "Block", value: height, isNumber: true },
        ]}
      />
    </OpsList>
  )
}

const columnsOf = (chain: string): readonly Column<BlockError>[] => [
  { name: "Error", lead: true, cell: (row) => <ErrorMessage error={row} /> },
  {
    name: "Severity",
    cell: ({ severity, resolved }) => {
      if (resolved) return <StateMark tone="quiet">resolved</StateMark>
      return severity === "FATAL" ? (
        <StateMark tone="failed">fatal</StateMark>
      ) : (
        <StateMark tone="partial">warning</StateMark>
      )
    },
  },
  { name: "Worker", line: "beside", cell: ({ worker }) => plainText(worker, 32) },
  {
    name: "Block",
    end: true,
    cell: ({ worker, height }) => (
      <Link to="/console/$chain/map" params={{ chain }} search={{ worker, height }} title="On the map">
        {formatNumber(height)}
      </Link>
    ),
  },
  { name: "Seen", end: true, cell: ({ seen }) => `${formatNumber(seen)}×` },
  { name: "Last", end: true, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
  {
    name: "Resolve",
    end: true,
    cell: ({ resolved, worker, height }) =>
      resolved ? (
        ""
      ) : (
        <ActButton
          act={() => resolveErrors({ chain, worker, height })}
          about={`the errors of ${plainText(worker, 32)} at block ${height}`}
        >
          Resolve…
        </ActButton>
      ),
  },
]
