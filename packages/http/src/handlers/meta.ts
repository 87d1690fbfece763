import { Caller, type makeApi, QuoteRequest } from "@tapeline/api"
import {
  type Area,
  catalogueOf,
  dayEnd,
  InvalidArguments,
  InvalidKey,
  type Issue,
  Ledger,
  monthEnd,
  operations,
  Plans,
  say,
  sayIssues,
  type Scope,
  sha256,
  Toolbox,
  visibleTo
} from "@tapeline/core"
import { Clock, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { callBodyLimit, readObject } from "../body.ts"
import { respond } from "../refusal.ts"

const decodeQuote = Schema.decodeUnknownEffect(QuoteRequest, { errors: "all", onExcessProperty: "error" })

const iso = (time: number): string => new Date(time).toISOString()

export const layerMeta = (api: ReturnType<typeof makeApi>) =>
  HttpApiBuilder.group(
    api,
    "meta",
    Effect.fnUntraced(function*(handlers) {
      const toolbox = yield* Toolbox
      const ledger = yield* Ledger
      const plans = yield* Plans
      const catalogue = catalogueOf(toolbox.tools.map((tool) => tool.specification))
      const prices = new Map<string, number>([
        ...toolbox.tools.map(({ specification }) => [specification.name, specification.credits] as const),
        ...operations.map(({ credits, name }) => [name, credits] as const)
      ])

      // A body per set of scopes and area: some dozens at most.
      const bodies = new Map<string, { readonly text: string; readonly etag: string }>()
      const catalogueBody = Effect.fnUntraced(function*(scopes: ReadonlyArray<Scope>, area: Area | undefined) {
        const name = `${[...scopes].sort().join(" ")} ${area ?? ""}`
        const known = bodies.get(name)
        if (known !== undefined) return known
        const text = JSON.stringify({
          tools: visibleTo(catalogue, scopes, area),
          operations: operations.filter((operation) => scopes.includes(operation.scope))
        })
        const body = { text, etag: `"${(yield* sha256(text)).slice(0, 32)}"` }
        bodies.set(name, body)
        return body
      })

      /** The books of the caller's account; its key would not have been valid without one. */
      const booksOf = Effect.fnUntraced(function*(account: number, month?: string) {
        const books = yield* ledger.books(account, month)
        return books === null ? yield* new InvalidKey() : books
      })

      return handlers
        .handleRaw("catalogue", ({ query, request }) =>
          respond(Effect.gen(function*() {
            const { principal } = yield* Caller
            const { etag, text } = yield* catalogueBody(principal.scopes, query.area)
            const headers = { etag, "cache-control": "private, no-cache", vary: "authorization" }
            return matches(request.headers["if-none-match"], etag)
              ? HttpServerResponse.empty({ status: 304, headers })
              : HttpServerResponse.text(text, { contentType: "application/json", headers })
          })))
        .handleRaw("usage", ({ query }) =>
          respond(Effect.gen(function*() {
            const { principal } = yield* Caller
            const plan = yield* plans.of(principal)
            const books = yield* booksOf(principal.account, query.month)
            const now = yield* Clock.currentTimeMillis
            const { allotted, left, month, reserved, used } = books
            return HttpServerResponse.jsonUnsafe({
              plan: principal.plan,
              month,
              credits: { allotted, used, reserved, left },
              renews_at: iso(monthEnd(month)),
              tools: [...books.tools].sort((a, b) => b.credits - a.credits || (a.name < b.name ? -1 : 1)),
              answers: {
                today: yield* ledger.answersToday(principal.account),
                quota: plan.answers_per_day,
                renews_at: iso(dayEnd(now))
              }
            })
          })))
        .handleRaw("quote", ({ request }) =>
          respond(Effect.gen(function*() {
            const { language, principal } = yield* Caller
            const body = yield* readObject(request, callBodyLimit)
            const { calls } = yield* Effect.mapError(
              decodeQuote(body),
              (error) => new InvalidArguments({ issues: sayIssues(error.issue, language) })
            )
            const unknown = calls.flatMap(({ name }, i): ReadonlyArray<Issue> =>
              prices.has(name)
                ? []
                : [{
                  path: ["calls", i, "name"],
                  message: say({ key: "unknown_tool", params: { tool: name } }, language)
                }]
            )
            if (unknown.length > 0) return yield* new InvalidArguments({ issues: unknown })
            const lines = calls.map(({ count, name }) => {
              const credits = prices.get(name)!
              return { name, count, credits, total: credits * count }
            })
            const total = lines.reduce((sum, line) => sum + line.total, 0)
            const { left } = yield* booksOf(principal.account)
            return HttpServerResponse.jsonUnsafe({ total, credits_left: left, affordable: total <= left, lines })
          })))
    })
  )

const matches = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag))
