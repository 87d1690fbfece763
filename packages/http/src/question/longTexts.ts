import { InvalidBody } from "@tapeline/api"
import { Effect, Predicate } from "effect"

/** The minimum size in bytes of a text that is removed from a JSON body and parsed separately. */
const minLongTextBytes = 32 * 1024
/**
 * The maximum size in bytes of a JSON body after its long texts are removed. The number also limits the quotation marks
 * that are checked as possible ends of texts.
 */
export const maxRemainingBytes = 1024 * 1024

const quote = 0x22
const backslash = 0x5c

/** A JSON body in which markers replace the long texts. Each marker is unique in the body. */
export interface ShortenedBody {
  readonly text: string
  readonly texts: ReadonlyMap<string, string>
  /** Whether a long text contains a `\u` escape. A `\u` escape can encode a character that is forbidden in texts. */
  readonly hasEscapes: boolean
}

const tooManyOtherBytes = new InvalidBody({
  callerMessage: { key: "body_too_dense", params: { limit: maxRemainingBytes } }
})

const yieldToEventLoop = Effect.callback<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

const isEscaped = (bytes: Buffer, index: number): boolean => {
  let i = index - 1
  while (bytes[i] === backslash) i--
  return (index - i) % 2 === 0
}

const parseString = (json: string): Effect.Effect<string, InvalidBody> =>
  Effect.try({
    try: (): string => JSON.parse(json),
    catch: () => new InvalidBody({ callerMessage: { key: "invalid_json" } })
  })

/**
 * Replaces the long texts of a JSON body, usually images, by markers. Rejects a body whose remaining size exceeds
 * `maxRemainingBytes`. Each long text is parsed separately, because parsing 30 MB at once would block the event loop
 * for a tenth of a second.
 */
export const extractLongTexts = Effect.fnUntraced(
  function*(bytes: Buffer): Effect.fn.Return<ShortenedBody, InvalidBody> {
    const marker = crypto.randomUUID()
    const texts = new Map<string, string>()
    const parts: Array<string> = []
    let hasEscapes = false
    let remainingBytes = 0
    let closingQuotes = 0
    /** The index in `bytes` of the first unprocessed byte. */
    let processedEnd = 0
    let openIndex = bytes.indexOf(quote)
    while (openIndex !== -1) {
      let closeIndex = bytes.indexOf(quote, openIndex + 1)
      while (closeIndex !== -1 && isEscaped(bytes, closeIndex)) {
        if (++closingQuotes > maxRemainingBytes) return yield* tooManyOtherBytes
        closeIndex = bytes.indexOf(quote, closeIndex + 1)
      }
      if (closeIndex === -1 || ++closingQuotes > maxRemainingBytes) break
      if (closeIndex - openIndex > minLongTextBytes) {
        const json = bytes.toString("utf8", openIndex, closeIndex + 1)
        const name = `${marker}:${texts.size}`
        texts.set(name, yield* parseString(json))
        hasEscapes ||= json.includes("\\u")
        remainingBytes += openIndex - processedEnd
        parts.push(bytes.toString("utf8", processedEnd, openIndex), `"${name}"`)
        processedEnd = closeIndex + 1
        yield* yieldToEventLoop
      }
      if (remainingBytes + closeIndex - processedEnd > maxRemainingBytes) return yield* tooManyOtherBytes
      openIndex = bytes.indexOf(quote, closeIndex + 1)
    }
    if (remainingBytes + bytes.length - processedEnd > maxRemainingBytes) return yield* tooManyOtherBytes
    parts.push(bytes.toString("utf8", processedEnd))
    return { text: parts.join(""), texts, hasEscapes }
  }
)

/**
 * Replaces the markers in a JSON value by the long texts. The function is recursive, so the caller must limit the
 * nesting depth.
 */
export const restoreLongTexts = (value: unknown, texts: ShortenedBody["texts"]): unknown => {
  if (texts.size === 0) return value
  if (typeof value === "string") return texts.get(value) ?? value
  if (Array.isArray(value)) return value.map((item: unknown) => restoreLongTexts(item, texts))
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [texts.get(name) ?? name, restoreLongTexts(item, texts)])
  )
}
