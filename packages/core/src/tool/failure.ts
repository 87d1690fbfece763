import { Schema } from "effect"
import type { MarketError } from "../market/errors.ts"
import type { Message } from "../messages/dictionary.ts"

/** Why a tool that was called properly cannot answer. */
export const FailureCode = Schema.Literals([
  "unknown_symbol",
  "no_data",
  "source_unavailable",
  "timeout",
  "script_error",
  "not_found",
  "conflict"
])
export type FailureCode = typeof FailureCode.Type

/**
 * The failure of a call that was made properly: it answers 200, charges nothing, and says what went wrong. `retryable`
 * is true when the same call may succeed later without a change. A wrong argument is not this but `InvalidArguments`;
 * a bug is a defect.
 */
export class ToolFailure extends Schema.TaggedError<ToolFailure>()("ToolFailure", {
  code: FailureCode,
  /** What to tell the caller: a message of the dictionaries, or a text that is the same in every language. */
  says: Schema.Union([
    Schema.String,
    Schema.declare((u: unknown): u is Message => typeof u === "object" && u !== null && "key" in u)
  ]),
  retryable: Schema.Boolean
}) {}

/** How a failure to read market data looks to the caller of a tool. */
export const failureOf = (error: MarketError): ToolFailure => {
  switch (error._tag) {
    case "UnknownSymbol":
      return new ToolFailure({
        code: "unknown_symbol",
        says: { key: "unknown_symbol", params: { symbol: error.symbol } },
        retryable: false
      })
    case "NoData":
      return new ToolFailure({
        code: "no_data",
        says: { key: "no_data", params: { what: `${error.subject} (${error.reason})` } },
        retryable: false
      })
    case "SourceUnavailable":
      return new ToolFailure({
        code: "source_unavailable",
        says: error.variable === undefined
          ? { key: "source_unavailable", params: { source: error.source } }
          : { key: "source_needs_setting", params: { source: error.source, variable: error.variable } },
        retryable: error.retryable
      })
  }
}
