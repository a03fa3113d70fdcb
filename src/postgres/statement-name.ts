// The name under which a connection keeps a statement prepared: a hash of its text, so that no two texts share one.

import { createHash } from "node:crypto"

export const statementName = (sql: string): string => createHash("sha1").update(sql).digest("base64url")
