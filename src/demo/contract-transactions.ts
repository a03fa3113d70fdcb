// Plain payments, contract creations by transactions and by contracts, odd logs, and every way to fail.

import { encodeDeployData, encodeFunctionData, stringToHex } from "viem"
import { Child, ChildDeployer, GasBurner, OddEvents, Reverter, Token } from "./contracts.generated.js"
import { pickAmount, pickRecipient, type TransactionKind } from "./transaction-kind.js"

const ether = 10n ** 18n

export const contractTransactions: readonly TransactionKind[] = [
  {
    name: "payment",
    weight: 20,
    make: (context) => ({
      from: context.random.pick(context.senders),
      to: pickRecipient(context),
      value: pickAmount(context.random, ether, 2),
      gas: 30_000,
    }),
  },
  {
    name: "payment with a message",
    weight: 1.5,
    make: (context) => ({
      from: context.random.pick(context.senders),
      to: pickRecipient(context),
      value: context.random.chance(0.5) ? 0n : 1n,
      data: stringToHex(`ahoy ${context.random.integer(0, 1000)}`),
      gas: 40_000,
    }),
  },
  {
    name: "payment to oneself",
    weight: 0.7,
    make: ({ random, senders }) => {
      const from = random.pick(senders)
      return { from, to: from, value: 1n, gas: 30_000 }
    },
  },
  {
    name: "token creation",
    weight: 0.4,
    make: ({ random, senders }) => {
      const number = random.integer(100, 1000)
      return {
        from: random.pick(senders),
        data: encodeDeployData({
          ...Token,
          args: [`Driftwood ${number}`, `DRFT${number}`, random.pick([0, 6, 8, 18])],
        }),
        gas: 1_500_000,
      }
    },
  },
  {
    name: "contract creation",
    weight: 0.8,
    make: ({ random, senders }) => ({
      from: random.pick(senders),
      data: encodeDeployData({ ...Child, args: [BigInt(random.integer(0, 1000))] }),
      value: random.chance(0.3) ? 1n : 0n,
      gas: 400_000,
    }),
  },
  {
    // The init code is one invalid instruction: the creation fails and takes all its gas.
    name: "failed creation",
    weight: 0.4,
    make: ({ random, senders }) => ({ from: random.pick(senders), data: "0xfe", gas: 120_000 }),
  },
  {
    name: "creation by a contract",
    weight: 1,
    make: ({ random, book, senders }) => ({
      from: random.pick(senders),
      to: book.addresses.childDeployer,
      data: encodeFunctionData({
        abi: ChildDeployer.abi,
        functionName: random.pick(["deploy", "deploySalted"] as const),
      }),
      gas: 500_000,
    }),
  },
  {
    name: "creation and destruction",
    weight: 0.4,
    make: ({ random, book, senders }) => ({
      from: random.pick(senders),
      to: book.addresses.childDeployer,
      data: encodeFunctionData({ abi: ChildDeployer.abi, functionName: "deployAndLeave" }),
      value: 5n,
      gas: 500_000,
    }),
  },
  {
    name: "revert",
    weight: 1.8,
    make: ({ random, book, senders }) => ({
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
    }),
  },
  {
    name: "out of gas",
    weight: 0.6,
    make: ({ random, book, senders }) => ({
      from: random.pick(senders),
      to: book.addresses.gasBurner,
      data: encodeFunctionData({ abi: GasBurner.abi, functionName: "burn" }),
      gas: random.integer(50_000, 200_000),
    }),
  },
  {
    name: "odd logs",
    weight: 1.2,
    make: (context) => {
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
    },
  },
]
