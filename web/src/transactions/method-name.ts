// Names of the methods that standards define. A method is known by four bytes of its hash, so a name is a likely guess.

const names: Readonly<Record<string, string>> = {
  "0x095ea7b3": "approve",
  "0x23b872dd": "transferFrom",
  "0x2e1a7d4d": "withdraw",
  "0x2eb2c2d6": "safeBatchTransferFrom",
  "0x40c10f19": "mint",
  "0x42842e0e": "safeTransferFrom",
  "0x42966c68": "burn",
  "0xa22cb465": "setApprovalForAll",
  "0xa9059cbb": "transfer",
  "0xb88d4fde": "safeTransferFrom",
  "0xd0e30db0": "deposit",
  "0xf242432a": "safeTransferFrom",
}

export const methodName = (id: string): string => names[id] ?? id
