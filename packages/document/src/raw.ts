import type { Seen } from "./judge.ts"

/** The chunks of a body put together, with how much of the text they took; nothing while some are missing. */
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

/** The path of a request's target, which names a host as well where it is meant for a proxy. */
const pathOf = (target: string): string => target.replace(/^https?:\/\/[^/]*/, "").replace(/[?#].*$/, "")

const hasNoBody = (method: string, status: number): boolean => method === "HEAD" || status === 204 || status === 304

/** The responses that stand in what came over one connection, each to the request of its place. */
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
    // That the request may go on is no response to it.
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
