import { InvalidBody } from "@tapeline/api"
import { Effect, Predicate } from "effect"

/** The minimum size of a text that is taken out of a JSON body, in bytes. */
const minLongTextBytes = 32 * 1024
/**
 * The maximum size of a body without its long texts, in bytes, and the maximum number of quotation marks that end a
 * text or could end a text.
 */
export const maxRemainingBytes = 1024 * 1024

const quote = 0x22
const backslash = 0x5c

/** A JSON body in which markers, which occur nowhere else in the body, replace the long texts. */
export interface ShortenedBody {
  readonly text: string
  readonly texts: ReadonlyMap<string, string>
  /** Whether a long text has a `\u` escape, which could be a character that texts must not contain. */
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
 * Replaces the long texts of a JSON body, usually images, by markers, and rejects a body that is large even without its
 * long texts. Each long text of a JSON body is parsed separately, because parsing 30 MB at once would block the event
 * loop for a tenth of a second.
 */
export const extractLongTexts = Effect.fnUntraced(
  function*(bytes: Buffer): Effect.fn.Return<ShortenedBody, InvalidBody> {
    const marker = crypto.randomUUID()
    const texts = new Map<string, string>()
    const parts: Array<string> = []
    let hasEscapes = false
    let remainingBytes = 0
    let closingQuotes = 0
    /** The index up to which the body has been processed. */
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

/** Replaces the markers in a value, which is not nested too deeply for recursion, by the long texts. */
export const restoreLongTexts = (value: unknown, texts: ShortenedBody["texts"]): unknown => {
  if (texts.size === 0) return value
  if (typeof value === "string") return texts.get(value) ?? value
  if (Array.isArray(value)) return value.map((item: unknown) => restoreLongTexts(item, texts))
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [texts.get(name) ?? name, restoreLongTexts(item, texts)])
  )
}
