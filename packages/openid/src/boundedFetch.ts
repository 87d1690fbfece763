import type { CustomFetch } from "openid-client"

/** The maximum size of a provider's response in bytes. */
const maxBytes = 1_000_000

const readBody = async (response: Response): Promise<ArrayBuffer | null> => {
  if (response.body === null) return null
  const chunks: Array<Uint8Array<ArrayBuffer>> = []
  let length = 0
  for await (const chunk of response.body) {
    length += chunk.length
    // `fetch` also fails with a `TypeError` if it gets no response.
    if (length > maxBytes) throw new TypeError("The response is too long")
    chunks.push(chunk)
  }
  return await new Blob(chunks).arrayBuffer()
}

/** A `fetch` that reads whole responses of limited size, and returns a redirect as a response. */
export const boundedFetch: CustomFetch = async (url, { body: requestBody, ...options }) => {
  const response = await fetch(url, { ...options, body: requestBody ?? null })
  const { headers, status, statusText } = response
  const body = await readBody(response)
  // Responses with the status codes 204, 205 and 304 have no body, not even an empty one.
  const hasNoBody = status === 204 || status === 205 || status === 304
  return new Response(hasNoBody ? null : body, { status, statusText, headers })
}
