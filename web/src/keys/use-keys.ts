// The keys of all pages. They act on what the page has marked: `data-row` for rows, `data-key` for single places, `data-copy`
// for what can be copied.

import { useEffect, useState } from "react"

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const first = <T extends HTMLElement>(selector: string): T | null => document.querySelector<T>(selector)

function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = at < 0 ? rows[0] : rows[Math.min(rows.length - 1, Math.max(0, at + step))]
  const target = next?.querySelector<HTMLElement>("a, button")
  target?.focus()
  target?.scrollIntoView({ block: "nearest" })
}

function copy(): void {
  const focused = document.activeElement?.closest<HTMLElement>("[data-row]")
  const source = focused?.querySelector<HTMLElement>("[data-copy]") ?? first("main [data-copy]")
  const text = source?.dataset["copy"]
  if (text) void navigator.clipboard?.writeText(text).catch(() => undefined)
}

/** Whether the help is open, and how to close it. */
export function useKeys(): readonly [boolean, () => void] {
  const [isHelpOpen, setHelp] = useState(false)
  useEffect(() => {
    const acts: Readonly<Record<string, () => void>> = {
      "/": () => first<HTMLInputElement>(`[data-key="/"]`)?.focus(),
      j: () => moveRow(1),
      k: () => moveRow(-1),
      "[": () => first(`[data-key="["]`)?.click(),
      "]": () => first(`[data-key="]"]`)?.click(),
      n: () => first("[data-next]")?.click(),
      c: copy,
      "?": () => setHelp(true),
    }
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const act = acts[event.key]
      if (!act) return
      event.preventDefault()
      act()
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [])
  return [isHelpOpen, () => setHelp(false)]
}
