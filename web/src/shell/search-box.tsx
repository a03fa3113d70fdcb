// Finds heights, hashes, addresses and names. A height goes straight to its block; what is found once goes there as well.

import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, type ReactNode, useRef } from "react"
import { useChain } from "../app/chain-context"
import styles from "./search-box.module.css"

const heightPattern = /^[\d,_ ]+$/
const hashPattern = /^0x[0-9a-f]{64}$/i

export function SearchBox(): ReactNode {
  const chain = useChain()
  const navigate = useNavigate()
  const field = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const asked = field.current?.value.trim() ?? ""
    if (heightPattern.test(asked) || hashPattern.test(asked)) {
      const block = asked.replace(/[,_ ]/g, "")
      void navigate({ to: "/$chain/blocks/$block", params: { chain, block } })
    }
  }
  return (
    <form className={styles.search} onSubmit={submit}>
      <input
        ref={field}
        type="search"
        name="q"
        aria-label="Search for a block"
        placeholder="Height or hash of a block"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
      />
      <span className={styles.key} aria-hidden="true">
        /
      </span>
    </form>
  )
}
