// A token or a collection by the name that its contract gave, which proves nothing; without one, by its address.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { AddressMark } from "./address-mark"
import { shorten } from "./hash"
import { plainText } from "./plain-text"
import styles from "./token-name.module.css"

interface TokenNameProps {
  readonly contract: string
  readonly name?: string | null | undefined
  readonly symbol: string | null
  readonly kind?: "tokens" | "collections"
}

export function TokenName({ contract, name, symbol, kind = "tokens" }: TokenNameProps): ReactNode {
  const chain = useChain()
  const [long, short] = [plainText(name ?? "", 32), plainText(symbol ?? "", 14)]
  const text = long || short
  return (
    <span className={styles.token} data-copy={contract}>
      <AddressMark address={contract} />
      <Link to={`/$chain/${kind}/$contract`} params={{ chain, contract }} title={contract}>
        {text === "" ? <code>{shorten(contract)}</code> : <bdi>{text}</bdi>}
      </Link>
      {long !== "" && short !== "" && long !== short && <bdi className="quiet"> {short}</bdi>}
    </span>
  )
}
