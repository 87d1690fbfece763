import {
  AdminCaller,
  type AdminTokenBody,
  AdminTokenList,
  CreateAdminToken,
  CreatedAdminTokenBody,
  servedAdministrationApi
} from "@tapeline/api"
import { type AdminTokenRecord, AdminTokens } from "@tapeline/core"
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeBodyReader } from "../body.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { makeAdminChanges } from "./adminChange.ts"
import { iso, isoOrNull, parseExpiry, readPage } from "./responseBodies.ts"

const tokenFields = ({ createdAt, createdBy, expiresAt, id, name, scopes }: AdminTokenRecord) => ({
  id,
  name,
  scopes,
  created_at: iso(createdAt),
  created_by: createdBy,
  expires_at: isoOrNull(expiresAt)
})

const tokenBody = (token: AdminTokenRecord): typeof AdminTokenBody.Type => ({
  ...tokenFields(token),
  revoked_at: isoOrNull(token.revokedAt),
  last_used_at: isoOrNull(token.lastUsedAt)
})

const readCreateToken = makeBodyReader(CreateAdminToken)
const respondCreated = makeJsonResponder(CreatedAdminTokenBody)
const respondTokens = makeJsonResponder(AdminTokenList)

export const layerAdminTokens = HttpApiBuilder.group(
  servedAdministrationApi,
  "adminTokens",
  Effect.fnUntraced(function*(handlers) {
    const [tokens, changes] = yield* Effect.all([AdminTokens, makeAdminChanges])
    return handlers
      .handleRaw(
        "createAdminToken",
        makeOperation(Effect.fnUntraced(function*({ headers, request }) {
          const body = yield* readCreateToken(request)
          const { expires_at, name, scopes } = body
          const { scopes: creatorScopes } = yield* AdminCaller
          const create = tokens.create({ name, scopes, expiresAt: parseExpiry(expires_at) ?? null, creatorScopes })
          return yield* respondCreated(
            yield* changes.runSecret({
              operation: "createAdminToken",
              request: body,
              headers,
              change: Effect.map(create, ({ record, token }) => ({
                ...tokenFields(record),
                token: Redacted.value(token)
              }))
            })
          )
        }))
      )
      .handleRaw(
        "adminTokens",
        makeOperation(({ query }) =>
          Effect.flatMap(
            readPage(tokens.tokens, query),
            ({ next_cursor, part }) => respondTokens({ tokens: part.map(tokenBody), next_cursor })
          )
        )
      )
      .handleRaw(
        "revokeAdminToken",
        makeOperation(({ headers, params }) =>
          Effect.as(
            changes.run({
              operation: "revokeAdminToken",
              request: params,
              headers,
              change: Effect.as(tokens.revoke(params.id), null)
            }),
            HttpServerResponse.empty({ status: 204 })
          )
        )
      )
  })
)
