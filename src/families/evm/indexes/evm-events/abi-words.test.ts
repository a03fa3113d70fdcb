import { expect, test } from "vitest"
import { address, data, word } from "../../../../../test/support/block-view.js"
import { addressAt, dataLength, isWord, sizeAt, topicAddress, wordAt } from "./abi-words.js"

const max = "f".repeat(64)

test("a word is there only when all its 32 bytes are", () => {
  expect(wordAt(data(1, max), 32)).toBe(word(max))
  expect(wordAt(data(1, 2), 1)).toBe(`0x${"0".repeat(61)}100`)
  expect(wordAt(data(1, 2).slice(0, -2), 32)).toBeNull()
  expect(wordAt("0x", 0)).toBeNull()
  expect(wordAt("", 0)).toBeNull()
  expect(wordAt(null, 0)).toBeNull()
})

test("an address word has twelve zero bytes in front", () => {
  const holder = address("00ff00000000000000000000000000000000beef")
  expect(addressAt(data(7, holder), 32)).toBe(holder)
  expect(topicAddress(word(holder))).toBe(holder)
  expect(topicAddress(`0x${"0".repeat(23)}1${holder.slice(2)}`)).toBeNull()
  expect(topicAddress(`0x1${"0".repeat(23)}${holder.slice(2)}`)).toBeNull()
  expect(addressAt(data(7), 32)).toBeNull()
  expect(addressAt(null, 0)).toBeNull()
})

test("a topic that is shorter or longer than a word is none", () => {
  for (const topic of [undefined, "0x", "", word(1).slice(0, -2), `${word(1)}00`, address(1)]) {
    expect(isWord(topic)).toBe(false)
    expect(topicAddress(topic)).toBeNull()
  }
})

test("a size above four bytes is out of bounds anywhere", () => {
  expect(sizeAt(data(64), 0)).toBe(64)
  expect(sizeAt(data("ffffffff"), 0)).toBe(2 ** 32 - 1)
  expect(sizeAt(data("100000000"), 0)).toBeNull()
  expect(sizeAt(data(max), 0)).toBeNull()
  expect(sizeAt(data(64), 1)).toBeNull()
  expect(sizeAt(null, 0)).toBeNull()
})

test("the length of data counts whole bytes", () => {
  expect([null, "", "0x", "0xab", data(1, 2)].map(dataLength)).toEqual([0, 0, 0, 1, 64])
})
