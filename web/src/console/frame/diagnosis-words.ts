// The doctor's words as sentences. Pure.

export function sentence(text: string, capital = true): string {
  const said = /[.?!]$/.test(text) ? text : `${text}.`
  return capital ? said.charAt(0).toUpperCase() + said.slice(1) : said
}

/** Where the chain is named beside it. A message that only begins with its name keeps that as it is written. */
export function saidOf(message: string, chain: string): string {
  if (message.startsWith(`${chain}: `)) return sentence(message.slice(chain.length + 2))
  return sentence(message, !message.startsWith(chain))
}
