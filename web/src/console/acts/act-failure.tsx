// Why an act was not done: the code, what the server says, and what to do.

import type { ReactNode } from "react"
import { TidemarkError } from "tidemark/client"
import { CopyButton } from "../../parts/copy-button"
import { plural } from "../../parts/format-number"
import { plainText } from "../../parts/plain-text"
import styles from "./act-failure.module.css"

const todos: Readonly<Record<string, string>> = {
  UNAUTHORIZED: "Type the token that the process has in ADMIN_TOKEN.",
  NOT_FOUND: "It may have changed since this page was read. Close this, and look at what is there now.",
  BAD_REQUEST: "Check what was typed.",
  USAGE: "Check what was typed.",
  STILL_RUNNING: "Stop the processes with the role work first, or give heights.",
  ROLLBACK_OPEN: "A rollback is being finished. Wait a few seconds, then do it again.",
  ROLLBACK_STARTED: "It has begun and will be finished.",
  CONFIRMATION_VOID: "The chain changed since it was planned. Close this, and plan it again.",
  RATE_LIMITED: "Wait a minute, then do it again.",
  OVERLOADED: "Wait a moment, then do it again.",
  DATABASE_UNREACHABLE: "Whether it was done is in the audit log, as soon as the database is back.",
  UNREACHABLE: "The request may have arrived all the same: the audit log says whether it was done.",
  INTERNAL: "The log of the process says why. Whether it was done is in the audit log.",
}
const titles: Readonly<Record<string, string>> = {
  UNAUTHORIZED: "The token was refused. Nothing was done.",
  UNREACHABLE: "The server did not answer.",
}

export function ActFailure({ error, done }: { readonly error: Error; readonly done: number }): ReactNode {
  const { code, message, details } =
    error instanceof TidemarkError ? error : { code: "BUG", message: error.message, details: {} }
  const command = "command" in details ? details["command"] : undefined
  return (
    <div className={styles.failure} role="alert">
      <p>
        <b>{titles[code] ?? plainText(message, 400)}</b> <code>{code}</code>
      </p>
      <p>
        {done > 0 && `Before that, ${plural(done, "block was", "blocks were")} done. `}
        {todos[code] ?? "The reference of errors explains the code."}
      </p>
      {typeof command === "string" && (
        <p>
          <code>{command}</code> <CopyButton text={`npx ${command}`} name="the command" />
        </p>
      )}
    </div>
  )
}
