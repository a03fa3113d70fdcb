import { describeBlockSource, type StagedProvider } from "../../test/conformance/block-source.js"
import { quickHost } from "./model/sides.js"
import { SimChain } from "./sim-chain.js"
import { SimRandom } from "./sim-random.js"
import { SimProvider, SimSource } from "./sim-source.js"

const length = 121
const finalityGap = 20

const host = { ...quickHost, random: new SimRandom(1) }

describeBlockSource("the simulation's source", async () => {
  const chain = new SimChain({ random: new SimRandom(2), finalityGap, length })
  const { blocks } = chain
  const branchAt = (height: number) => {
    chain.blocks = blocks.slice(0, height)
    chain.extend(length - height)
    return chain.blocks
  }
  const provider = ({ head, forkAt, unlinkedAt, isDown = false }: StagedProvider): SimProvider => {
    const branch = branchAt(forkAt ?? (unlinkedAt ?? length) - 5)
    const from = forkAt ?? unlinkedAt ?? length
    const seen = [...blocks.slice(0, from), ...branch.slice(from)].slice(0, head + 1)
    const staged = new SimProvider({ blocks: seen, finalizedHeight: head - finalityGap })
    staged.isDown = isDown
    return staged
  }
  return {
    open: async (providers) => new SimSource({ host, providers: providers.map(provider), errorPart: () => 0 }),
    hash: (height) => blocks[height]!.hash,
    finalityGap,
    close: async () => undefined,
  }
})
