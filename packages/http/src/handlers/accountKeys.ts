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
import { Administration, type Page } from "@tapeline/core"
import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { answering } from "../answer.ts"
import { reading } from "../body.ts"
import { AccountBounds, issuedKeys } from "../callers/AccountBounds.ts"
import { operation } from "../operation.ts"
import { expiryOf, issuedKeyBody, keyBody, pageOf } from "./keyBodies.ts"

const readIssueKey = reading(IssueKey)
const readChangeKey = reading(ChangeKey)
const answerKeys = answering(KeyList)
const answerKey = answering(KeyBody)
const answerIssuedKey = answering(IssuedKeyBody)

/** The keys of the signed-in account. Accounts are never removed, so the account of a session exists. */
export const layerAccountKeys = HttpApiBuilder.group(
  servedAccountApi,
  "accountKeys",
  Effect.fnUntraced(function*(handlers) {
    const administration = yield* Administration
    const { keysPerDay } = yield* AccountBounds
    const issued = issuedKeys(keysPerDay)
    return handlers
      .handleRaw(
        "accountKeys",
        operation(Effect.fnUntraced(function*({ query }) {
          const { account } = yield* SignedInCaller
          const { next_cursor, part } = yield* pageOf(
            (page: Page) => Effect.catchTag(administration.keys(account, page), "UnknownAccount", Effect.die),
            query
          )
          return yield* answerKeys({ keys: part.map(keyBody), next_cursor })
        }))
      )
      .handleRaw(
        "issueAccountKey",
        operation(Effect.fnUntraced(function*({ request }) {
          const { account, session } = yield* SignedInCaller
          const { expires_at, name, scopes } = yield* readIssueKey(request)
          const expiresAt = expiryOf(expires_at)
          const one = issued.make(String(account), yield* Clock.monotonicTimeNanos)
          if ("waitMs" in one) return yield* new TooManyKeys({ most: keysPerDay, retryAfterMs: one.waitMs })
          const { key, record } = yield* administration.issueKey({ account, name, scopes, expiresAt, session }).pipe(
            Effect.tapError(({ _tag }) => _tag === "StoreUnavailable" ? Effect.void : Effect.sync(one.takeBack)),
            Effect.catchTag("UnknownAccount", Effect.die)
          )
          return yield* answerIssuedKey(issuedKeyBody(record, key))
        }))
      )
      .handleRaw(
        "changeAccountKey",
        operation(Effect.fnUntraced(function*({ params: { id }, request }) {
          const { account, session } = yield* SignedInCaller
          const { expires_at, scopes } = yield* readChangeKey(request)
          yield* administration.keyOf(account, id)
          const changed = yield* administration.updateKey(id, { scopes, expiresAt: expiryOf(expires_at), session })
          return yield* answerKey(keyBody(changed))
        }))
      )
      .handleRaw(
        "revokeAccountKey",
        operation(Effect.fnUntraced(function*({ params: { id } }) {
          const { account } = yield* SignedInCaller
          yield* administration.keyOf(account, id)
          yield* administration.revokeKey(id)
          return HttpServerResponse.empty({ status: 204 })
        }))
      )
  })
)
