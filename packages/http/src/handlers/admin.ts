import { ChangeAccount, ChangeKey, CreateAccount, IssueKey, type makeApi } from "@tapeline/api"
import { type Account, Administration, InvalidArguments, type KeyRecord, type Page, sayIssues } from "@tapeline/core"
import { Effect, Redacted, Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { callBodyLimit, readObject } from "../body.ts"
import { currentExchange } from "../exchange.ts"
import { respond } from "../refusal.ts"

const iso = (time: number): string => new Date(time).toISOString()
const isoOrNull = (time: number | null): string | null => time === null ? null : iso(time)
const timeOf = (text: string | null | undefined): number | null | undefined =>
  typeof text === "string" ? Date.parse(text) : text

const accountBody = ({ createdAt, id, name, plan }: Account) => ({ id, name, plan, created_at: iso(createdAt) })

const keyBody = (key: KeyRecord) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  created_at: iso(key.createdAt),
  expires_at: isoOrNull(key.expiresAt),
  revoked_at: isoOrNull(key.revokedAt),
  last_used_at: isoOrNull(key.lastUsedAt)
})

/** The body of a request, decoded strictly, every issue told in the caller's language. */
const reading = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" })
  return Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
    const body = yield* readObject(request, callBodyLimit)
    const { language } = yield* currentExchange
    return yield* Effect.mapError(
      decode(body),
      (error) => new InvalidArguments({ issues: sayIssues(error.issue, language) })
    )
  })
}
const readCreateAccount = reading(CreateAccount)
const readChangeAccount = reading(ChangeAccount)
const readIssueKey = reading(IssueKey)
const readChangeKey = reading(ChangeKey)

const usualPage = 100

/** A page, and where the next one begins: one more than asked for is read, to know whether there is one. */
const pageOf = <A extends { readonly id: number }, E>(
  read: (page: Page) => Effect.Effect<ReadonlyArray<A>, E>,
  { cursor = 0, limit = usualPage }: { readonly cursor?: number; readonly limit?: number }
) =>
  Effect.map(read({ after: cursor, limit: limit + 1 }), (found) => {
    const part = found.slice(0, limit)
    return { part, next_cursor: found.length > limit ? part.at(-1)!.id : null }
  })

const json = <E, R>(body: Effect.Effect<unknown, E, R>) =>
  respond(Effect.map(body, (value) => HttpServerResponse.jsonUnsafe(value)))

export const layerAdmin = (api: ReturnType<typeof makeApi>) =>
  HttpApiBuilder.group(
    api,
    "admin",
    Effect.fnUntraced(function*(handlers) {
      const administration = yield* Administration
      return handlers
        .handleRaw("createAccount", ({ request }) =>
          json(Effect.map(Effect.flatMap(readCreateAccount(request), administration.createAccount), accountBody)))
        .handleRaw("accounts", ({ query }) =>
          json(Effect.map(pageOf(administration.accounts, query), ({ next_cursor, part }) => ({
            accounts: part.map(accountBody),
            next_cursor
          }))))
        .handleRaw("changeAccount", ({ params, request }) =>
          json(Effect.gen(function*() {
            const { plan } = yield* readChangeAccount(request)
            return accountBody(yield* administration.changePlan(params.id, plan))
          })))
        .handleRaw("issueKey", ({ params, request }) =>
          json(Effect.gen(function*() {
            const { expires_at, name, scopes } = yield* readIssueKey(request)
            const { key, record } = yield* administration.issueKey({
              account: params.id,
              name,
              scopes,
              expiresAt: timeOf(expires_at)
            })
            return {
              id: record.id,
              name: record.name,
              scopes: record.scopes,
              key: Redacted.value(key),
              created_at: iso(record.createdAt),
              expires_at: isoOrNull(record.expiresAt)
            }
          })))
        .handleRaw("keys", ({ params, query }) =>
          json(Effect.map(
            pageOf((page) =>
              administration.keys(params.id, page), query),
            ({ next_cursor, part }) => ({
              keys: part.map(keyBody),
              next_cursor
            })
          )))
        .handleRaw("changeKey", ({ params, request }) =>
          json(Effect.gen(function*() {
            const { expires_at, scopes } = yield* readChangeKey(request)
            return keyBody(yield* administration.updateKey(params.id, { scopes, expiresAt: timeOf(expires_at) }))
          })))
        .handleRaw("revokeKey", ({ params }) =>
          respond(Effect.as(administration.revokeKey(params.id), HttpServerResponse.empty({ status: 204 }))))
        .handleRaw("metrics", () =>
          Effect.map(PrometheusMetrics.format(), (text) =>
            HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })))
    })
  )
