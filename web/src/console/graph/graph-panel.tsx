// Who depends on whom, who is busy, waiting or blocked, and by how many blocks each is behind.

import { Link } from "@tanstack/react-router"
import { type ReactNode, useMemo } from "react"
import { useChain } from "../../app/chain-context"
import { useMedia } from "../../app/use-media"
import { formatNumber } from "../../parts/format-number"
import { Panel } from "../../parts/panel"
import { layoutGraph } from "./graph-layout"
import styles from "./graph-panel.module.css"
import { behind, stateOf, type Worker } from "./worker-state"

const wide = { width: 216, height: 40, across: 96, down: 12 }
const narrow = { width: 156, height: 40, across: 64, down: 10 }

export function GraphPanel({ workers }: { readonly workers: readonly Worker[] | undefined }): ReactNode {
  const chain = useChain()
  const { width, height, across, down } = useMedia("(max-width: 900px)") ? narrow : wide
  const { nodes, edges, columns, rows } = useMemo(() => layoutGraph(workers ?? []), [workers])
  const inColumn = (column: number): number => nodes.filter((node) => node.column === column).length
  const tall = rows * (height + down) - down
  const xOf = (column: number): number => column * (width + across)
  // Short columns stand in the middle.
  const yOf = ({ column, row }: { column: number; row: number }): number =>
    (tall - (inColumn(column) * (height + down) - down)) / 2 + row * (height + down)
  return (
    <Panel title="Dependencies" quiet="edges say how far behind">
      <div className={styles.frame}>
        <div className={styles.graph} style={{ width: xOf(columns) - across, height: Math.max(height, tall) }}>
          <svg aria-hidden="true">
            {edges.map(({ from, to }) => {
              const [x, y] = [xOf(from.column) + width, yOf(from) + height / 2]
              const [end, target] = [xOf(to.column), yOf(to) + height / 2]
              const middle = end - across / 2
              const heights = behind(to.worker, from.worker)
              return (
                <g
                  key={`${from.worker.worker} ${to.worker.worker}`}
                  className={heights > 64 ? styles.late : undefined}
                >
                  <path
                    d={`M${x} ${y}H${middle - 14}Q${middle} ${y} ${middle} ${(y + target) / 2}T${middle + 14} ${target}H${end}`}
                  />
                  {heights > 0 && (
                    <text x={end - 6} y={target - 5}>
                      {short.format(heights)}
                    </text>
                  )}
                </g>
              )
            })}
          </svg>
          {nodes.map((node) => {
            const { worker } = node
            const state = stateOf(worker)
            return (
              <Link
                key={worker.worker}
                to="/console/$chain/work"
                params={{ chain }}
                search={{ worker: worker.worker }}
                className={`${styles.node} ${styles[state]}`}
                style={{ left: xOf(node.column), top: yOf(node), width, height }}
                title={`${worker.worker} is ${state}, complete to ${worker.watermark_height === null ? "no block" : formatNumber(worker.watermark_height)}`}
              >
                <span>{worker.worker}</span>
                <small>{worker.paused ? "paused" : worker.leases.dead > 0 ? "dead block" : state}</small>
              </Link>
            )
          })}
        </div>
      </div>
    </Panel>
  )
}

const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 })
