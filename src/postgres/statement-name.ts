// The name under which a connection keeps a statement prepared: made from its text, so that no two texts ever share one.

import { createHash } from "node:crypto"

export const statementName = (sql: string): string => createHash("sha1").update(sql).digest("base64url")
