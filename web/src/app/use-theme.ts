// The theme that is seen: the chosen one, or the system's.

import { useSyncExternalStore } from "react"
import { useSetting } from "./use-setting"

const dark = "(prefers-color-scheme: dark)"

function subscribe(listener: () => void): () => void {
  const media = matchMedia(dark)
  media.addEventListener("change", listener)
  return () => media.removeEventListener("change", listener)
}

export function useTheme(): "light" | "dark" {
  const [setting] = useSetting("theme", "system")
  const isDark = useSyncExternalStore(subscribe, () => matchMedia(dark).matches)
  if (setting === "light" || setting === "dark") return setting
  return isDark ? "dark" : "light"
}
