// Finds heights, hashes, addresses and names while one types. Enter opens the best, or what the arrows chose; with nothing yet
// found it opens the page of the search.

import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, type KeyboardEvent, type ReactNode, useDeferredValue, useId, useRef, useState } from "react"
import { useChain } from "../app/chain-context"
import { apiQuery } from "../data/api-query"
import { foundLink, keyOfFound } from "../search/found-link"
import { FoundText } from "../search/found-text"
import { cleanQuery, type Found, longestQuery, searchQuery } from "../search/search-query"
import styles from "./search-box.module.css"

const shown = 8

export function SearchBox(): ReactNode {
  const chain = useChain()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState("")
  const [isOpen, setOpen] = useState(false)
  /** Its key, since the list may change while one chooses. */
  const [chosenKey, setChosenKey] = useState("")
  const q = useDeferredValue(cleanQuery(text))
  const { data, isFetching } = useQuery(searchQuery(chain, q))
  const found = q === "" ? [] : (data?.data ?? []).slice(0, shown)
  const chosen = found.findIndex((one) => keyOfFound(one) === chosenKey)
  const isShown = isOpen && q !== "" && data !== undefined
  const close = (): void => {
    setOpen(false)
    setChosenKey("")
    field.current?.blur()
  }
  const open = (one: Found): void => {
    const { to, params } = foundLink(chain, one)
    close()
    void navigate({ to, params: params as never })
  }
  /** A height has its page even where the chain has not come to it. */
  const openBest = async (asked: string): Promise<void> => {
    close()
    if (/^\d+$/.test(asked)) return navigate({ to: "/$chain/blocks/$block", params: { chain, block: asked } })
    const answer = await queries.fetchQuery(apiQuery(chain, "/search", { q: asked })).catch(() => undefined)
    const [best] = answer?.data ?? []
    if (best?.match === "exact") open(best)
    else await navigate({ to: "/$chain/search", params: { chain }, search: { q: asked } })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const asked = cleanQuery(text)
    const picked = found[chosen]
    if (picked) open(picked)
    else if (asked !== "") void openBest(asked)
  }
  const move = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (event.key === "Escape") close()
    if (step === 0 || found.length === 0) return
    event.preventDefault()
    const next = found[Math.min(found.length - 1, Math.max(-1, chosen + step))]
    setChosenKey(next ? keyOfFound(next) : "")
  }
  return (
    <search className={styles.search}>
      <form onSubmit={submit}>
        <input
          ref={field}
          type="search"
          data-key="/"
          role="combobox"
          aria-label="Search"
          aria-expanded={isShown}
          aria-controls={`${id}-found`}
          aria-autocomplete="list"
          aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
          placeholder="Height, hash, address, token"
          autoComplete="off"
          spellCheck={false}
          maxLength={longestQuery}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setOpen(true)
            setChosenKey("")
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={move}
        />
        <span className={styles.key} aria-hidden="true">
          /
        </span>
      </form>
      <div
        id={`${id}-found`}
        className={styles.found}
        role="listbox"
        aria-label="Found"
        aria-busy={isFetching || q !== cleanQuery(text)}
        hidden={!isShown}
      >
        {found.map((one, at) => (
          // The field keeps the focus; its keys choose and open.
          // biome-ignore lint/a11y/useFocusableInteractive: see above.
          <div
            key={keyOfFound(one)}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === chosen}
            className={at === chosen ? styles.chosen : undefined}
            onPointerDown={(event) => event.preventDefault()}
            onPointerUp={() => open(one)}
          >
            <FoundText found={one} />
          </div>
        ))}
        {found.length === 0 && (
          <div role="option" aria-selected={false} aria-disabled="true" tabIndex={-1} className={styles.none}>
            Nothing found
          </div>
        )}
      </div>
    </search>
  )
}
