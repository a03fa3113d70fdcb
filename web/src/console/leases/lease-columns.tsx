// How leases are listed, wherever they are.

import { Link } from "@tanstack/react-router"
import type { Column } from "../../parts/data-list"
import { formatAge } from "../../parts/format-time"
import { plainText } from "../../parts/plain-text"
import { rangeWords } from "../map/map-words"
import type { Ground } from "./dead-acts"
import { ErrorText } from "./error-text"
import { LeaseActs } from "./lease-acts"
import { type Lease, LeaseState } from "./lease-state"

const worker = (chain: string): Column<Lease> => ({
  ...{ name: "Worker", lead: true },
  cell: (lease) => (
    <Link to="/console/$chain/work" params={{ chain }} search={{ worker: lease.worker }} resetScroll={false}>
      {lease.worker}
    </Link>
  ),
})

const heights = (chain: string): Column<Lease> => ({
  ...{ name: "Heights", line: "beside" },
  cell: ({ worker, from, to }) => (
    <Link
      to="/console/$chain/map"
      params={{ chain }}
      search={{ worker, height: Number(to) - Number(from) <= 1 ? from : `${from}-${Number(to) - 1}` }}
      title="On the map"
    >
      <code>{rangeWords({ from: Number(from), to: Number(to) })}</code>
    </Link>
  ),
})

const lastError: Column<Lease> = {
  ...{ name: "Last error", line: "below", fill: true },
  cell: ({ error_code, error, error_age_ms: age }) => (
    <ErrorText code={error_code} text={error} age={age === null ? undefined : formatAge(age)} />
  ),
}

const holder: Column<Lease> = {
  ...{ name: "Holder", line: "beside" },
  cell: ({ leased_by: name, status }) =>
    status === "ACTIVE" && name ? (
      <span title={plainText(name, 200)}>{plainText(name, 24)}</span>
    ) : (
      <span className="quiet">nobody</span>
    ),
}

/** `readAt`: when the rows were read; their durations are as of then. */
export const leaseColumns = (ground: Ground, readAt: number): readonly Column<Lease>[] => [
  worker(ground.chain),
  heights(ground.chain),
  { name: "State", line: "beside", cell: (lease) => <LeaseState lease={lease} readAt={readAt} /> },
  ...[lastError, holder],
  { name: "Actions", line: "beside", cell: (lease) => <LeaseActs ground={ground} lease={lease} /> },
]
