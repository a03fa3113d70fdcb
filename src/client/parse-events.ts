// Server-sent events out of the pieces of a response, however they are cut.

export interface SentEvent {
  /** Of the last event that had one. */
  readonly id: string
  /** Empty for an id alone. */
  readonly type: string
  readonly data: string
}

/** Yields an event for every empty line that ends one. Comments (heartbeats) yield nothing. */
export async function* parseEvents(body: AsyncIterable<Uint8Array>, lastId: string): AsyncGenerator<SentEvent> {
  const decoder = new TextDecoder()
  let rest = ""
  let id = lastId
  let type = ""
  let data: string[] = []
  for await (const piece of body) {
    rest += decoder.decode(piece, { stream: true })
    const lines = rest.split("\n")
    rest = lines.pop()!
    for (const line of lines.map((one) => (one.endsWith("\r") ? one.slice(0, -1) : one))) {
      if (line === "") {
        if (type !== "" || data.length > 0 || id !== lastId) yield { id, type, data: data.join("\n") }
        lastId = id
        type = ""
        data = []
        continue
      }
      const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line)!
      if (name === "id") id = value!
      else if (name === "event") type = value!
      else if (name === "data") data.push(value!)
    }
  }
}
