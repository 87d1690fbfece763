import type { CustomFetch } from "openid-client"

/** More than any document, key set or token of a provider has; in bytes. */
const mostBytes = 1_000_000

/** A body of at most so many bytes; what is longer is given up where that shows. */
const bodyOf = async (response: Response): Promise<ArrayBuffer | null> => {
  if (response.body === null) return null
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  let length = 0
  for await (const part of response.body) {
    length += part.length
    // A type error is what a fetch fails with where no answer is to be had.
    if (length > mostBytes) throw new TypeError("The answer is too long")
    parts.push(part)
  }
  return await new Blob(parts).arrayBuffer()
}

/** `fetch` of answers that are read whole, and of a bounded length. A redirect is an answer like any other. */
export const boundedFetch: CustomFetch = async (url, { body: sent, ...options }) => {
  const response = await fetch(url, { ...options, body: sent ?? null })
  const { headers, status, statusText } = response
  const body = await bodyOf(response)
  // Responses of these have no body, not even an empty one.
  const isBare = status === 204 || status === 205 || status === 304
  return new Response(isBare ? null : body, { status, statusText, headers })
}
