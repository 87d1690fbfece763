import type { RecordedResponse } from "./responseValidation.ts"

/**
 * Decodes a chunked HTTP body. Returns the decoded text and the length of the encoded text, or undefined if chunks are
 * missing.
 */
const decodeChunked = (text: string): readonly [body: string, length: number] | undefined => {
  let body = ""
  for (let offset = 0;;) {
    const end = text.indexOf("\r\n", offset)
    const size = Number.parseInt(text.slice(offset, end), 16)
    if (end < 0 || Number.isNaN(size)) return undefined
    if (size === 0) return [body, end + 4]
    body += text.slice(end + 2, end + 2 + size)
    offset = end + 2 + size + 2
  }
}

/** Returns the path of an HTTP request target. A request through a proxy has a full URL as its target. */
const pathOf = (target: string): string => target.replace(/^https?:\/\/[^/]*/, "").replace(/[?#].*$/, "")

const hasNoBody = (method: string, status: number): boolean => method === "HEAD" || status === 204 || status === 304

/** Parses all responses of one HTTP connection, and pairs the responses with the requests in order. */
export const parseResponses = (requestText: string, responseText: string): ReadonlyArray<RecordedResponse> => {
  const requestLines = [...requestText.matchAll(/([A-Z]+) (\S+) HTTP\/\d\.\d\r?$/gm)].map(([, method, path]) => ({
    method,
    path
  }))
  const responses: Array<RecordedResponse> = []
  let remaining = Buffer.from(responseText, "utf8").toString("latin1")
  while (remaining !== "") {
    const end = remaining.indexOf("\r\n\r\n")
    const [first, ...fields] = remaining.slice(0, end).split("\r\n")
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first!)?.[1])
    if (end < 0 || Number.isNaN(status)) break
    remaining = remaining.slice(end + 4)
    if (status === 100) continue
    const headers = Object.fromEntries(fields.map((field) => {
      const colon = field.indexOf(":")
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
    }))
    const { method = "GET", path = "" } = requestLines[responses.length] ?? {}
    const length = headers["content-length"]
    const chunked = headers["transfer-encoding"] === "chunked"
      ? decodeChunked(remaining)
      : undefined
    const size = hasNoBody(method, status)
      ? 0
      : chunked?.[1] ?? (length === undefined ? remaining.length : Number(length))
    const body = hasNoBody(method, status) ? "" : chunked?.[0] ?? remaining.slice(0, size)
    const isComplete = headers["transfer-encoding"] === undefined ? remaining.length >= size : chunked !== undefined
    remaining = remaining.slice(size)
    responses.push({
      method,
      path: pathOf(path),
      status,
      headers,
      body: Buffer.from(body, "latin1"),
      isComplete: isComplete && headers["content-encoding"] === undefined
    })
  }
  return responses
}
