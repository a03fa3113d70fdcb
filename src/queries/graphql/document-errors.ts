// Errors of a document or of its values, with the codes that clients of other servers know.

import { GraphQLError } from "graphql"

export const documentErrorCodes = ["GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED", "BAD_USER_INPUT"] as const

export const documentErrors = (
  code: (typeof documentErrorCodes)[number],
  errors: readonly GraphQLError[],
): { readonly errors: readonly GraphQLError[] } => ({
  errors: errors.map(({ message, nodes, source, positions }) => {
    const at = { ...(nodes ? { nodes } : {}), ...(source ? { source } : {}), ...(positions ? { positions } : {}) }
    return new GraphQLError(message, { ...at, extensions: { code } })
  }),
})
