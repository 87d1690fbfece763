import { Result, Schema } from "effect"
import type { Rejection } from "../source/index.ts"

/**
 * Yahoo's error body. The key of the error body names the requested data, as in `{ "chart": { "result": null, "error":
 * { "code", "description" } } }`.
 */
const ErrorBody = Schema.Record(
  Schema.String,
  Schema.Struct({ error: Schema.Struct({ code: Schema.String, description: Schema.NullOr(Schema.String) }) })
)
const decodeErrorBody = Schema.decodeUnknownResult(ErrorBody)

const errorOf = (body: unknown): { readonly code: string; readonly description: string } | undefined => {
  const read = decodeErrorBody(body)
  if (Result.isFailure(read)) return undefined
  const [first] = Object.values(read.success)
  return first === undefined ? undefined : { code: first.error.code, description: first.error.description ?? "" }
}

/** Recognises an error in a response with a successful status. */
export const readYahooRejection = (body: unknown, status: number): Rejection | undefined => {
  const error = status < 300 ? errorOf(body) : undefined
  if (error === undefined) return undefined
  const text = `${error.code} ${error.description}`
  if (/too many|rate.?limit/iu.test(text)) return { failure: "rate_limited", reason: "too many requests" }
  if (/internal|unavailable|timeout/iu.test(text)) return { failure: "unreachable", reason: "it fails" }
  return { failure: "malformed", reason: "the request was rejected" }
}

/** Returns whether the symbol is unknown, or has no data of the requested time. */
export const isNotFound = (body: unknown, status: number): boolean => {
  const error = status === 404 || status === 400 || status === 422 ? errorOf(body) : undefined
  if (error === undefined) return false
  return error.code === "Not Found" || /data doesn't exist|must be within the last/iu.test(error.description)
}
