import { InvalidBody } from "@tapeline/api"
import { Effect, Predicate } from "effect"

/** A text of at least so many bytes stands apart. */
const longFrom = 32 * 1024
/** Bytes that a body may have beside its long texts, and as often may a text in it end or seem to. */
export const besideLimit = 1024 * 1024

const quote = 0x22
const backslash = 0x5c

/** A body with its long texts taken out: what stands in their places is nowhere else in it. */
export interface Shortened {
  readonly text: string
  readonly texts: ReadonlyMap<string, string>
  /** True when a long text has an escape by number, which may be of what no text may have. */
  readonly hasEscapes: boolean
}

const tooDense = new InvalidBody({ says: { key: "body_too_dense", params: { limit: besideLimit } } })

/** Lets others have their turn: what was done so far took some milliseconds. */
const breathe = Effect.callback<void>((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

/** True when the quote at `at` stands after an odd number of backslashes: it is a part of a text. */
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
 * Takes the long texts, images as a rule, out of a body of JSON: each is read by itself, and others have their turn
 * meanwhile, since one body of 30 MB takes a tenth of a second in one go. A body that is large without them is refused.
 */
export const shorten = Effect.fnUntraced(function*(bytes: Buffer): Effect.fn.Return<Shortened, InvalidBody> {
  const marker = crypto.randomUUID()
  const texts = new Map<string, string>()
  const parts: Array<string> = []
  let hasEscapes = false
  let beside = 0
  let ends = 0
  /** From where on nothing has been kept, and where a text begins. */
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

/** A value with the long texts of its body in their places again. It is nested so little that it can be walked. */
export const lengthen = (value: unknown, texts: Shortened["texts"]): unknown => {
  if (texts.size === 0) return value
  if (typeof value === "string") return texts.get(value) ?? value
  if (Array.isArray(value)) return value.map((item: unknown) => lengthen(item, texts))
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [texts.get(name) ?? name, lengthen(item, texts)])
  )
}
