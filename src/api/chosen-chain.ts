// The chain of an act whose path names none.

import { Type } from "typebox"
import type { OperatedChain } from "../operations/operated-chain.js"
import { RequestError } from "../queries/request-error.js"
import { type AdminOptions, operatedChain } from "./admin-acts.js"

export const ofChain = Type.Object(
  { chain: Type.Optional(Type.String({ pattern: "^[a-z][a-z0-9-]{0,30}$" })) },
  { additionalProperties: false },
)

/** The only chain needs no name. */
export function chosenChain(options: AdminOptions, given: string | undefined): OperatedChain {
  if (given !== undefined) return operatedChain(options, given)
  const [chain, ...others] = options.operated()
  if (chain && others.length === 0) return chain
  throw new RequestError("BAD_REQUEST", "this process writes to no chain or to several: choose one with ?chain=")
}
