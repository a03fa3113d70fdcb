// The scopes of the last answers. One is never trusted: it is what the next statement counts on, which reads the scope of
// its own snapshot too, and is sent again if that is another one.

import { type AnswerScope, parseScope } from "./answer-scope.js"
import type { ApiResource } from "./resource.js"

export interface KnownScope {
  /** As the store says it. */
  readonly text: string
  readonly scope: AnswerScope
}

type Scoped = Pick<ApiResource, "store" | "workers">

export class KnownScopes {
  readonly #known = new Map<string, KnownScope>()

  of({ store, workers }: Scoped): KnownScope | undefined {
    return this.#known.get(nameOf(store, workers))
  }

  /** What an answer said. Null: the store belongs to no chain. */
  note({ store, workers }: Scoped, text: string | null): void {
    if (text === null) this.#known.delete(nameOf(store, workers))
    else this.#known.set(nameOf(store, workers), { text, scope: parseScope(text, workers) })
  }
}

const nameOf = (store: string, workers: readonly string[]): string => `${store} ${workers.join(" ")}`
