import { InvalidBody } from "@tapeline/api"
import { Effect, Predicate } from "effect"

/** Texts with at least this many bytes are taken out of a body. */
const longFrom = 32 * 1024
/**
 * Maximum bytes of a body without its long texts. Also the maximum number of quotation marks that end a text or could
 * end it.
 */
export const besideLimit = 1024 * 1024

const quote = 0x22
const backslash = 0x5c

/** A body without its long texts. Markers that occur nowhere else replace the texts. */
export interface Shortened {
  readonly text: string
  readonly texts: ReadonlyMap<string, string>
  /** Whether a long text has a `\u` escape, which can be of a character that texts must not contain. */
  readonly hasEscapes: boolean
}

const tooDense = new InvalidBody({ says: { key: "body_too_dense", params: { limit: besideLimit } } })

/** Yields to other work. The work before takes some milliseconds. */
const breathe = Effect.callback<void>((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

/** Whether the quotation mark at `at` follows an odd number of backslashes, so that it is part of a text. */
const isEscaped = (bytes: Buffer, at: number): boolean => {
  let before = at - 1
  while (bytes[before] === backslash) before--
  return (at - before) % 2 === 0
}

const textOf = (json: string): Effect.Effect<string, InvalidBody> =>
  Effect.try({
    try: (): string => JSON.parse(json),
    catch: () => new InvalidBody({ says: { key: "invalid_json" } })
  })

/**
 * Takes the long texts, usually images, out of a JSON body. Parses each text separately, with other work in between:
 * parsing a body of 30 MB at once takes a tenth of a second. Rejects a body that is large without its long texts.
 */
export const shorten = Effect.fnUntraced(function*(bytes: Buffer): Effect.fn.Return<Shortened, InvalidBody> {
  const marker = crypto.randomUUID()
  const texts = new Map<string, string>()
  const parts: Array<string> = []
  let hasEscapes = false
  let beside = 0
  let ends = 0
  /** The index up to which the body has been processed, and the index at which a text begins. */
  let kept = 0
  let open = bytes.indexOf(quote)
  while (open !== -1) {
    let close = bytes.indexOf(quote, open + 1)
    while (close !== -1 && isEscaped(bytes, close)) {
      if (++ends > besideLimit) return yield* tooDense
      close = bytes.indexOf(quote, close + 1)
    }
    if (close === -1 || ++ends > besideLimit) break
    if (close - open > longFrom) {
      const json = bytes.toString("utf8", open, close + 1)
      const name = `${marker}:${texts.size}`
      texts.set(name, yield* textOf(json))
      hasEscapes ||= json.includes("\\u")
      beside += open - kept
      parts.push(bytes.toString("utf8", kept, open), `"${name}"`)
      kept = close + 1
      yield* breathe
    }
    if (beside + close - kept > besideLimit) return yield* tooDense
    open = bytes.indexOf(quote, close + 1)
  }
  if (beside + bytes.length - kept > besideLimit) return yield* tooDense
  parts.push(bytes.toString("utf8", kept))
  return { text: parts.join(""), texts, hasEscapes }
})

/** Puts the long texts of a body back into its value. The value is not nested deeply, so that recursion is safe. */
export const lengthen = (value: unknown, texts: Shortened["texts"]): unknown => {
  if (texts.size === 0) return value
  if (typeof value === "string") return texts.get(value) ?? value
  if (Array.isArray(value)) return value.map((item: unknown) => lengthen(item, texts))
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [texts.get(name) ?? name, lengthen(item, texts)])
  )
}
