// What /status says of the chain, asked again every few seconds unless the console is paused: faster while a rollback moves or a
// halt waits, since people watch that.

import { useQuery } from "@tanstack/react-query"
import { useChain } from "../../app/chain-context"
import { type ChainStatus, statusQuery } from "../../data/status-query"
import { usePause } from "../../live/pause-context"

const [calmMs, watchedMs] = [10_000, 2_000]

export function useStatus() {
  const chain = useChain()
  const { isPaused } = usePause()
  const isWatched = (all: readonly ChainStatus[] = []): boolean =>
    all.some((one) => one.chain === chain && (one.rollback_open || one.halt !== null))
  return useQuery({
    ...statusQuery(chain),
    refetchInterval: ({ state }) => !isPaused && (isWatched(state.data?.chains) ? watchedMs : calmMs),
  })
}
