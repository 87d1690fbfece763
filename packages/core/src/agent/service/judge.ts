import { Effect, Predicate, Result, Schema } from "effect"
import { grants } from "../../engine/access/scope.ts"
import { InvalidArguments, ScopeRequired, UserIdNotAccepted } from "../../engine/call/errors.ts"
import { IdempotencyKey } from "../../engine/call/idempotencyKey.ts"
import { maxDepth, textIssues } from "../../engine/call/soundness.ts"
import type { Message } from "../../engine/messages/dictionary.ts"
import { type Issue, sayIssues } from "../../engine/messages/issue.ts"
import { say } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import { utf8Bytes } from "../context/tokens.ts"
import type { KeptImage } from "../conversation.ts"
import type { Mode } from "../event.ts"
import { readImages } from "./readImages.ts"
import { AgentRequest, type Ask, requestBounds } from "./request.ts"

/** A valid request. */
export interface Question {
  readonly message: string
  /** Null for a new conversation. */
  readonly conversation: number | null
  /** The last message that the caller saw in the conversation; null if unknown. */
  readonly shown: number | null
  /** Whether to answer the last question of the conversation again. */
  readonly again: boolean
  readonly lang: Language | null
  readonly coin: string | null
  readonly facts: Readonly<Record<string, Schema.Json>>
  readonly mode: Mode | null
  readonly images: ReadonlyArray<KeptImage>
}

const decode = Schema.decodeUnknownEffect(AgentRequest, { errors: "all", onExcessProperty: "error" })
const isKey = Schema.is(IdempotencyKey)

const { messageLength, seedContextBytes } = requestBounds

const lengthExpected = (language: Language, most: number): Message => ({
  key: "issue_expected",
  params: { expected: say({ key: "expected_length", params: { minimum: "1", maximum: `${most}` } }, language) }
})

/** Returns the faults of a request that has the right form. */
const fieldIssues = (
  { coin, conversation_id, last_message_id, message, regenerate, seed_context }: typeof AgentRequest.Type,
  language: Language
): ReadonlyArray<Issue> => {
  const issues: Array<Issue> = []
  const add = (path: Issue["path"], message: Message) => issues.push({ path, message: say(message, language) })
  const length = message?.trim() === "" ? 0 : message?.length ?? 0
  if (regenerate === true) {
    if (conversation_id === undefined || conversation_id === null) {
      add(["conversation_id"], { key: "regenerate_needs_conversation" })
    }
  } else if (message === undefined) {
    add(["message"], { key: "issue_missing" })
  } else if (length < 1 || length > messageLength) {
    add(["message"], lengthExpected(language, messageLength))
  }
  if (typeof last_message_id === "number" && typeof conversation_id !== "number") {
    add(["conversation_id"], { key: "last_message_needs_conversation" })
  }
  if (coin?.trim() === "") add(["coin"], lengthExpected(language, 64))
  if (seed_context !== undefined && utf8Bytes(JSON.stringify(seed_context)) > seedContextBytes) {
    add(["seed_context"], { key: "seed_context_too_large", params: { limit: seedContextBytes / 1024 } })
  }
  return issues
}

const invalid = (issues: ReadonlyArray<Issue>) => Effect.fail(new InvalidArguments({ issues }))

/** Validates a request without access to a store. Returns the question, or fails with all faults at once. */
export const judge = Effect.fnUntraced(function*(
  { idempotencyKey, issues: found, language = "en", principal, request }: Ask
): Effect.fn.Return<Question, UserIdNotAccepted | ScopeRequired | InvalidArguments> {
  if (Predicate.hasProperty(request, "user_id")) return yield* new UserIdNotAccepted()
  if (!grants(principal.scopes, ["agent:chat"])) return yield* new ScopeRequired({ required_scope: "agent:chat" })
  const unsound = found ?? textIssues(request, language)
  if (unsound === null) {
    return yield* invalid([{ path: [], message: say({ key: "body_too_deep", params: { limit: maxDepth } }, language) }])
  }
  const issues: Array<Issue> = [...unsound]
  if (idempotencyKey !== undefined && !isKey(idempotencyKey)) {
    issues.unshift({ path: ["Idempotency-Key"], message: say({ key: "invalid_idempotency_key" }, language) })
  }
  if (issues.length > 0) return yield* invalid(issues)
  const read = yield* Effect.mapError(
    decode(request),
    ({ issue }) => new InvalidArguments({ issues: sayIssues(issue, language) })
  )
  const images = yield* readImages(read.regenerate === true ? [] : read.images ?? [], language)
  const wrong = [...fieldIssues(read, language), ...(Result.isFailure(images) ? images.failure : [])]
  if (Result.isFailure(images) || wrong.length > 0) return yield* invalid(wrong)
  return {
    message: read.message ?? "",
    conversation: read.conversation_id ?? null,
    shown: read.last_message_id ?? null,
    again: read.regenerate === true,
    lang: read.lang ?? null,
    coin: read.coin?.trim().toUpperCase() ?? null,
    facts: read.seed_context ?? {},
    mode: read.mode ?? null,
    images: images.success
  }
})
