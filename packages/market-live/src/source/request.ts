import type { Schema } from "effect"
import type { RateLimit, RetryPolicy } from "./policies.ts"
import type { RateLimit403, ReadBodyRejection } from "./rejections.ts"
import type { SessionOptions } from "./Session.ts"

export interface SourceOptions {
  /** The name of the source in results and errors, such as `binance`. */
  readonly name: string
  /** The part of the source, such as `spot`, if a company has several hosts with separate rate limits. */
  readonly part?: string
  /** The base URL of the source, which may include a path. */
  readonly baseUrl: string
  /** The rate limits per IP address, which all requests to the source share. */
  readonly limits: ReadonlyArray<RateLimit>
  readonly headers?: Readonly<Record<string, string>>
  /** The environment variable of the API key, for the error about a rejected key. */
  readonly variable?: string
  readonly readBodyRejection?: ReadBodyRejection
  readonly rateLimit403?: RateLimit403
  /** Returns how much weight the IP address has used in one of the rate limits, according to the response headers. */
  readonly readUsedWeight?: (headers: Headers) => RateLimit | undefined
  /** The name of another source with the same data, which error messages mention. */
  readonly next?: string
  readonly session?: SessionOptions
  readonly retryPolicy?: Partial<RetryPolicy>
}

export interface TextRequest {
  /** The requested data in one or two words without secrets, for error messages. */
  readonly label: string
  /** The URL path, which begins with `/` and is already encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  /** The time for which the response may be cached, in milliseconds. */
  readonly cacheMs?: number
  /** The weight of the request in rate limits without a name, 1 by default. */
  readonly cost?: number
  /** The weights of the request in rate limits with a name, 0 by default. */
  readonly costs?: Readonly<Record<string, number>>
  readonly maxBytes?: number
  /** Whether the response body is binary, so that each byte becomes the character with the same code. */
  readonly binary?: boolean
  readonly readBodyRejection?: ReadBodyRejection
  readonly inSession?: boolean
}

export interface JsonRequest<A> extends TextRequest {
  readonly schema: Schema.Decoder<A>
}

/** A request for a format other than JSON. */
export interface ParsedRequest<A> extends JsonRequest<A> {
  /**
   * Parses the response text before the schema decodes it, and must not throw. Returns undefined if the text does not
   * have the expected format.
   */
  readonly parse: (text: string) => unknown
}

export interface FindRequest<A> extends JsonRequest<A> {
  /** Returns whether a JSON body, or a text in another format, reports that the requested item does not exist. */
  readonly isAbsent: (body: unknown, status: number) => boolean
  readonly parse?: (text: string) => unknown
}

/** A value from a source, with the headers `ETag` and `Last-Modified` for conditional requests. */
export interface ValidatedValue<A> {
  readonly value: A
  readonly etag: string | null
  readonly lastModified: string | null
}

export interface ConditionalRequest<A> extends Omit<TextRequest, "cacheMs"> {
  /** Parses a response text, or returns undefined if the text is not the requested data, and must not throw. */
  readonly read: (text: string) => A | undefined
  /** The value of the previous response, which the source need not send again if the value has not changed. */
  readonly previous: ValidatedValue<A> | null
}

export interface SourceResponse<A> {
  readonly value: A
  /** The time at which the response was complete, by the local clock. */
  readonly receivedAt: number
  /**
   * The time at which the source sent the response, by the source's clock, truncated to seconds, or null without a
   * `date` header.
   */
  readonly date: number | null
  /** The unreadable rows that were skipped: the name of each row, or its number if the row has no name. */
  readonly skippedRows?: ReadonlyArray<string>
}
