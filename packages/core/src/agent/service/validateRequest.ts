import { Effect, Predicate, Result, Schema } from "effect"
import { hasAnyScope } from "../../engine/access/scope.ts"
import { findTextIssues, maxDepth } from "../../engine/call/callChecks.ts"
import {
  type InvalidArguments,
  ScopeRequired,
  toInvalidArguments,
  UserIdNotAccepted
} from "../../engine/call/errors.ts"
import { IdempotencyKey } from "../../engine/call/idempotencyKey.ts"
import type { Message } from "../../engine/messages/dictionary.ts"
import { formatIssues, type Issue } from "../../engine/messages/issue.ts"
import { formatMessage } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import { countUtf8Bytes } from "../context/tokens.ts"
import type { StoredImage } from "../conversation.ts"
import type { Mode } from "../event.ts"
import { readImages } from "./readImages.ts"
import { AgentRequest, type AskRequest, requestLimits } from "./request.ts"

export interface Question {
  readonly message: string
  /** The id of the existing conversation, or null for a new conversation. */
  readonly conversation: number | null
  /** The id of the last message that the caller saw in the conversation, or null if unknown. */
  readonly lastSeenMessage: number | null
  readonly isRegeneration: boolean
  readonly lang: Language | null
  readonly coin: string | null
  readonly facts: Readonly<Record<string, Schema.Json>>
  readonly mode: Mode | null
  readonly images: ReadonlyArray<StoredImage>
  readonly mayWrite: boolean
}

const decode = Schema.decodeUnknownEffect(AgentRequest, { errors: "all", onExcessProperty: "error" })
const isKey = Schema.is(IdempotencyKey)

const { messageLength, seedContextBytes } = requestLimits

const makeLengthMessage = (language: Language, maxLength: number): Message => ({
  key: "issue_expected",
  params: {
    expected: formatMessage({ key: "expected_length", params: { minimum: "1", maximum: `${maxLength}` } }, language)
  }
})

const findFieldIssues = (
  { coin, conversation_id, last_message_id, message, regenerate, seed_context }: typeof AgentRequest.Type,
  language: Language
): ReadonlyArray<Issue> => {
  const issues: Array<Issue> = []
  const addIssue = (path: Issue["path"], message: Message) =>
    issues.push({ path, message: formatMessage(message, language) })
  const length = message?.trim() === "" ? 0 : message?.length ?? 0
  if (regenerate === true) {
    if (conversation_id === undefined || conversation_id === null) {
      addIssue(["conversation_id"], { key: "regenerate_needs_conversation" })
    }
  } else if (message === undefined) {
    addIssue(["message"], { key: "issue_missing" })
  } else if (length < 1 || length > messageLength) {
    addIssue(["message"], makeLengthMessage(language, messageLength))
  }
  if (typeof last_message_id === "number" && typeof conversation_id !== "number") {
    addIssue(["conversation_id"], { key: "last_message_needs_conversation" })
  }
  if (coin?.trim() === "") addIssue(["coin"], makeLengthMessage(language, 64))
  if (seed_context !== undefined && countUtf8Bytes(JSON.stringify(seed_context)) > seedContextBytes) {
    addIssue(["seed_context"], { key: "seed_context_too_large", params: { limit: seedContextBytes / 1024 } })
  }
  return issues
}

/** Validates a request without access to a store, and fails with all faults at once. */
export const validateRequest = Effect.fnUntraced(function*(
  { idempotencyKey, issues: found, language = "en", principal, request }: AskRequest
): Effect.fn.Return<Question, UserIdNotAccepted | ScopeRequired | InvalidArguments> {
  if (Predicate.hasProperty(request, "user_id")) return yield* new UserIdNotAccepted()
  if (!hasAnyScope(principal.scopes, ["agent:chat"])) return yield* new ScopeRequired({ required_scope: "agent:chat" })
  const failInvalid = (issues: ReadonlyArray<Issue>) => Effect.fail(toInvalidArguments(issues, language))
  const foundIssues = found ?? findTextIssues(request, language)
  if (foundIssues === null) {
    return yield* failInvalid([{
      path: [],
      message: formatMessage({ key: "body_too_deep", params: { limit: maxDepth } }, language)
    }])
  }
  const issues: Array<Issue> = [...foundIssues]
  if (idempotencyKey !== undefined && !isKey(idempotencyKey)) {
    issues.unshift({ path: ["Idempotency-Key"], message: formatMessage({ key: "invalid_idempotency_key" }, language) })
  }
  if (issues.length > 0) return yield* failInvalid(issues)
  const decoded = yield* Effect.mapError(
    decode(request),
    ({ issue }) => toInvalidArguments(formatIssues(issue, language), language)
  )
  const images = yield* readImages(decoded.regenerate === true ? [] : decoded.images ?? [], language)
  const allIssues = [...findFieldIssues(decoded, language), ...(Result.isFailure(images) ? images.failure : [])]
  if (Result.isFailure(images) || allIssues.length > 0) return yield* failInvalid(allIssues)
  return {
    message: decoded.message ?? "",
    conversation: decoded.conversation_id ?? null,
    lastSeenMessage: decoded.last_message_id ?? null,
    isRegeneration: decoded.regenerate === true,
    lang: decoded.lang ?? null,
    coin: decoded.coin?.trim().toUpperCase() ?? null,
    facts: decoded.seed_context ?? {},
    mode: decoded.mode ?? null,
    images: images.success,
    mayWrite: decoded.writes === "allow"
  }
})
