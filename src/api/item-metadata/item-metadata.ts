// What an item's document says of it, made inert: known fields only, text of one line and of bounded length, links by their
// scheme. Nothing of it is ever shown as HTML or loaded as an image by itself.

import { DocumentError } from "./fetch-public.js"

export interface ItemMetadata {
  readonly name: string | null
  readonly description: string | null
  readonly image: string | null
  readonly external_url: string | null
  readonly attributes: readonly { readonly trait: string | null; readonly value: string }[]
}

const maxDescription = 4_000
const maxLink = 2_000
const maxAttributes = 100

/** Control characters, bidi marks and half surrogates become spaces; line ends too. */
const unfit = /[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]+/gu

function line(value: unknown, most = 256): string | null {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return null
  const fit = [
    ...String(value)
      .slice(0, most * 8)
      .replace(unfit, " ")
      .trim(),
  ]
    .slice(0, most)
    .join("")
  return fit === "" ? null : fit
}

/** Only what a browser opens as a page or an image somewhere else, and never what it would run. */
function link(value: unknown): string | null {
  if (typeof value !== "string" || value.length > maxLink) return null
  return /^(https|ipfs|ar):\/\/[!-~]+$/.test(value) ? value : null
}

function attributesOf(value: unknown): ItemMetadata["attributes"] {
  if (!Array.isArray(value)) return []
  return value.slice(0, maxAttributes).flatMap((one: unknown) => {
    const { trait_type: trait, value: said } = (one ?? {}) as { trait_type?: unknown; value?: unknown }
    const text = line(said)
    return text === null ? [] : [{ trait: line(trait), value: text }]
  })
}

/** Throws a DocumentError where the text is no JSON object. */
export function itemMetadataOf(text: string): ItemMetadata {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch {
    throw new DocumentError("invalid", "the document is not valid JSON")
  }
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw new DocumentError("invalid", "the document is not a JSON object")
  const { name, description, image, image_url, external_url, attributes } = json as Record<string, unknown>
  return {
    name: line(name),
    description: line(description, maxDescription),
    image: link(image) ?? link(image_url),
    external_url: link(external_url),
    attributes: attributesOf(attributes),
  }
}
