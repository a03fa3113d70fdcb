// Gives addresses names that people know them by, and takes them away. An address has one; the last one given counts.

import { IndexerError } from "../platform/errors.js"
import type { OperatedChain } from "./operated-chain.js"

const mostLabels = 100_000
/** The audit log names so many of those that were given at once. */
const mostAudited = 20
/** Blank, or invisible, or turns the direction of writing: nobody could tell two labels apart. */
const unfit = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{115f}\u{1160}\u{2800}\u{3164}\u{ffa0}]/u

export interface GivenLabel {
  readonly address: Buffer
  readonly label: string
}

const addSql = `insert into app.address_labels (address, label, created_by)
  select address, label, $3 from unnest($1::bytea[], $2::text[]) as given (address, label)
  on conflict (address) do update
    set label = excluded.label, created_by = excluded.created_by, updated_at = clock_timestamp()`

/** All of them or none. Returns how many addresses have one now. Throws USAGE for one that cannot be shown, and for too many. */
export async function addLabels(
  chain: OperatedChain,
  { actor, labels }: { readonly actor: string; readonly labels: readonly GivenLabel[] },
): Promise<number> {
  const given = new Map(labels.map(({ address, label }) => [address.toString("hex"), fitLabel(label)]))
  return chain.app.transaction(async (tx) => {
    // In the order of their addresses, so that two callers do not wait for each other.
    const addresses = [...given.keys()].sort()
    const values = [addresses.map((hex) => Buffer.from(hex, "hex")), addresses.map((hex) => given.get(hex)), actor]
    await tx.query(addSql, values)
    const { rows } = await tx.query<{ count: number }>("select count(*)::float8 as count from app.address_labels")
    const { count } = rows[0]!
    if (count > mostLabels)
      throw new IndexerError("USAGE", `${chain.name} may have ${mostLabels} labels: delete some first`)
    const first = addresses.slice(0, mostAudited).map((hex) => [`0x${hex}`, given.get(hex)])
    const details = { labels: Object.fromEntries(first), count: given.size }
    await chain.ledgers.app.writeAudit(tx, { actor, action: "label_add", details })
    return count
  })
}

function fitLabel(text: string): string {
  const label = text.trim()
  if (label !== "" && !unfit.test(label)) return label
  throw new IndexerError("USAGE", `the label ${JSON.stringify(text)} is empty or has characters that are not shown`)
}

/** Throws NOT_FOUND where the address has none. */
export async function removeLabel(
  chain: OperatedChain,
  { actor, address }: { readonly actor: string; readonly address: Buffer },
): Promise<void> {
  await chain.app.transaction(async (tx) => {
    const { rows } = await tx.query<{ label: string }>(
      "delete from app.address_labels where address = $1 returning label",
      [address],
    )
    const hex = `0x${address.toString("hex")}`
    if (!rows[0]) throw new IndexerError("NOT_FOUND", `${chain.name} has no label for ${hex}`)
    const details = { labels: { [hex]: rows[0].label } }
    await chain.ledgers.app.writeAudit(tx, { actor, action: "label_remove", details })
  })
}
