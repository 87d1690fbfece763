import { Caller, CatalogueBody, QuoteBody, QuoteRequest, servedApi, UsageBody } from "@tapeline/api"
import {
  type Area,
  callsOf,
  type CatalogueEntry,
  InvalidArguments,
  InvalidKey,
  type Issue,
  type Language,
  Ledger,
  type MonthBooks,
  nearestName,
  operations,
  Plans,
  say,
  type Scope,
  Toolbox,
  type ToolSpecification,
  visibleTo
} from "@tapeline/core"
import { Cache, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answering } from "../answer.ts"
import { readingOfCaller } from "../body.ts"
import { catalogueFor } from "../catalogue.ts"
import { keep, keptResponse } from "../kept.ts"
import { operation } from "../operation.ts"

const readQuote = readingOfCaller(QuoteRequest)
const answerUsage = answering(UsageBody)
const answerQuote = answering(QuoteBody)
const writeCatalogue = Schema.encodeEffect(Schema.fromJsonString(CatalogueBody))

const iso = (time: number): string => new Date(time).toISOString()

/** Sorts tools by credits, the most expensive first. */
export const byCredits = (tools: MonthBooks["tools"]): MonthBooks["tools"] =>
  tools.toSorted((a, b) => b.credits - a.credits || (a.name < b.name ? -1 : 1))

/** Maximum number of cached catalogues. There is one for each combination of scopes, area and view. */
const keptCatalogues = 64

/** The catalogue that is requested. The scopes are sorted, so that equal sets of scopes are equal keys. */
interface Wanted {
  readonly scopes: ReadonlyArray<Scope>
  readonly area: Area | undefined
  readonly view: "full" | "parameters"
}

const makeCatalogues = (entries: ReadonlyArray<CatalogueEntry>) =>
  Cache.make({
    capacity: keptCatalogues,
    lookup: ({ area, scopes, view }: Wanted) => {
      const visible = visibleTo(entries, scopes, area)
      const tools = view === "full" ? visible : callsOf(visible)
      return Effect.flatMap(
        Effect.orDie(writeCatalogue({ tools, operations: operations.filter(({ scope }) => scopes.includes(scope)) })),
        keep
      )
    }
  })

/** The price of a call, by the name of its tool or operation. */
const pricesOf = (specifications: ReadonlyArray<ToolSpecification>): ReadonlyMap<string, number> =>
  new Map([...specifications, ...operations].map(({ credits, name }) => [name, credits]))

/** The issue for the call at index `i`, whose name has no price. */
const notPriced = (prices: ReadonlyMap<string, number>, name: string, i: number, language: Language): Issue => ({
  path: ["calls", i, "name"],
  message: say({ key: "unknown_tool", params: { tool: name, nearest: nearestName(name, prices.keys()) } }, language)
})

export const layerMeta = HttpApiBuilder.group(
  servedApi,
  "meta",
  Effect.fnUntraced(function*(handlers) {
    const toolbox = yield* Toolbox
    const ledger = yield* Ledger
    const plans = yield* Plans
    const specifications = toolbox.tools.map((tool) => tool.specification)
    const catalogues = yield* makeCatalogues(catalogueFor(toolbox))
    const prices = pricesOf(specifications)

    /** The account balance of the caller. A valid key always has an account. */
    const booksOf = Effect.fnUntraced(function*(account: number, month?: string) {
      const books = yield* ledger.books(account, month)
      return books === null ? yield* new InvalidKey() : books
    })

    return handlers
      .handleRaw(
        "catalogue",
        operation(Effect.fnUntraced(function*({ query: { area, view = "full" }, request }) {
          const { principal } = yield* Caller
          const kept = yield* Cache.get(catalogues, { scopes: [...principal.scopes].sort(), area, view })
          const headers = { "cache-control": "private, no-cache", vary: "authorization, cookie" }
          return keptResponse(request, kept, "application/json", headers)
        }))
      )
      .handleRaw(
        "usage",
        operation(Effect.fnUntraced(function*({ query }) {
          const { principal } = yield* Caller
          const plan = yield* plans.of(principal)
          const { allotted, left, month, renewsAt, reserved, tools, used } = yield* booksOf(
            principal.account,
            query.month
          )
          const answers = yield* ledger.answersToday(principal.account)
          return yield* answerUsage({
            plan: principal.plan,
            month,
            credits: { allotted, used, reserved, left },
            renews_at: iso(renewsAt),
            tools: byCredits(tools),
            answers: {
              today: answers.count,
              quota: plan.answers_per_day,
              renews_at: iso(answers.renewsAt)
            }
          })
        }))
      )
      .handleRaw(
        "quote",
        operation(Effect.fnUntraced(function*({ request }) {
          const { language } = yield* Caller
          const { body: { calls }, principal } = yield* readQuote(request)
          const unknown = calls.flatMap(({ name }, i) => prices.has(name) ? [] : [notPriced(prices, name, i, language)])
          if (unknown.length > 0) return yield* new InvalidArguments({ issues: unknown })
          const lines = calls.map(({ count, name }) => {
            const credits = prices.get(name)!
            return { name, count, credits, total: credits * count }
          })
          const total = lines.reduce((sum, line) => sum + line.total, 0)
          const { left } = yield* booksOf(principal.account)
          return yield* answerQuote({ total, credits_left: left, affordable: total <= left, lines })
        }))
      )
  })
)
