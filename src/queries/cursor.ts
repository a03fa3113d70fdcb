// Opaque positions in a list: signed with a key of the store, so that every process accepts those of the others and no
// client can make one. A cursor belongs to one list with its filters, and knows the chain epoch it was made under.

import { createHmac, timingSafeEqual } from "node:crypto"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { Store } from "./answer-scope.js"
import { RequestError } from "./request-error.js"

export interface CursorPosition {
  readonly epoch: number
  /** A rollback at or below it makes the cursor worthless. */
  readonly height: number
  /** The key of the last row, as text. */
  readonly key: readonly string[]
}

const signatureBytes = 16

export class CursorCodec {
  constructor(private readonly secret: Buffer) {}

  /** `list`: the route with everything that decides which rows are in it. */
  encode(list: string, { epoch, height, key }: CursorPosition): string {
    const body = Buffer.from(JSON.stringify([epoch, height, ...key]))
    return Buffer.concat([this.sign(list, body), body]).toString("base64url")
  }

  decode(list: string, text: string): CursorPosition {
    const bytes = Buffer.from(text, "base64url")
    const [signature, body] = [bytes.subarray(0, signatureBytes), bytes.subarray(signatureBytes)]
    if (signature.length !== signatureBytes || !timingSafeEqual(signature, this.sign(list, body))) {
      throw new RequestError("CURSOR_INVALID", "this cursor was not made for this list: start without one")
    }
    const [epoch, height, ...key] = JSON.parse(body.toString()) as [number, number, ...string[]]
    return { epoch, height, key }
  }

  private sign(list: string, body: Buffer): Buffer {
    const hash = createHmac("sha256", this.secret).update(`${list.length} ${list} `).update(body).digest()
    return hash.subarray(0, signatureBytes)
  }
}

export async function readCursorKey(sql: Queryable): Promise<Buffer> {
  const { rows } = await sql.query<{ secret: Buffer }>("select secret from raw.api_keys where name = 'cursor'")
  return rows[0]!.secret
}

const removedSql: Readonly<Record<Store, string>> = {
  raw: "select min(lower(removed)) as height from raw.rollbacks where epoch > $1",
  app: "select min(lower(removed)) as height from app.rollbacks where epoch > $1",
}

/** Throws CURSOR_ROLLED_BACK if blocks at or below the cursor were rolled back since it was made. */
export async function assertNotRolledBack(
  tx: Queryable,
  { store, epoch, cursor }: { store: Store; epoch: number; cursor: CursorPosition },
): Promise<void> {
  if (cursor.epoch === epoch) return
  const { rows } = await tx.query<{ height: string | null }>(removedSql[store], [cursor.epoch])
  const removed = rows[0]?.height
  if (removed === null || removed === undefined || heightFrom(removed) > cursor.height) return
  throw new RequestError("CURSOR_ROLLED_BACK", "blocks of this list were rolled back since the cursor was made", {
    restart_height: removed,
  })
}
