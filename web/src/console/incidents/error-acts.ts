// Marks errors as dealt with: of a worker, of a block, of both, or all. Described here, done by the admin routes.

import { TidemarkError } from "tidemark/client"
import { formatNumber, plural } from "../../parts/format-number"
import { plainText } from "../../parts/plain-text"
import { adminFetch } from "../access/admin-fetch"
import type { Act } from "../acts/act"

interface Resolved {
  /** Left out: of every worker. */
  readonly worker: string | undefined
  /** Left out: of every block. */
  readonly height: string | undefined
}

const placeOf = ({ worker, height }: Resolved): string =>
  [worker && `of ${plainText(worker, 40)}`, height && `at block ${heightText(height)}`].filter(Boolean).join(" ")
const heightText = (height: string): string => (/^\d{1,15}$/.test(height) ? formatNumber(height) : height.slice(0, 20))

export const resolveName = (what: Resolved): string => `Resolve all ${placeOf(what)}`.trim()

export function resolveErrors({ chain, worker, height }: Resolved & { readonly chain: string }): Act {
  const place = placeOf({ worker, height })
  const whose = worker === undefined ? "--all" : `--worker ${worker}`
  return {
    title: `Resolve the errors ${place || "of every worker"}`,
    ...{ button: "Resolve", audited: "resolve" },
    does: "The errors are marked as dealt with. No data changes, and no block is tried again by it.",
    concerns: `Every open error ${place || "of the chain"}, of any severity.`,
    follows: "An error that is seen again is open again.",
    undo: "There is nothing to undo: resolved errors stay in the list, under the state “resolved”.",
    commandOf: () =>
      `tidemark errors resolve ${whose}${height === undefined ? "" : ` --height ${height}`} --chain ${chain}`,
    run: async () => {
      const body = {
        ...(worker === undefined ? { all: true } : { worker }),
        ...(height === undefined ? {} : { height }),
      }
      const path = `/admin/${chain}/errors/resolve`
      const { resolved } = await adminFetch<{ resolved: Record<string, number> }>(path, { method: "POST", body })
      const count = Object.values(resolved).reduce((sum, one) => sum + one, 0)
      if (count === 0) throw new TidemarkError("no error is open there", { code: "NOT_FOUND", status: 404 })
      return `${plural(count, "error was", "errors were")} resolved.`
    },
  }
}
