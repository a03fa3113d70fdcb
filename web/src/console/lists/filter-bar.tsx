// The filters of a list. Each lives in the address, so that a filtered list can be linked to, and changing one begins at the
// first page.

import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, type ReactNode, useId } from "react"
import styles from "./filter-bar.module.css"

interface Filter {
  /** In the address. */
  readonly name: string
  readonly label: string
  readonly value: string | undefined
  /** With them it is a choice, without them a text. The first is what is shown without the filter. */
  readonly choices?: readonly Choice[]
  readonly isNumber?: boolean
  readonly hint?: string
}

interface Choice {
  readonly value: string
  readonly words: string
}

export function FilterBar({ label, filters }: { readonly label: string; readonly filters: readonly Filter[] }) {
  const navigate = useNavigate()
  const set = (given: Readonly<Record<string, string | undefined>>): void => {
    const search = (before: object) => ({ ...before, ...given, cursor: undefined })
    void navigate({ to: ".", search: search as never, resetScroll: false })
  }
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget)
    set(Object.fromEntries(filters.map(({ name }) => [name, textOf(typed.get(name))])))
  }
  const isFiltered = filters.some(({ value }) => value !== undefined)
  return (
    <form className={styles.bar} aria-label={label} onSubmit={submit}>
      {filters.map((filter) => (
        <Field key={filter.name} {...filter} onChoice={(value) => set({ [filter.name]: value })} />
      ))}
      {filters.some(({ choices }) => !choices) && <button type="submit">Filter</button>}
      {isFiltered && (
        <button
          type="button"
          className={styles.clear}
          onClick={() => set(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
        >
          Clear
        </button>
      )}
    </form>
  )
}

const textOf = (typed: FormDataEntryValue | null): string | undefined =>
  typeof typed === "string" && typed.trim() !== "" ? typed.trim() : undefined

interface FieldProps extends Filter {
  readonly onChoice: (value: string | undefined) => void
}

function Field({ name, label, value, choices, isNumber = false, hint = "", onChoice }: FieldProps): ReactNode {
  const id = useId()
  // One of the address that is not among them is a choice too.
  const all = choices?.some((one) => one.value === (value ?? "")) ? choices : [...(choices ?? []), unknown(value)]
  return (
    <span className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {choices ? (
        <select id={id} name={name} value={value ?? ""} onChange={({ target }) => onChoice(target.value || undefined)}>
          {all.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.words}
            </option>
          ))}
        </select>
      ) : (
        <input
          // Another value of the address is another field.
          key={value ?? ""}
          {...{ id, name, defaultValue: value ?? "", placeholder: hint, autoComplete: "off", spellCheck: false }}
          {...(isNumber ? { inputMode: "numeric", pattern: "[0-9]{1,15}", title: "A height, in digits" } : {})}
        />
      )}
    </span>
  )
}

const unknown = (value = ""): Choice => ({ value, words: value.slice(0, 40) })
