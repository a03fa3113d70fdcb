// From chain to chain. With one chain it is only its name.

import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { chainsQuery } from "../data/chains-query"
import styles from "./chain-switch.module.css"

export function ChainSwitch(): ReactNode {
  const chain = useChain()
  const navigate = useNavigate()
  const { data: chains = [] } = useQuery(chainsQuery)
  if (chains.length < 2) return null
  return (
    <select
      className={styles.switch}
      aria-label="Chain"
      value={chain}
      onChange={({ target }) => navigate({ to: "/$chain", params: { chain: target.value } })}
    >
      {chains.map(({ chain: name }) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}
