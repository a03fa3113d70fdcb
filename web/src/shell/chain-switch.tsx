// From chain to chain, on the same section of the console. With one chain there is nothing to switch.

import { useQuery } from "@tanstack/react-query"
import { useLocation, useNavigate } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { chainsQuery } from "../data/chains-query"
import styles from "./chain-switch.module.css"

const all = "/"

export function ChainSwitch(): ReactNode {
  const chain = useChain()
  const navigate = useNavigate()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const { data: chains = [] } = useQuery(chainsQuery)
  if (chains.length < 2) return null
  const [, first, shown, section = ""] = path.split("/")
  const isConsole = first === "console"
  const go = (name: string) => {
    if (name === all) return navigate({ to: "/console" })
    if (!isConsole) return navigate({ to: "/$chain", params: { chain: name } })
    return navigate({ to: `/console/$chain/${section}` as "/console/$chain", params: { chain: name } })
  }
  return (
    <select
      className={styles.switch}
      aria-label="Chain"
      value={isConsole && !shown ? all : chain}
      onChange={({ target }) => go(target.value)}
    >
      {isConsole && <option value={all}>All chains</option>}
      {chains.map(({ chain: name }) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}
