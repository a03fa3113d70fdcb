// What an item's document says, as text: nothing of it is loaded or followed by itself.

import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { type Answer, apiQuery } from "../data/api-query"
import { CopyButton } from "../parts/copy-button"
import { type Fact, Facts } from "../parts/facts"
import { Panel } from "../parts/panel"
import { plainText } from "../parts/plain-text"
import { Time } from "../parts/time"
import styles from "./item-metadata-panel.module.css"

type Found = Answer<"/collections/{contract}/items/{item}/metadata">["data"]

interface ItemMetadataPanelProps {
  readonly contract: string
  readonly item: string
}

/** Nothing where this server does not fetch documents. */
export function ItemMetadataPanel({ contract, item }: ItemMetadataPanelProps): ReactNode {
  const query = apiQuery(useChain(), "/collections/{contract}/items/{item}/metadata", { contract, item })
  const { data, error, isPending } = useQuery({ ...query, retry: false, staleTime: Number.POSITIVE_INFINITY })
  const found = data?.data
  if (found?.status === "off") return null
  return (
    <Panel
      title="Metadata"
      quiet={<span title="The contract's author chose it">not verified</span>}
      side={<FetchedAt found={found} />}
    >
      {found?.metadata ? (
        <Facts facts={factsOf(found, found.metadata)} />
      ) : (
        <p className={styles.none} aria-busy={isPending}>
          {isPending ? "Asking the contract and fetching its document…" : reasonOf(found, error)}
        </p>
      )}
    </Panel>
  )
}

function reasonOf(found: Found | undefined, error: Error | null): string {
  const reason = plainText(found?.message ?? error?.message ?? "it could not be fetched", 200)
  return `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`
}

function FetchedAt({ found }: { readonly found: Found | undefined }): ReactNode {
  const at = found?.fetched_at
  if (!at) return null
  return (
    <span className="quiet">
      fetched <Time at={at} />
    </span>
  )
}

function factsOf(found: Found, said: NonNullable<Found["metadata"]>): readonly Fact[] {
  const { name, description, image, external_url: page, attributes } = said
  const words = (text: string | null, longest = 200) => text && <bdi>{plainText(text, longest)}</bdi>
  return [
    { name: "Name", value: words(name) },
    { name: "Description", value: words(description, 2_000) },
    {
      name: "Attributes",
      value: attributes.length > 0 && (
        <ul className={styles.attributes}>
          {attributes.map(({ trait, value }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: traits may repeat.
            <li key={at}>
              {trait && <span className="quiet">{words(trait, 60)} </span>}
              {words(value, 120)}
            </li>
          ))}
        </ul>
      ),
    },
    { name: "Image", value: image && <Elsewhere address={image} name="address of the image" /> },
    { name: "Page", value: page && <Elsewhere address={page} name="address of the page" /> },
    { name: "Document", value: found.uri && <Elsewhere address={found.uri} name="address of the document" /> },
  ].map(({ name, value }) => ({ name, value: value || null }))
}

/** An address that its author chose: to be read and copied. */
function Elsewhere({ address, name }: { readonly address: string; readonly name: string }): ReactNode {
  return (
    <>
      <code className={styles.address}>{plainText(address, 160)}</code> <CopyButton text={address} name={name} />
    </>
  )
}
