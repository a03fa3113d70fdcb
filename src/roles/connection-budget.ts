// A process keeps to 12 database connections, whatever its threads: 2 for services and answers, 1 to the app database, 2
// for the head follower (its election and its work), and for each thread one to renew leases and one for each lane.

const budget = 12
const fixed = 2 + 1 + 2
const maxLanesPerThread = 2

export const rawPoolSize = 2
export const appPoolSize = 1

export function lanesPerThread(threads: number): number {
  return Math.max(1, Math.min(maxLanesPerThread, Math.floor((budget - fixed) / threads) - 1))
}
