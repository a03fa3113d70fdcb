// What every section of the console stands in: the doctor's verdict, the tabs, and the pause button. Where operators' routes
// need a token, it is asked for once, in place of the section.

import { Link, Outlet, useLocation } from "@tanstack/react-router"
import { type ReactNode, useEffect, useRef } from "react"
import { TidemarkError } from "tidemark/client"
import { useChain } from "../../app/chain-context"
import { useOps } from "../access/ops-query"
import { TokenGate } from "../access/token-gate"
import { WhoActs } from "../access/who-acts"
import { ActProvider } from "../acts/act-provider"
import styles from "./console-frame.module.css"
import { PauseButton } from "./pause-button"
import { sections } from "./sections"
import { Verdict } from "./verdict"

export function ConsoleFrame(): ReactNode {
  const chain = useChain()
  const { error } = useOps(chain, "/ops/workers", { limit: 200 })
  useEffect(() => {
    document.title = `Console of ${chain} · Tidemark`
  }, [chain])
  const tabs = useRef<HTMLElement>(null)
  const path = useLocation({ select: ({ pathname }) => pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another section is another tab, which a phone may not show.
  useEffect(() => {
    const [nav, tab] = [tabs.current, tabs.current?.querySelector<HTMLElement>("[aria-current=page]")]
    if (nav && tab) nav.scrollLeft = tab.offsetLeft - nav.offsetLeft - (nav.clientWidth - tab.offsetWidth) / 2
  }, [path])
  const isRefused = error instanceof TidemarkError && (error.status === 401 || error.status === 404)
  return (
    <main className={styles.frame} id="content" tabIndex={-1}>
      <h1 className="hidden">Console of {chain}</h1>
      <Verdict />
      <div className={styles.bar}>
        <nav className={styles.tabs} aria-label="Sections" ref={tabs}>
          {sections.map(({ to, name }) => (
            <Link
              key={to}
              to={to}
              params={{ chain }}
              activeOptions={{ exact: true, includeSearch: false }}
              activeProps={{ className: styles.shown, "aria-current": "page" }}
            >
              {name}
            </Link>
          ))}
        </nav>
        <WhoActs />
        <PauseButton />
      </div>
      {isRefused ? (
        <TokenGate hasRoutes={error.status === 401} />
      ) : (
        <ActProvider>
          <Outlet />
        </ActProvider>
      )}
    </main>
  )
}
