import { sound } from "../text.ts"

/** Texts in one request: what every server takes that is known. */
const mostTexts = 96

/** Bytes in one request: OpenAI takes 300,000 tokens, and none is shorter than a byte. */
const mostBytes = 250_000

/** The beginning of a text that is at most so many bytes in UTF-8, without half a character. */
export const beginningOf = (text: string, maxBytes: number): string => {
  const beginning = sound(text.slice(0, maxBytes))
  const bytes = Buffer.from(beginning)
  if (bytes.length <= maxBytes) return beginning
  let end = maxBytes
  // Bytes after the first of a character begin with the bits 10.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString("utf8", 0, end)
}

/** Whether a model can make anything of a text: empty ones are refused by some. */
export const saysSomething = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** Divides what has texts into requests, in order. */
export const batchesOf = <A>(items: ReadonlyArray<A>, textOf: (item: A) => string): ReadonlyArray<ReadonlyArray<A>> => {
  const batches: Array<Array<A>> = []
  let bytes = mostBytes
  for (const item of items) {
    const size = Buffer.byteLength(textOf(item))
    const last = batches.at(-1)
    if (last === undefined || last.length >= mostTexts || bytes + size > mostBytes) {
      batches.push([item])
      bytes = size
    } else {
      last.push(item)
      bytes += size
    }
  }
  return batches
}
