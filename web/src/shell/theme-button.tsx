// System, light, dark. theme.js sets the same before the first paint.

import { type ReactNode, useEffect } from "react"
import { useSetting } from "../app/use-setting"
import styles from "./theme-button.module.css"

const next: Readonly<Record<string, string>> = { system: "light", light: "dark", dark: "system" }
const paths: Readonly<Record<string, string>> = {
  system: "M2.5 3.5h11v7.5h-11zM6 13.5h4",
  light:
    "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8L13 13M13 3l-1.2 1.2M4.2 11.8L3 13",
  dark: "M13.5 9.6A6 6 0 1 1 6.4 2.5a4.8 4.8 0 0 0 7.1 7.1z",
}

export function ThemeButton(): ReactNode {
  const [setting, setTheme] = useSetting("theme", "system")
  const theme = setting in next ? setting : "system"
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset["theme"]
    else document.documentElement.dataset["theme"] = theme
  }, [theme])
  return (
    <button type="button" className={styles.theme} onClick={() => setTheme(next[theme]!)} title={`Theme: ${theme}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={paths[theme]} />
      </svg>
      <span className="hidden">Theme: {theme}</span>
    </button>
  )
}
