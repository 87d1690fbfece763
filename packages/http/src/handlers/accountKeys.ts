import {
  ChangeKey,
  IssuedKeyBody,
  IssueKey,
  KeyBody,
  KeyList,
  servedAccountApi,
  SignedInCaller,
  TooManyKeys
} from "@tapeline/api"
import { Administration, isWriteScope, type PageAfter } from "@tapeline/core"
import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeBodyReader } from "../body.ts"
import { AccountLimits, makeKeyIssueLimiter } from "../callers/callerLimits.ts"
import { requireRecentSignIn } from "../callers/recentSignIn.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { issuedKeyBody, keyBody, parseExpiry, readPage } from "./responseBodies.ts"

const readIssueKey = makeBodyReader(IssueKey)
const readChangeKey = makeBodyReader(ChangeKey)
const respondKeys = makeJsonResponder(KeyList)
const respondKey = makeJsonResponder(KeyBody)
const respondIssuedKey = makeJsonResponder(IssuedKeyBody)

/**
 * The handlers for the API keys of the signed-in account. `UnknownAccount` is a defect, because accounts are never
 * removed.
 */
export const layerAccountKeys = HttpApiBuilder.group(
  servedAccountApi,
  "accountKeys",
  Effect.fnUntraced(function*(handlers) {
    const administration = yield* Administration
    const { keysPerDay } = yield* AccountLimits
    const issueLimiter = makeKeyIssueLimiter(keysPerDay)
    return handlers
      .handleRaw(
        "accountKeys",
        makeOperation(Effect.fnUntraced(function*({ query }) {
          const { account } = yield* SignedInCaller
          const { next_cursor, part } = yield* readPage(
            (page: PageAfter) => Effect.catchTag(administration.keys(account, page), "UnknownAccount", Effect.die),
            query
          )
          return yield* respondKeys({ keys: part.map(keyBody), next_cursor })
        }))
      )
      .handleRaw(
        "issueAccountKey",
        makeOperation(Effect.fnUntraced(function*({ request }) {
          const { account, session } = yield* SignedInCaller
          const { expires_at, name, scopes } = yield* readIssueKey(request)
          if (scopes.some(isWriteScope)) yield* requireRecentSignIn
          const expiresAt = parseExpiry(expires_at)
          const decision = issueLimiter.countAttempt(String(account), yield* Clock.monotonicTimeNanos)
          if ("retryAfterMs" in decision) {
            return yield* new TooManyKeys({ max: keysPerDay, retryAfterMs: decision.retryAfterMs })
          }
          const { key, record } = yield* administration.issueKey({ account, name, scopes, expiresAt, session }).pipe(
            Effect.tapError(({ _tag }) => _tag === "StoreUnavailable" ? Effect.void : Effect.sync(decision.undo)),
            Effect.catchTag("UnknownAccount", Effect.die)
          )
          return yield* respondIssuedKey(issuedKeyBody(record, key))
        }))
      )
      .handleRaw(
        "changeAccountKey",
        makeOperation(Effect.fnUntraced(function*({ params: { id }, request }) {
          const { account, session } = yield* SignedInCaller
          const { expires_at, scopes } = yield* readChangeKey(request)
          yield* requireRecentSignIn
          yield* administration.keyOf(account, id)
          const changed = yield* administration.updateKey(id, { scopes, expiresAt: parseExpiry(expires_at), session })
          return yield* respondKey(keyBody(changed))
        }))
      )
      .handleRaw(
        "revokeAccountKey",
        makeOperation(Effect.fnUntraced(function*({ params: { id } }) {
          const { account } = yield* SignedInCaller
          yield* administration.keyOf(account, id)
          yield* administration.revokeKey(id)
          return HttpServerResponse.empty({ status: 204 })
        }))
      )
  })
)
