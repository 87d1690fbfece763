import type { CustomFetch } from "openid-client"

/** The maximum size of a response, in bytes. The documents, key sets and tokens of providers are smaller. */
const mostBytes = 1_000_000

/** Reads the body of a response. Stops and fails as soon as the body exceeds `mostBytes`. */
const bodyOf = async (response: Response): Promise<ArrayBuffer | null> => {
  if (response.body === null) return null
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  let length = 0
  for await (const part of response.body) {
    length += part.length
    // `fetch` also fails with a `TypeError` if it gets no response.
    if (length > mostBytes) throw new TypeError("The answer is too long")
    parts.push(part)
  }
  return await new Blob(parts).arrayBuffer()
}

/** A `fetch` that reads whole responses of limited size. A redirect is a response like any other. */
export const boundedFetch: CustomFetch = async (url, { body: sent, ...options }) => {
  const response = await fetch(url, { ...options, body: sent ?? null })
  const { headers, status, statusText } = response
  const body = await bodyOf(response)
  // Responses with these status codes have no body, not even an empty one.
  const isBare = status === 204 || status === 205 || status === 304
  return new Response(isBare ? null : body, { status, statusText, headers })
}
