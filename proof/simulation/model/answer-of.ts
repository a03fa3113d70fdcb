// What an operation of the product answers, as far as Postgres and the model of it have to agree: errors by their code.

import { WorkerFault } from "../../../src/coordination/worker-fault.js"
import { isIndexerError } from "../../../src/platform/errors.js"

export const answerOf = async (run: () => Promise<unknown>): Promise<unknown> => {
  try {
    return (await run()) ?? "done"
  } catch (caught) {
    const error = caught instanceof WorkerFault ? caught.cause : caught
    if (isIndexerError(error)) return error.data["sqlState"] ?? error.code
    return error instanceof Error ? error.message.replace(/\d+/g, "#") : String(error)
  }
}
