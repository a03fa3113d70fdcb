// Causes that lie in the heads that nodes report: behind, frozen, or not those of the others.

import { type CauseFinder, type CauseFinding, formatSeconds } from "./diagnosis.js"
import { frozenHead, frozenProviders } from "./frozen-head.js"

export const behind = (message: string): CauseFinding => ({
  cause: "NODE_BEHIND",
  message,
  doing: "waiting for the node to catch up; other providers are used if there are any",
  todo: "check whether the node is syncing or pruned; add another provider to RPC_URL",
})

export const nodeBehind: CauseFinder = ({ head, storedHead }) =>
  head !== null && storedHead !== null && storedHead > head
    ? behind(`the node's head is ${head}, below block ${storedHead} that is stored already`)
    : undefined

export const nodeFrozen: CauseFinder = (status) => {
  const [frozen, ...more] = frozenProviders(status)
  if (!frozen) return undefined
  const { height, ageMs, stillMs } = frozen.head
  const age = ageMs === null ? "" : `, and that block is ${formatSeconds(ageMs)} old`
  const others = more.length > 0 ? ` (${more.map(({ label }) => label).join(", ")} neither)` : ""
  const isFollowed = frozenHead(status) !== undefined
  return {
    cause: "NODE_FROZEN",
    message: `${frozen.label} has not moved from block ${height} for ${formatSeconds(stillMs)}${age}${others}`,
    doing: isFollowed
      ? "no other node has a newer head, so nothing new can be stored; history continues"
      : "it is left and another node is followed; it is used again when it has caught up",
    todo: isFollowed
      ? "restart the node or add another to RPC_URL; if the chain makes blocks only on demand, set FROZEN_AFTER_BLOCKS=0"
      : "restart that node, or remove it from RPC_URL",
  }
}

export const nodeLeft: CauseFinder = ({ providers }) => {
  const left = providers.find(({ head }) => head?.left && head.fault !== "frozen")
  if (!left?.head) return undefined
  const what = {
    behind: "is far behind the other nodes",
    ahead: "alone claims blocks far above the other nodes",
    fork: "is on another chain than the other nodes",
    frozen: "does not move",
  }[left.head.fault ?? "frozen"]
  return behind(`${left.label} (at block ${left.head.height}) ${what}; another one is followed`)
}
