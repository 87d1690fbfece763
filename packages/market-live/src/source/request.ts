import type { Schema } from "effect"
import type { RateLimit, RetryPolicy } from "./policies.ts"
import type { RateLimit403, ReadBodyRejection } from "./rejections.ts"
import type { SessionOptions } from "./Session.ts"

export interface SourceOptions {
  /** The name in results and errors: `binance`. */
  readonly name: string
  /** The part of the source, if a company has several hosts with separate rate limits: `spot`. */
  readonly part?: string
  /** The base address; a path may follow the host. */
  readonly baseUrl: string
  /** The rate limits per address. All requests of this source share them. */
  readonly limits: ReadonlyArray<RateLimit>
  /** Headers of each request, such as a contact or a key. */
  readonly headers?: Readonly<Record<string, string>>
  /** The environment variable of the key, if there is one. An error about a rejected key names it. */
  readonly variable?: string
  /** Recognises the source's rejections in a body, whatever the status. */
  readonly readBodyRejection?: ReadBodyRejection
  /** How to distinguish a 403 that is a rate limit from one that is a block. */
  readonly rateLimit403?: RateLimit403
  /** Reads the weight that this address used in one of the limits from the headers. */
  readonly readUsedWeight?: (headers: Headers) => RateLimit | undefined
  /** The source that is used if this one does not serve. */
  readonly next?: string
  /** How to open a session, if some requests require one. */
  readonly session?: SessionOptions
  readonly retryPolicy?: Partial<RetryPolicy>
}

export interface TextRequest {
  /** The requested data in a word or two without secrets, for error messages. */
  readonly label: string
  /** The path: begins with `/`, its parts encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  /** How long the answer may be cached, in milliseconds. */
  readonly cacheMs?: number
  /** The weight in the unit of the limits; 1 by default. */
  readonly cost?: number
  /** The weight in limits that have a name; 0 if omitted. */
  readonly costs?: Readonly<Record<string, number>>
  readonly maxBytes?: number
  /** Whether the body is binary. Each byte becomes the character with its number. */
  readonly binary?: boolean
  readonly readBodyRejection?: ReadBodyRejection
  /** Whether the request is sent within the source's session. */
  readonly inSession?: boolean
}

export interface JsonRequest<A> extends TextRequest {
  readonly schema: Schema.Decoder<A>
}

/** A request for a format other than JSON. */
export interface ParsedRequest<A> extends JsonRequest<A> {
  /** Parses the text for the schema. Returns undefined if the text has another format. Must not throw. */
  readonly parse: (text: string) => unknown
}

export interface FindRequest<A> extends JsonRequest<A> {
  /** Whether a body (as text, if it is not JSON) reports that the requested item does not exist. */
  readonly isAbsent: (body: unknown, status: number) => boolean
  /** Like `parse` of `ParsedRequest`, if the response is not JSON, or only a part of it is needed. */
  readonly parse?: (text: string) => unknown
}

/** A value of a source with its validators for conditional requests. */
export interface ValidatedValue<A> {
  readonly value: A
  readonly etag: string | null
  readonly lastModified: string | null
}

export interface ConditionalRequest<A> extends Omit<TextRequest, "cacheMs"> {
  /** Reads a text. Returns undefined if it is not the requested data. Must not throw. */
  readonly read: (text: string) => A | undefined
  /** The previous value. If it still holds, the source need not send it again. */
  readonly previous: ValidatedValue<A> | null
}

export interface SourceResponse<A> {
  readonly value: A
  /** When the response was complete, by our clock. */
  readonly receivedAt: number
  /**
   * When the response was sent, by the source's clock (`date`, truncated to whole seconds); null if it is missing. The
   * times within the data are the source's too. The earlier of the two times decides whether a candle is closed.
   */
  readonly date: number | null
  /** Rows that are missing because they could not be read: by name, or by place if they have no name. */
  readonly skippedRows?: ReadonlyArray<string>
}
