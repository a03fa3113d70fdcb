// Which fault made a block DEAD, as SQL over a row of worker_leases: numbers and hex words differ from block to block, the
// rest of the message says which fault it is.

export const faultText = `regexp_replace(left(coalesce(last_error, ''), 500), '0x[0-9a-f]+|[0-9]+', '#', 'gi')`

/** The name of a group of DEAD blocks with the same fault. */
export const faultOf = `md5(${faultText})`
