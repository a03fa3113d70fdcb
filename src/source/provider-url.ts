// Labels of providers, and texts without their secrets: a provider's key is usually in the path or query of its URL.

/** host[:port], and "#n" where several URLs share it. Never a path or credentials. */
export function providerLabels(urls: readonly string[]): string[] {
  const hosts = urls.map((url) => new URL(url).host)
  const seen = new Map<string, number>()
  return hosts.map((host) => {
    if (hosts.indexOf(host) === hosts.lastIndexOf(host)) return host
    const n = (seen.get(host) ?? 0) + 1
    seen.set(host, n)
    return `${host}#${n}`
  })
}

const maxTextLength = 300

/** Percent-decoded where that is valid: a password may contain a bare "%". */
export function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** One line of a provider's text, shortened, without control characters and without any secret of the URL or header. */
export function scrubText(text: string, url: string, headers: Readonly<Record<string, string>> = {}): string {
  const { pathname, search, username, password, href } = new URL(url)
  const secrets = [href, url, pathname + search, pathname, search, decodedOrSame(password), password]
  secrets.push(username, ...pathname.split("/"), ...search.slice(1).split("&"))
  for (const part of search.slice(1).split("&")) secrets.push(part.slice(part.indexOf("=") + 1))
  // A scheme such as "Bearer" before it is no secret.
  for (const value of Object.values(headers)) secrets.push(value, ...value.split(/\s+/).slice(-1))
  // Shortened first, with room for a secret across the cut.
  let clean = text.slice(0, maxTextLength + Math.max(...secrets.map((secret) => secret.length)))
  for (const secret of secrets.sort((a, b) => b.length - a.length)) {
    if (secret.length >= 4) clean = clean.split(secret).join("…")
  }
  clean = clean.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, " ").trim()
  return clean.length > maxTextLength ? `${clean.slice(0, maxTextLength)}…` : clean
}
