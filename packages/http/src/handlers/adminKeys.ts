import {
  ChangeKey,
  IssuedKeyBody,
  IssueKey,
  KeyBody,
  KeyList,
  RotatedKeyBody,
  RotateKey,
  servedAdministrationApi
} from "@tapeline/api"
import { Administration, Ledger, type PageAfter } from "@tapeline/core"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeBodyReader } from "../body.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { makeAdminChanges } from "./adminChange.ts"
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
const respondIssuedKey = makeJsonResponder(IssuedKeyBody)
const respondRotatedKey = makeJsonResponder(RotatedKeyBody)
const respondKey = makeJsonResponder(KeyBody)
const respondKeys = makeJsonResponder(KeyList)

/** The handlers of the admin API for API keys. */
export const layerAdminKeys = HttpApiBuilder.group(
  servedAdministrationApi,
  "adminKeys",
  Effect.fnUntraced(function*(handlers) {
    const [administration, ledger, changes] = yield* Effect.all([Administration, Ledger, makeAdminChanges])
    return handlers
      .handleRaw(
        "issueKey",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readIssueKey(request)
          const { expires_at, name, scopes, ...limits } = body
          const issue = administration.issueKey({
            account: params.id,
            name,
            scopes,
            expiresAt: parseExpiry(expires_at),
            ...readKeyLimits(limits)
          })
          return yield* respondIssuedKey(
            yield* changes.runSecret({
              operation: "issueKey",
              request: { ...params, body },
              headers,
              change: Effect.map(
                Effect.catchTag(issue, "InvalidSession", Effect.die),
                ({ key, record }) => issuedKeyBody(record, key)
              )
            })
          )
        }))
      )
      .handleRaw(
        "keys",
        makeOperation(({ params, query }) => {
          const read = (page: PageAfter) => administration.keys(params.id, page)
          return Effect.flatMap(
            readPage(read, query),
            ({ next_cursor, part }) =>
              Effect.flatMap(keyBodies(ledger, part), (keys) => respondKeys({ keys, next_cursor }))
          )
        })
      )
      .handleRaw(
        "changeKey",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readChangeKey(request)
          const { expires_at, scopes, ...limits } = body
          const fields = { scopes, expiresAt: parseExpiry(expires_at), ...readKeyLimits(limits) }
          const change = Effect.catchTag(administration.updateKey(params.id, fields), "InvalidSession", Effect.die)
          return yield* respondKey(
            yield* changes.run({
              operation: "changeKey",
              request: { ...params, body },
              headers,
              change: Effect.flatMap(change, (key) => Effect.map(keyBodies(ledger, [key]), ([changed]) => changed!))
            })
          )
        }))
      )
      .handleRaw(
        "rotateKey",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readRotateKey(request)
          const rotate = Effect.catchTag(
            administration.rotateKey(params.id, readRotation(body)),
            "InvalidSession",
            Effect.die
          )
          return yield* respondRotatedKey(
            yield* changes.runSecret({
              operation: "rotateKey",
              request: { ...params, body },
              headers,
              change: Effect.map(rotate, rotatedKeyBody)
            })
          )
        }))
      )
      .handleRaw(
        "revokeKey",
        makeOperation(({ headers, params }) =>
          Effect.as(
            changes.run({
              operation: "revokeKey",
              request: params,
              headers,
              change: Effect.as(administration.revokeKey(params.id), null)
            }),
            HttpServerResponse.empty({ status: 204 })
          )
        )
      )
  })
)
