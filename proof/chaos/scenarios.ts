// Every scenario there is, in the order in which they are run.

import type { Scenario } from "./scenario.js"
import { apiTruth } from "./scenarios/api-truth.js"
import { clockSkew } from "./scenarios/clock-skew.js"
import { diskFull } from "./scenarios/disk-full.js"
import { eatenCommits } from "./scenarios/eaten-commits.js"
import { failoverAsync, failoverSync } from "./scenarios/failover.js"
import { failpointKills } from "./scenarios/failpoints.js"
import { fewConnections } from "./scenarios/few-connections.js"
import { hostileMetadata } from "./scenarios/hostile-metadata.js"
import { hugeBlocks } from "./scenarios/huge-blocks.js"
import { killScenarios } from "./scenarios/kills.js"
import { lies } from "./scenarios/lies.js"
import { poison } from "./scenarios/poison.js"
import { postgresAway } from "./scenarios/postgres-away.js"
import { postgresCrashes } from "./scenarios/postgres-crashes.js"
import { reorgs, reorgsTwo } from "./scenarios/reorgs.js"
import { reorgsAnvil } from "./scenarios/reorgs-anvil.js"
import { soak } from "./scenarios/soak.js"
import { stops } from "./scenarios/stops.js"
import { twoBranches } from "./scenarios/two-branches.js"

export const scenarios: readonly Scenario[] = [
  ...killScenarios,
  failpointKills,
  stops,
  postgresAway,
  postgresCrashes,
  failoverSync,
  failoverAsync,
  eatenCommits,
  lies,
  reorgs,
  reorgsTwo,
  reorgsAnvil,
  twoBranches,
  diskFull,
  fewConnections,
  clockSkew,
  poison,
  hugeBlocks,
  hostileMetadata,
  apiTruth,
  soak,
]
