import { toStorableText } from "../text.ts"

/** The maximum number of texts in one request, which all known servers accept. */
const maxTextsPerRequest = 96

/**
 * The maximum number of bytes in one request. OpenAI accepts at most 300,000 tokens, and each token has at least one
 * byte.
 */
const maxBytesPerRequest = 250_000

/** Returns the beginning of a text, at most `maxBytes` long in UTF-8, without a partial character. */
export const truncateText = (text: string, maxBytes: number): string => {
  const beginning = toStorableText(text.slice(0, maxBytes))
  const bytes = Buffer.from(beginning)
  if (bytes.length <= maxBytes) return beginning
  let end = maxBytes
  // All bytes of a UTF-8 character except the first begin with the bits 10.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString("utf8", 0, end)
}

/** Returns whether a text has letters or digits, because some models reject a text without letters and digits. */
export const hasContent = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** Divides items with texts into batches for requests, in order. */
export const makeBatches = <A>(
  items: ReadonlyArray<A>,
  readText: (item: A) => string
): ReadonlyArray<ReadonlyArray<A>> => {
  const batches: Array<Array<A>> = []
  let bytes = maxBytesPerRequest
  for (const item of items) {
    const size = Buffer.byteLength(readText(item))
    const last = batches.at(-1)
    if (last === undefined || last.length >= maxTextsPerRequest || bytes + size > maxBytesPerRequest) {
      batches.push([item])
      bytes = size
    } else {
      last.push(item)
      bytes += size
    }
  }
  return batches
}
