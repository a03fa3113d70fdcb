// Everything that the API answers about an EVM chain.

import type { ApiResource } from "../../../queries/resource.js"
import { accountResources } from "./account-resources.js"
import { blockResources } from "./block-resources.js"
import { eventResources } from "./event-resources.js"
import { searchResource } from "./search-resource.js"
import { tokenResources } from "./token-resources.js"
import { transactionResources } from "./transaction-resources.js"

export const evmResources: readonly ApiResource[] = [
  ...blockResources,
  ...transactionResources,
  ...eventResources,
  ...accountResources,
  ...tokenResources,
  searchResource,
]
