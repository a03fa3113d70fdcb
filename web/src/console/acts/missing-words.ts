// Why one cannot act yet, in words.

import type { ActorState } from "../access/use-actor"

interface Missing {
  readonly title: string
  readonly todo: string
}

export const missingWords: Readonly<Partial<Record<ActorState, Missing>>> = {
  token: {
    title: "Reading needs no token here, acting does",
    todo: "Every act asks for the admin token (ADMIN_TOKEN). The demo's is in .tidemark/admin-token.",
  },
  refused: {
    title: "The token of this tab is not the admin token",
    todo: "Every act asks for it again.",
  },
  none: {
    title: "This process takes no acts",
    todo: "It runs without ADMIN_TOKEN. Start one with the role serve and a token, or use the command line.",
  },
  elsewhere: {
    title: "This process cannot write to this chain",
    todo: "Ask a process that has DB_RAW_URL and DB_APP_URL of it, or use the command line.",
  },
}
