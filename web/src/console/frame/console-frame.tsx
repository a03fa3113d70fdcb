// What every section of the console stands in: the doctor's verdict, the tabs, and the pause button. Where operators' routes
// need a token, it is asked for once, in place of the section.

import { Link, Outlet } from "@tanstack/react-router"
import { type ReactNode, useEffect } from "react"
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
  const isRefused = error instanceof TidemarkError && (error.status === 401 || error.status === 404)
  return (
    <main className={styles.frame} id="content" tabIndex={-1}>
      <h1 className="hidden">Console of {chain}</h1>
      <Verdict />
      <div className={styles.bar}>
        <nav className={styles.tabs} aria-label="Sections">
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
