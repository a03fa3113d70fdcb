// What /status says of the chain, asked again every few seconds unless the console is paused.

import { useQuery } from "@tanstack/react-query"
import { useChain } from "../../app/chain-context"
import { statusQuery } from "../../data/status-query"
import { usePause } from "../../live/pause-context"

export function useStatus() {
  const { isPaused } = usePause()
  return useQuery({ ...statusQuery(useChain()), ...(isPaused ? { refetchInterval: false } : {}) })
}
