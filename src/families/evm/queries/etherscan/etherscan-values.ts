// Values as Etherscan's clients parse them: decimal text, or hex quantities where a node would send them.

export const hex = (bytes: Buffer): string => `0x${bytes.toString("hex")}`
/** Clients expect an empty text where there is none. */
export const hexOrEmpty = (bytes: Buffer | null | undefined): string => (bytes ? hex(bytes) : "")
export const quantity = (value: string | number | null | undefined): string => `0x${BigInt(value ?? 0).toString(16)}`
export const decimal = (value: string | number | null | undefined): string => String(value ?? 0)
