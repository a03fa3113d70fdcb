// The answers of operators' routes, and how they refuse.

import type { TSchema } from "typebox"
import { problemSchema } from "./answer-schemas.js"

const refusals = {
  400: "A parameter is not valid, or the cursor is not of this list",
  401: "The admin token is needed, or the API key is not known",
  404: "There is no such chain",
  422: "The answer would take too long",
  429: "Too many requests",
  503: "A database cannot be reached, or a rollback is being finished",
}

export const opsResponses = (data: TSchema) => ({
  200: { description: "The answer", ...data },
  ...Object.fromEntries(
    Object.entries(refusals).map(([status, description]) => [status, { description, ...problemSchema }]),
  ),
})
