import { ChangeKey, IssuedKeyBody, IssueKey, KeyBody, KeyList, servedAdministrationApi } from "@tapeline/api"
import { Administration, type PageAfter } from "@tapeline/core"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeBodyReader } from "../body.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { makeAdminChanges } from "./adminChange.ts"
import { issuedKeyBody, keyBody, parseExpiry, readPage } from "./responseBodies.ts"

const readIssueKey = makeBodyReader(IssueKey)
const readChangeKey = makeBodyReader(ChangeKey)
const respondIssuedKey = makeJsonResponder(IssuedKeyBody)
const respondKey = makeJsonResponder(KeyBody)
const respondKeys = makeJsonResponder(KeyList)

/** The handlers of the admin API for API keys. */
export const layerAdminKeys = HttpApiBuilder.group(
  servedAdministrationApi,
  "adminKeys",
  Effect.fnUntraced(function*(handlers) {
    const [administration, changes] = yield* Effect.all([Administration, makeAdminChanges])
    return handlers
      .handleRaw(
        "issueKey",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readIssueKey(request)
          const { expires_at, name, scopes } = body
          const issue = administration.issueKey({
            account: params.id,
            name,
            scopes,
            expiresAt: parseExpiry(expires_at)
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
            ({ next_cursor, part }) => respondKeys({ keys: part.map(keyBody), next_cursor })
          )
        })
      )
      .handleRaw(
        "changeKey",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readChangeKey(request)
          const { expires_at, scopes } = body
          const change = Effect.catchTag(
            administration.updateKey(params.id, { scopes, expiresAt: parseExpiry(expires_at) }),
            "InvalidSession",
            Effect.die
          )
          return yield* respondKey(
            yield* changes.run({
              operation: "changeKey",
              request: { ...params, body },
              headers,
              change: Effect.map(change, keyBody)
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
