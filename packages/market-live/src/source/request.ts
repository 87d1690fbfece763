import type { Schema } from "effect"
import type { LimitedBy403, RefusedInBody } from "./judge.ts"
import type { SessionOptions } from "./Session.ts"
import type { Patience, RateLimit } from "./settings.ts"

export interface SourceOptions {
  /** As results and errors name it: `binance`. */
  readonly name: string
  /** Which part of it, where one company has several hosts with limits of their own: `spot`. */
  readonly part?: string
  /** Where it is; a path may follow the host. */
  readonly baseUrl: string
  /** What it allows one address. All requests of this source share it. */
  readonly limits: ReadonlyArray<RateLimit>
  /** Sent with each request: a contact, a key. */
  readonly headers?: Readonly<Record<string, string>>
  /** The variable of its key, where it has one: named when the key is refused. */
  readonly variable?: string
  /** Its own words for "no" within a body, whatever the status. */
  readonly refusedInBody?: RefusedInBody
  /** How to distinguish a 403 that is a rate limit from one that is a block. */
  readonly limitedBy403?: LimitedBy403
  /** What it says of the weight that our address used of one of its limits. */
  readonly usedWeight?: (headers: Headers) => RateLimit | undefined
  /** The source that is used if this one does not serve. */
  readonly next?: string
  /** How to come in, where it wants that of some requests. */
  readonly session?: SessionOptions
  readonly patience?: Partial<Patience>
}

export interface TextRequest {
  /** What is asked for, in a word or two without secrets: it stands in errors. */
  readonly what: string
  /** Begins with `/`, its parts encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  /** For how long the answer may be given again. */
  readonly cacheMs?: number
  /** What it weighs, in the unit of the limits; 1 by default. */
  readonly cost?: number
  /** What it weighs in limits that have a name; nothing where it is not said. */
  readonly costs?: Readonly<Record<string, number>>
  readonly maxBytes?: number
  /** Its answer is no text: each of its bytes is told as the character of that number. */
  readonly binary?: boolean
  readonly refusedInBody?: RefusedInBody
  /** Whether it is asked within the source's session. */
  readonly inSession?: boolean
}

export interface JsonRequest<A> extends TextRequest {
  readonly schema: Schema.Decoder<A>
}

/** A request whose answer is no JSON. */
export interface ParsedRequest<A> extends JsonRequest<A> {
  /** What the text holds, for the schema; undefined where it is not of this format. It does not throw. */
  readonly parse: (text: string) => unknown
}

export interface FindRequest<A> extends JsonRequest<A> {
  /** Whether a body (its text, where it is no JSON) says that there is no such thing, which is an answer. */
  readonly absent: (body: unknown, status: number) => boolean
  /** As that of a `ParsedRequest`, where it is no JSON that is looked for, or not all of one. */
  readonly parse?: (text: string) => unknown
}

/** What a source told, and by what it knows that again. */
export interface Held<A> {
  readonly value: A
  readonly etag: string | null
  readonly lastModified: string | null
}

export interface HeldRequest<A> extends Omit<TextRequest, "cacheMs"> {
  /** What a text says; undefined of what is not what was asked for. It does not throw. */
  readonly read: (text: string) => A | undefined
  /** What it told before: where that still holds, it need not tell it again. */
  readonly held: Held<A> | null
}

export interface Answer<A> {
  readonly value: A
  /** When it was here whole, by our clock. */
  readonly receivedAt: number
  /**
   * When it was sent, by the source's clock (its `date`, in whole seconds, never late); null where it did not say.
   * Times within the data are the source's as well: whether a candle is closed is judged by the earlier of the two.
   */
  readonly date: number | null
  /** Rows that could not be read and are missing, where there are any: by name, or by place where they have none. */
  readonly leftOut?: ReadonlyArray<string>
}
