// What a page has to say of an answer that failed. What was read before stays while the server cannot be asked; a thing that is
// not there any more does not.

import { TidemarkError } from "tidemark/client"

interface Asked {
  readonly data: unknown
  readonly error: Error | null
}

export const isMissing = (error: Error | null): error is TidemarkError =>
  error instanceof TidemarkError && error.status === 404

export const faultOf = ({ data, error }: Asked): Error | null =>
  data === undefined || isMissing(error) ? error : null
