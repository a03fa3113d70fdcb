// Every way a node misbehaves here, by name, and what an indexer owes each.

/**
 * lie: a well-formed answer that is false; it must never be stored. noise: unusual and true; it must be accepted.
 * outage: no usable answer; it must be asked for again.
 */
export type FaultKind = "lie" | "noise" | "outage"

export const faultKinds = {
  // the connection and the HTTP answer
  http500: "outage",
  http502: "outage",
  http429: "outage",
  http429RetryAfter: "outage",
  htmlBody: "outage",
  emptyBody: "outage",
  truncatedJson: "outage",
  hugeBody: "outage",
  connectionReset: "outage",
  neverAnswers: "outage",
  slowDrip: "outage",
  contentLengthTooLong: "outage",
  contentLengthTooShort: "outage",
  // the list of answers
  batchRefused: "outage",
  idMissing: "outage",
  idDuplicated: "outage",
  idWrongType: "outage",
  batchShuffled: "noise",
  twoForks: "lie",
  // one answer
  rpcErrorKnownCode: "outage",
  rpcErrorUnknownCode: "outage",
  rpcErrorStringCode: "outage",
  nullBlock: "lie",
  nullReceipts: "lie",
  receiptsOneShort: "lie",
  receiptsOfAnotherBlock: "lie",
  logRemoved: "lie",
  logAdded: "lie",
  topicChanged: "lie",
  addressChanged: "lie",
  logsOutOfOrder: "lie",
  logIndexDuplicated: "lie",
  transactionMissing: "lie",
  wrongParentHash: "lie",
  blockOfAnotherNumber: "lie",
  wrongReceiptBlockHash: "lie",
  headGoesBack: "lie",
  wrongChainId: "lie",
  // True values in the wrong type: refusing and accepting are both right, crashing is not.
  numbersInsteadOfHex: "outage",
  uppercaseHex: "noise",
  unknownFields: "noise",
  hostileStrings: "noise",
} as const satisfies Record<string, FaultKind>

export type FaultName = keyof typeof faultKinds
/** Probabilities in [0, 1]; a fault that is not named never happens. */
export type FaultRates = Partial<Record<FaultName, number>>

export const faultNames = Object.keys(faultKinds) as readonly FaultName[]
const ofKind = (kind: FaultKind) => faultNames.filter((name) => faultKinds[name] === kind)

export const lies = ofKind("lie")
export const noise = ofKind("noise")
export const outages = ofKind("outage")
