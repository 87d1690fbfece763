import { Schema } from "effect"
import { type Message, MessageField, type MissingSource, type NoDataReason } from "../engine/messages/dictionary.ts"
import { say } from "../engine/messages/language.ts"
import { type Explained, ToolFailure } from "../engine/tool/failure.ts"
import { SourceFailure } from "../engine/tool/sourceFailure.ts"

/** Nobody knows an instrument of this name (a well-formed name that no source lists). */
export class UnknownSymbol extends Schema.TaggedError<UnknownSymbol>()("UnknownSymbol", {
  /** The coin, symbol or address that was asked for. */
  symbol: Schema.String
}) implements Explained {
  override get message(): string {
    return `unknown symbol: ${this.symbol}`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({
      code: "unknown_symbol",
      says: { key: "unknown_symbol", params: { symbol: this.symbol } },
      retryable: false
    })
  }
}

/**
 * The instrument is known, but there is nothing for the time or the kind of data asked for: before its
 * listing, options of a coin that has none, a history too short. Asking again at once gives the same.
 *
 * A port gives the reason that fits best, since it is what a caller reads: `none_before_listing` and
 * `none_after_delisting` with the date (`since`, as `2026-11-13`, UTC), `none_yet` of the future, `none_perpetual` of a
 * stablecoin, `none_on_krw_market`, those of options and stocks by their names; `none_recorded` of everything else, a
 * gap or a silent source.
 */
export class NoData extends Schema.TaggedError<NoData>()("NoData", {
  /** What was asked for, for logs: `BTC candles`, `DOGE options`. */
  subject: Schema.String,
  /** Why there is none: a message, since a caller reads it in a language of its own. */
  reason: MessageField.pipe(Schema.refine((message): message is NoDataReason => message.key.startsWith("none_")))
}) {
  override get message(): string {
    return `no data for ${this.subject}: ${say(this.reason, "en")}`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "no_data", says: this.reason, retryable: false })
  }
}

/**
 * A source of data failed to answer, unlike `NoData`, where it answered that there is nothing.
 * `not_configured` is permanent until the operator sets `variable`, or for good where no setting adds a source
 * (`needs`); `blocked` until the service runs elsewhere: neither is retryable. A malformed answer never becomes a
 * number.
 */
export class SourceUnavailable extends Schema.TaggedError<SourceUnavailable>()("SourceUnavailable", {
  /** The source as results name it: `binance`, `opendart`, `postgres`. */
  source: Schema.String,
  failure: SourceFailure,
  /** One sentence for a person, without secrets. */
  reason: Schema.String,
  /** Whether the same call may succeed later without anyone changing the configuration. */
  retryable: Schema.Boolean,
  /** The environment variable to set, when that is what is missing. */
  variable: Schema.optionalKey(Schema.String),
  /** What would be needed, when no setting helps: in the language of who asks. */
  needs: Schema.optionalKey(MessageField.pipe(
    Schema.refine((message): message is MissingSource => message.key.startsWith("source_missing_"))
  )),
  /** Earliest useful retry, in milliseconds from now, when the source said. */
  retryAfterMs: Schema.optionalKey(Schema.Finite),
  /** True if no other source can be reached either: the service has no network, or its proxy fails. */
  hasNoNetwork: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return `${this.source} is unavailable: ${this.reason}`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({
      code: "source_unavailable",
      says: this.says,
      retryable: this.retryable,
      source: this.source,
      failure: this.hasNoNetwork === true ? "no_network" : this.failure
    })
  }

  private get says(): Message {
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

/** Everything that a read of market data can fail with. */
export type MarketError = UnknownSymbol | NoData | SourceUnavailable
