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
  recipientChangedTwice: "lie",
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
  logDataChanged: "lie",
  topicsSwapped: "lie",
  logDoubled: "lie",
  logsSwapped: "lie",
  logMoved: "lie",
  statusChanged: "lie",
  cumulativeGasChanged: "lie",
  valueChanged: "lie",
  inputChanged: "lie",
  nonceChanged: "lie",
  timestampChanged: "lie",
  stateRootChanged: "lie",
  headerFieldChanged: "lie",
  transactionMissing: "lie",
  senderChanged: "lie",
  recipientChanged: "lie",
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

/**
 * Lies that fit everything that `VERIFY=standard` compares. They are stored there; `VERIFY=roots` alone notices them. Lies that
 * no hash covers (the same sender in a block and in its receipts, a receipt's price, its own gas, the contract it names) are not
 * in this catalogue: nothing but another node could tell.
 */
export const noticedOnlyByRoots: readonly FaultName[] = [
  ...["recipientChangedTwice", "logDataChanged", "topicsSwapped", "logDoubled", "logsSwapped", "logMoved"],
  ...["statusChanged", "cumulativeGasChanged", "valueChanged", "inputChanged", "nonceChanged"],
  ...["timestampChanged", "stateRootChanged", "headerFieldChanged"],
] as const satisfies readonly FaultName[]
