// One transfer of tokens, as a sentence.

import type { ReactNode } from "react"
import { Address } from "../parts/address"
import { Amount } from "../parts/amount"
import { TokenName } from "../parts/token-name"
import { TokenId } from "../tokens/token-id"
import type { FtMove, NftMove } from "./use-story"

/** Who gave and who got; of what was made or destroyed there is only one side. */
function Sides({ row, what }: { readonly row: FtMove | NftMove; readonly what: ReactNode }): ReactNode {
  const { kind, from_address: from, to_address: to } = row
  if (kind === "mint" || kind === "deposit") {
    return (
      <>
        {what} {kind === "mint" ? "minted" : "wrapped"} for <Address address={to} />
      </>
    )
  }
  if (kind === "burn" || kind === "withdrawal") {
    return (
      <>
        {what} {kind === "burn" ? "burned" : "unwrapped"} by <Address address={from} />
      </>
    )
  }
  return (
    <>
      {what} from <Address address={from} /> to <Address address={to} />
    </>
  )
}

export function FtSentence({ row }: { readonly row: FtMove }): ReactNode {
  const what = (
    <>
      <Amount units={row.amount} decimals={row.decimals} symbol="" />{" "}
      <TokenName contract={row.contract_address} symbol={row.symbol} />
    </>
  )
  return <Sides row={row} what={what} />
}

export function NftSentence({ row }: { readonly row: NftMove }): ReactNode {
  const what = (
    <>
      {row.amount !== "1" && (
        <>
          <Amount units={row.amount} decimals={0} /> of{" "}
        </>
      )}
      <TokenName contract={row.contract_address} symbol={row.symbol} kind="collections" />{" "}
      <TokenId contract={row.contract_address} id={row.token_id} standard={row.standard} />
    </>
  )
  return <Sides row={row} what={what} />
}
