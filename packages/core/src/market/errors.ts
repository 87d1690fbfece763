import { Schema } from "effect"
import { type Message, MessageField, type MissingSource, type NoDataReason } from "../engine/messages/dictionary.ts"
import { formatMessage } from "../engine/messages/language.ts"
import { type ConvertibleToToolFailure, ToolFailure } from "../engine/tool/failure.ts"
import { SourceFailure } from "../engine/tool/sourceFailure.ts"

/** The error for a well-formed name that no source lists. */
export class UnknownSymbol extends Schema.TaggedError<UnknownSymbol>()("UnknownSymbol", {
  symbol: Schema.String
}) implements ConvertibleToToolFailure {
  override get message(): string {
    return `unknown symbol: ${this.symbol}`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({
      code: "unknown_symbol",
      callerMessage: { key: "unknown_symbol", params: { symbol: this.symbol } },
      retryable: false
    })
  }
}

/**
 * The error for a known instrument without the requested data, for example before its listing. An immediate retry fails
 * with the same error.
 *
 * A port reports the most specific reason, because callers read the reason. The reasons `none_before_listing` and
 * `none_after_delisting` have a field `since`, which is a UTC date such as `2026-11-13`. `none_yet` is the reason for
 * future times, `none_perpetual` for stablecoins, and `none_on_krw_market` for coins without a KRW market.
 * `none_recorded` is the reason in all other cases, such as a gap or a silent source.
 */
export class NoData extends Schema.TaggedError<NoData>()("NoData", {
  /** The requested data, for logs, such as `BTC candles`. */
  subject: Schema.String,
  /** The reason for the missing data. The message for callers is formatted in their own language. */
  reason: MessageField.pipe(Schema.refine((message): message is NoDataReason => message.key.startsWith("none_")))
}) {
  override get message(): string {
    return `no data for ${this.subject}: ${formatMessage(this.reason, "en")}`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "no_data", callerMessage: this.reason, retryable: false })
  }
}

/**
 * The error of a data source that failed. If a source responds but has no data, reads fail with `NoData` instead of
 * `SourceUnavailable`. `not_configured` lasts until the operator sets `variable`. If no single setting provides a
 * source, `needs` states what the operator needs. `blocked` lasts as long as the service runs in its present location.
 * A malformed response always fails and is never read as a number.
 */
export class SourceUnavailable extends Schema.TaggedError<SourceUnavailable>()("SourceUnavailable", {
  /** The name of the source in results, such as `binance` or `postgres`. */
  source: Schema.String,
  failure: SourceFailure,
  /** The reason for the failure, as one sentence for a person, without secrets. */
  reason: Schema.String,
  /** Whether the same call may succeed later without a change of the configuration. */
  retryable: Schema.Boolean,
  /** The environment variable that the operator must set, if a setting is missing. */
  variable: Schema.optionalKey(Schema.String),
  /** A message that states what is needed, if no setting can fix the failure. */
  needs: Schema.optionalKey(MessageField.pipe(
    Schema.refine((message): message is MissingSource => message.key.startsWith("source_missing_"))
  )),
  /** The earliest useful retry, in milliseconds from now, if the source specified a time. */
  retryAfterMs: Schema.optionalKey(Schema.Finite),
  /** Whether this service can reach no source at all, because its network or its proxy fails. */
  hasNoNetwork: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return `${this.source} is unavailable: ${this.reason}`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({
      code: "source_unavailable",
      callerMessage: this.callerMessage,
      retryable: this.retryable,
      source: this.source,
      failure: this.hasNoNetwork === true ? "no_network" : this.failure
    })
  }

  private get callerMessage(): Message {
    const { hasNoNetwork, needs, retryAfterMs, source, variable } = this
    if (hasNoNetwork === true) return { key: "source_without_network" }
    if (needs !== undefined) return needs
    if (variable !== undefined) return { key: "source_needs_setting", params: { source, variable } }
    if (this.failure === "not_configured") return { key: "source_unset", params: { source } }
    if (this.failure === "blocked") return { key: "source_blocked", params: { source } }
    if (this.failure === "malformed") return { key: "source_unreadable", params: { source } }
    if (this.failure === "filling") return { key: "source_filling", params: { source } }
    if (this.failure !== "rate_limited") return { key: "source_unavailable", params: { source } }
    return retryAfterMs === undefined
      ? { key: "source_busy", params: { source } }
      : { key: "source_busy_for", params: { source, seconds: Math.ceil(Math.max(1, retryAfterMs) / 1000) } }
  }
}

/** The errors of a market data read. */
export type MarketError = UnknownSymbol | NoData | SourceUnavailable
