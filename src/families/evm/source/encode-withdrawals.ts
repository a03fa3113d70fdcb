// Encodes the JSON of a block's withdrawals to the bytes that withdrawalsRoot is over.

import { bytes, type Fields, isAbsent, list, object, quantity } from "./consensus-fields.js"
import { encodeRlp } from "./rlp.js"

/** Chains that have none leave the list out. */
export const encodeWithdrawals = (block: Fields): Buffer[] =>
  (isAbsent(block, "withdrawals") ? [] : list(block, "withdrawals")).map((entry) => {
    const fields = object(entry, "a withdrawal")
    const head = [quantity(fields, "index"), quantity(fields, "validatorIndex")]
    return encodeRlp([...head, bytes(fields, "address"), quantity(fields, "amount")])
  })
