import { Schema } from "effect"
import { MessageField } from "../messages/dictionary.ts"
import { ReportedFailure } from "./sourceFailure.ts"

/** The reasons why a valid call has no result. */
export const FailureCode = Schema.Literals([
  "unknown_symbol",
  "no_data",
  "source_unavailable",
  "timeout",
  "script_error",
  "cpu_budget",
  "not_found",
  "conflict",
  "outdated"
])
export type FailureCode = typeof FailureCode.Type

/** A stock that an ambiguous name may mean. */
export const Candidate = Schema.Struct({
  symbol: Schema.String.annotate({ description: "Its ticker, which is unambiguous" }),
  name: Schema.String,
  exchange: Schema.String
})

/** The schema fields of the error in the response of a failed call. `message` is in the caller's language. */
export const failureFields = {
  code: FailureCode,
  message: Schema.String,
  retryable: Schema.Boolean,
  candidates: Schema.optionalKey(Schema.Array(Candidate)).annotate({
    description: "Only for an ambiguous name: the stocks that it may mean"
  }),
  source: Schema.optionalKey(Schema.String).annotate({
    description: "Only for `source_unavailable`: the source that failed, such as `binance`"
  }),
  failure: Schema.optionalKey(ReportedFailure).annotate({
    description:
      "Only for `source_unavailable`: how the source failed. `unreachable`: no connection, or no response. " +
      "`no_network`: the service cannot reach any source"
  })
}

/**
 * The error of a valid call that the tool could not answer. The HTTP response has status 200 and contains the error,
 * and nothing is charged. `retryable` is true if the same call may succeed later. Wrong arguments fail with
 * `InvalidArguments`, and bugs are defects.
 */
export class ToolFailure extends Schema.TaggedError<ToolFailure>()("ToolFailure", {
  code: FailureCode,
  /** The message for the caller. A plain text is used for messages that are the same in every language. */
  callerMessage: Schema.Union([Schema.String, MessageField]),
  retryable: Schema.Boolean,
  candidates: failureFields.candidates,
  source: failureFields.source,
  failure: failureFields.failure
}) {}

/** An error of a port that converts itself to a tool failure, so that handlers need no conversion. */
export interface ConvertibleToToolFailure {
  readonly toolFailure: ToolFailure
  /**
   * Whether the request was rejected because the service was busy. Busy errors are logged at level Debug, because
   * callers can cause thousands of them a minute.
   */
  readonly isBusy?: boolean
}
