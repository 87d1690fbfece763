import type { Seen } from "./judge.ts"

/**
 * Joins the chunks of a body, and returns it with the length of the chunked text. Returns undefined if chunks are
 * missing.
 */
const unchunked = (text: string): readonly [body: string, length: number] | undefined => {
  let body = ""
  for (let at = 0;;) {
    const end = text.indexOf("\r\n", at)
    const size = Number.parseInt(text.slice(at, end), 16)
    if (end < 0 || Number.isNaN(size)) return undefined
    if (size === 0) return [body, end + 4]
    body += text.slice(end + 2, end + 2 + size)
    at = end + 2 + size + 2
  }
}

/** The path of a request target. A request to a proxy also names the host. */
const pathOf = (target: string): string => target.replace(/^https?:\/\/[^/]*/, "").replace(/[?#].*$/, "")

const hasNoBody = (method: string, status: number): boolean => method === "HEAD" || status === 204 || status === 304

/** Parses the responses of one connection and pairs them with the requests in order. */
export const responsesOf = (sent: string, received: string): ReadonlyArray<Seen> => {
  const lines = [...sent.matchAll(/([A-Z]+) (\S+) HTTP\/\d\.\d\r?$/gm)].map(([, method, path]) => ({ method, path }))
  const seen: Array<Seen> = []
  let rest = Buffer.from(received, "utf8").toString("latin1")
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n")
    const [first, ...fields] = rest.slice(0, end).split("\r\n")
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first!)?.[1])
    if (end < 0 || Number.isNaN(status)) break
    rest = rest.slice(end + 4)
    // Skips `100 Continue`, which is not the response.
    if (status === 100) continue
    const headers = Object.fromEntries(fields.map((field) => {
      const colon = field.indexOf(":")
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
    }))
    const { method = "GET", path = "" } = lines[seen.length] ?? {}
    const length = headers["content-length"]
    const chunked = headers["transfer-encoding"] === "chunked"
      ? unchunked(rest)
      : undefined
    const size = hasNoBody(method, status)
      ? 0
      : chunked?.[1] ?? (length === undefined ? rest.length : Number(length))
    const body = hasNoBody(method, status) ? "" : chunked?.[0] ?? rest.slice(0, size)
    const whole = headers["transfer-encoding"] === undefined ? rest.length >= size : chunked !== undefined
    rest = rest.slice(size)
    seen.push({
      method,
      path: pathOf(path),
      status,
      headers,
      body: Buffer.from(body, "latin1"),
      whole: whole && headers["content-encoding"] === undefined
    })
  }
  return seen
}
