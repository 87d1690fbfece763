import { Schema } from "effect"
import { MessageField } from "../messages/dictionary.ts"
import { ReportedFailure } from "./sourceFailure.ts"

/** Why a tool that was called properly cannot answer. */
export const FailureCode = Schema.Literals([
  "unknown_symbol",
  "no_data",
  "source_unavailable",
  "timeout",
  "script_error",
  "cpu_budget",
  "not_found",
  "conflict"
])
export type FailureCode = typeof FailureCode.Type

/** A stock that a name may mean. */
export const Candidate = Schema.Struct({
  symbol: Schema.String.annotate({ description: "Its ticker, which asks for it alone" }),
  name: Schema.String,
  exchange: Schema.String
})

/** What a failed call says, in the caller's language. */
export const failureFields = {
  code: FailureCode,
  message: Schema.String,
  retryable: Schema.Boolean,
  candidates: Schema.optionalKey(Schema.Array(Candidate)).annotate({
    description: "Only of an ambiguous name: the stocks that it may mean"
  }),
  source: Schema.optionalKey(Schema.String).annotate({
    description: "Only of `source_unavailable`: the source that failed, such as `binance`"
  }),
  failure: Schema.optionalKey(ReportedFailure).annotate({
    description: "Only of `source_unavailable`: how the source failed. `unreachable`: no connection, or no answer. " +
      "`no_network`: the service can reach no source at all"
  })
}

/**
 * The failure of a call that was made properly: it answers 200, charges nothing, and says what went wrong. `retryable`
 * is true when the same call may succeed later without a change. A wrong argument is not this but `InvalidArguments`;
 * a bug is a defect.
 */
export class ToolFailure extends Schema.TaggedError<ToolFailure>()("ToolFailure", {
  code: FailureCode,
  /** What to tell the caller: a message of the dictionaries, or a text that is the same in every language. */
  says: Schema.Union([Schema.String, MessageField]),
  retryable: Schema.Boolean,
  /** Of a name that may mean several stocks: these. */
  candidates: failureFields.candidates,
  /** The source that failed, and how. */
  source: failureFields.source,
  failure: failureFields.failure
}) {}

/** An error of a port that knows how it looks to the caller of a tool, so that handlers need not translate it. */
export interface Explained {
  readonly toolFailure: ToolFailure
  /**
   * True if there was no place for the work. Callers can cause thousands of these errors a minute, so they are logged
   * at Debug.
   */
  readonly isBusy?: boolean
}
