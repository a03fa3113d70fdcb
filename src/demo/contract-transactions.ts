// Payments, contract creations by transactions and by contracts, unusual logs, and every way to fail.

import { encodeDeployData, encodeFunctionData, stringToHex } from "viem"
import { Child, ChildDeployer, GasBurner, OddEvents, Reverter, Token } from "./contracts.generated.js"
import { call, kind, pickAmount, pickRecipient, type TransactionKind } from "./transaction-kind.js"

const ether = 10n ** 18n

export const contractTransactions: readonly TransactionKind[] = [
  kind("payment", 20, (context) => ({
    from: context.random.pick(context.senders),
    to: pickRecipient(context),
    value: pickAmount(context.random, ether, 2),
    gas: 30_000,
  })),
  kind("payment with a message", 1.5, (context) => ({
    from: context.random.pick(context.senders),
    to: pickRecipient(context),
    value: context.random.chance(0.5) ? 0n : 1n,
    data: stringToHex(`ahoy ${context.random.integer(0, 1000)}`),
    gas: 40_000,
  })),
  kind("payment to oneself", 0.7, ({ random, senders }) => {
    const from = random.pick(senders)
    return { from, to: from, value: 1n, gas: 30_000 }
  }),
  kind("token creation", 0.4, ({ random, senders }) => {
    const number = random.integer(100, 1000)
    const from = random.pick(senders)
    const args = [`Driftwood ${number}`, `DRFT${number}`, random.pick([0, 6, 8, 18])] as const
    return { from, data: encodeDeployData({ ...Token, args }), gas: 1_500_000 }
  }),
  kind("contract creation", 0.8, ({ random, senders }) => ({
    from: random.pick(senders),
    data: encodeDeployData({ ...Child, args: [BigInt(random.integer(0, 1000))] }),
    value: random.chance(0.3) ? 1n : 0n,
    gas: 400_000,
  })),
  // The init code is one invalid instruction: the creation fails and uses all its gas.
  kind("failed creation", 0.4, ({ random, senders }) => ({
    from: random.pick(senders),
    data: "0xfe",
    gas: 120_000,
  })),
  kind("creation by a contract", 1, ({ random, book, senders }) => {
    const from = random.pick(senders)
    const functionName = random.pick(["deploy", "deploySalted"] as const)
    return call({ from, to: book.addresses.childDeployer, gas: 500_000 }, { abi: ChildDeployer.abi, functionName })
  }),
  kind("creation and destruction", 0.4, ({ random, book, senders }) => {
    const deploy = { from: random.pick(senders), to: book.addresses.childDeployer, gas: 500_000, value: 5n }
    return call(deploy, { abi: ChildDeployer.abi, functionName: "deployAndLeave" })
  }),
  kind("revert", 1.8, ({ random, book, senders }) => ({
    from: random.pick(senders),
    to: book.addresses.reverter,
    data: random.pick([
      encodeFunctionData({ abi: Reverter.abi, functionName: "withReason" }),
      encodeFunctionData({ abi: Reverter.abi, functionName: "withError" }),
      encodeFunctionData({ abi: Reverter.abi, functionName: "withPanic", args: [0n] }),
      encodeFunctionData({ abi: Reverter.abi, functionName: "silently" }),
      "0x",
    ]),
    gas: 60_000,
  })),
  kind("out of gas", 0.6, ({ random, book, senders }) => {
    const burn = { from: random.pick(senders), to: book.addresses.gasBurner, gas: random.integer(50_000, 200_000) }
    return call(burn, { abi: GasBurner.abi, functionName: "burn" })
  }),
  kind("odd logs", 1.2, (context) => {
    const { random, book, senders } = context
    const to = pickRecipient(context)
    const words = stringToHex("<b>flotsam</b>\0 and jetsam ".repeat(random.integer(1, 40)))
    const { abi } = OddEvents
    return {
      from: random.pick(senders),
      to: book.addresses.oddEvents,
      data: random.pick([
        encodeFunctionData({ abi, functionName: "withoutTopics", args: [words] }),
        encodeFunctionData({ abi, functionName: "withFourTopics" }),
        encodeFunctionData({ abi, functionName: "unindexedTransfer", args: [to, 7n] }),
        encodeFunctionData({ abi, functionName: "note", args: ["tides", words] }),
        encodeFunctionData({ abi, functionName: "transferWithoutData", args: [to] }),
        encodeFunctionData({ abi, functionName: "many", args: [BigInt(random.integer(10, 40))] }),
      ]),
      gas: 300_000,
    }
  }),
]
