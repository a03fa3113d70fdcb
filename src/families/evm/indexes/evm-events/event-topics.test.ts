import { expect, test } from "vitest"
import { keccak256 } from "../../source/keccak.js"
import { eventTopics } from "./event-topics.js"

test.each(Object.entries(eventTopics))("the first topic of %s is the hash of that signature", (signature, topic) => {
  expect(topic).toBe(`0x${keccak256(Buffer.from(signature)).toString("hex")}`)
})
