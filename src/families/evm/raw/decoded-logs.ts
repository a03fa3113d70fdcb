// Logs of a block as the events of a contract's ABI, typed from it, for the extract of a user's worker. What does
// not decode is passed over: anybody can emit a log with the signature of another's event.

import {
  type Abi,
  type AbiEvent,
  type ContractEventName,
  type DecodeEventLogReturnType,
  decodeEventLog,
  toEventSelector,
  type Hex as ViemHex,
} from "viem"
import type { Hex } from "../../../domain/linked-block.js"
import type { BlockView, EventView } from "./block-view.js"

export interface DecodedLogsOptions<A extends Abi, Name extends ContractEventName<A>> {
  /** Declared `as const`, so that the arguments have types. */
  readonly abi: A
  readonly eventName: Name
  /** Only logs of this contract, or of these. */
  readonly address?: Hex | readonly Hex[]
}

type DecodedArgs<A extends Abi, Name extends ContractEventName<A>> = DecodeEventLogReturnType<
  A,
  Name,
  ViemHex[],
  ViemHex,
  true
>["args"]

export interface DecodedLog<A extends Abi, Name extends ContractEventName<A>> {
  readonly event: EventView
  /** As viem gives them: addresses with checksum, integers of more than 48 bits as bigint. */
  readonly args: DecodedArgs<A, Name>
}

/** In chain order. */
export function* decodedLogs<const A extends Abi, Name extends ContractEventName<A>>(
  block: Pick<BlockView, "events">,
  { abi, eventName, address }: DecodedLogsOptions<A, Name>,
): Generator<DecodedLog<A, Name>, void, undefined> {
  const selectors = selectorsOf(abi, eventName)
  const addresses = address === undefined ? undefined : lowerCase(address)
  for (const event of block.events) {
    const { topics } = event
    const definition = topics[0] === undefined ? undefined : selectors.get(topics[0])
    if (!definition || (addresses && !(event.address && addresses.has(event.address)))) continue
    const args = decode(definition, event)
    if (args !== undefined) yield { event, args: args as DecodedArgs<A, Name> }
  }
}

/** Several where an event is overloaded. */
function selectorsOf(abi: Abi, eventName: string): ReadonlyMap<string, AbiEvent> {
  const events = abi.filter((item): item is AbiEvent => item.type === "event" && item.name === eventName)
  return new Map(events.map((item) => [toEventSelector(item), item]))
}

function decode(definition: AbiEvent, { topics, data }: EventView): unknown {
  try {
    const { args } = decodeEventLog({
      abi: [definition],
      topics: topics as [ViemHex, ...ViemHex[]],
      data: (data ?? "0x") as ViemHex,
      strict: true,
    })
    return args ?? []
  } catch {
    // Every error here is about the log: of its topics or its data.
    return undefined
  }
}

const lowerCase = (address: Hex | readonly Hex[]): ReadonlySet<Hex> =>
  new Set((typeof address === "string" ? [address] : address).map((one) => one.toLowerCase()))
