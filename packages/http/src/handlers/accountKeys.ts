import {
  ChangeKey,
  IssuedKeyBody,
  IssueKey,
  KeyBody,
  KeyList,
  RotatedKeyBody,
  RotateKey,
  servedAccountApi,
  SignedInCaller,
  TooManyKeys
} from "@tapeline/api"
import { Administration, InvalidSession, isWriteScope, Ledger, type PageAfter } from "@tapeline/core"
import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeBodyReader } from "../body.ts"
import { AccountLimits, makeKeyIssueLimiter } from "../callers/callerLimits.ts"
import { requireRecentSignIn } from "../callers/recentSignIn.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import {
  issuedKeyBody,
  keyBodies,
  parseExpiry,
  readKeyLimits,
  readPage,
  readRotation,
  rotatedKeyBody
} from "./responseBodies.ts"

const readIssueKey = makeBodyReader(IssueKey)
const readChangeKey = makeBodyReader(ChangeKey)
const readRotateKey = makeBodyReader(RotateKey)
const respondKeys = makeJsonResponder(KeyList)
const respondKey = makeJsonResponder(KeyBody)
const respondIssuedKey = makeJsonResponder(IssuedKeyBody)
const respondRotatedKey = makeJsonResponder(RotatedKeyBody)

/**
 * The handlers for the API keys of the signed-in account. `UnknownAccount` is a defect, because accounts are never
 * removed.
 */
export const layerAccountKeys = HttpApiBuilder.group(
  servedAccountApi,
  "accountKeys",
  Effect.fnUntraced(function*(handlers) {
    const [administration, ledger] = yield* Effect.all([Administration, Ledger])
    const { keysPerDay } = yield* AccountLimits
    const issueLimiter = makeKeyIssueLimiter(keysPerDay)
    /** Issues a key, unless the account has issued too many keys today. */
    const countIssue = Effect.fnUntraced(function*<A, E extends { readonly _tag: string }>(
      account: number,
      issue: Effect.Effect<A, E>
    ): Effect.fn.Return<A, E | TooManyKeys> {
      const decision = issueLimiter.countAttempt(String(account), yield* Clock.monotonicTimeNanos)
      if ("retryAfterMs" in decision) {
        return yield* new TooManyKeys({ max: keysPerDay, retryAfterMs: decision.retryAfterMs })
      }
      return yield* Effect.tapError(
        issue,
        ({ _tag }) => _tag === "StoreUnavailable" ? Effect.void : Effect.sync(decision.undo)
      )
    })

    return handlers
      .handleRaw(
        "accountKeys",
        makeOperation(Effect.fnUntraced(function*({ query }) {
          const { account } = yield* SignedInCaller
          const { next_cursor, part } = yield* readPage(
            (page: PageAfter) => Effect.catchTag(administration.keys(account, page), "UnknownAccount", Effect.die),
            query
          )
          return yield* respondKeys({ keys: yield* keyBodies(ledger, part), next_cursor })
        }))
      )
      .handleRaw(
        "issueAccountKey",
        makeOperation(Effect.fnUntraced(function*({ request }) {
          const { account, session } = yield* SignedInCaller
          const { expires_at, name, scopes, ...limits } = yield* readIssueKey(request)
          if (scopes.some(isWriteScope)) yield* requireRecentSignIn
          const expiresAt = parseExpiry(expires_at)
          const newKey = { account, name, scopes, expiresAt, session, ...readKeyLimits(limits) }
          const { key, record } = yield* countIssue(account, administration.issueKey(newKey)).pipe(
            Effect.catchTag("UnknownAccount", Effect.die),
            // Another request closed the account during this request, and closing an account ends its sessions.
            Effect.catchTag("AccountClosed", () => Effect.fail(new InvalidSession()))
          )
          return yield* respondIssuedKey(issuedKeyBody(record, key))
        }))
      )
      .handleRaw(
        "changeAccountKey",
        makeOperation(Effect.fnUntraced(function*({ params: { id }, request }) {
          const { account, session } = yield* SignedInCaller
          const { expires_at, scopes, ...limits } = yield* readChangeKey(request)
          yield* requireRecentSignIn
          yield* administration.keyOf(account, id)
          const change = { scopes, expiresAt: parseExpiry(expires_at), session, ...readKeyLimits(limits) }
          const [body] = yield* keyBodies(ledger, [yield* administration.updateKey(id, change)])
          return yield* respondKey(body!)
        }))
      )
      .handleRaw(
        "rotateAccountKey",
        makeOperation(Effect.fnUntraced(function*({ params: { id }, request }) {
          const { account, session } = yield* SignedInCaller
          const rotation = readRotation(yield* readRotateKey(request))
          yield* requireRecentSignIn
          yield* administration.keyOf(account, id)
          const rotated = yield* countIssue(account, administration.rotateKey(id, { ...rotation, session }))
          return yield* respondRotatedKey(rotatedKeyBody(rotated))
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
