import { Caller, CatalogueBody, QuoteBody, QuoteRequest, servedApi, UsageBody } from "@tapeline/api"
import {
  type Area,
  callableEntries,
  type CatalogueEntry,
  filterCatalogue,
  findNearestName,
  formatMessage,
  InvalidKey,
  type Issue,
  type Language,
  Ledger,
  type MonthBalance,
  Plans,
  pricedOperations,
  type Principal,
  type Scope,
  toInvalidArguments,
  Toolbox,
  type ToolSpecification
} from "@tapeline/core"
import type { KeyCredits } from "@tapeline/core/engine"
import { Cache, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makeCallerBodyReader } from "../body.ts"
import { prepareCachedResponse, respondFromCache } from "../cachedResponse.ts"
import { cachedCatalogueOf } from "../catalogue.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { makeUsageAdjustmentReader, usageCredits } from "./creditBodies.ts"

const readQuote = makeCallerBodyReader(QuoteRequest)
const respondUsage = makeJsonResponder(UsageBody)
const respondQuote = makeJsonResponder(QuoteBody)
const encodeCatalogue = Schema.encodeEffect(Schema.fromJsonString(CatalogueBody))

const iso = (time: number): string => new Date(time).toISOString()

export const byCredits = (tools: MonthBalance["tools"]): MonthBalance["tools"] =>
  tools.toSorted((a, b) => b.credits - a.credits || (a.name < b.name ? -1 : 1))

const keyCreditsBody = (credits: KeyCredits | null) =>
  credits === null ? null : {
    monthly_credits: credits.monthlyCredits,
    used: credits.used,
    reserved: credits.reserved,
    left: credits.left
  }

/** The maximum number of cached catalogues. Each combination of scopes, area and view has its own catalogue. */
const maxCachedCatalogues = 64

/** The cache key of a catalogue. Equal sets of scopes must be in equal order. */
interface CatalogueQuery {
  readonly scopes: ReadonlyArray<Scope>
  readonly area: Area | undefined
  readonly view: "full" | "parameters"
}

const makeCatalogues = (entries: ReadonlyArray<CatalogueEntry>) =>
  Cache.make({
    capacity: maxCachedCatalogues,
    lookup: ({ area, scopes, view }: CatalogueQuery) => {
      const visible = filterCatalogue(entries, scopes, area)
      const tools = view === "full" ? visible : callableEntries(visible)
      return Effect.flatMap(
        Effect.orDie(
          encodeCatalogue({ tools, operations: pricedOperations.filter(({ scope }) => scopes.includes(scope)) })
        ),
        prepareCachedResponse
      )
    }
  })

const priceByName = (specifications: ReadonlyArray<ToolSpecification>): ReadonlyMap<string, number> =>
  new Map([...specifications, ...pricedOperations].map(({ credits, name }) => [name, credits]))

const unknownToolIssue = (prices: ReadonlyMap<string, number>, name: string, i: number, language: Language): Issue => ({
  path: ["calls", i, "name"],
  message: formatMessage(
    { key: "unknown_tool", params: { tool: name, nearest: findNearestName(name, prices.keys()) } },
    language
  )
})

export const layerMeta = HttpApiBuilder.group(
  servedApi,
  "meta",
  Effect.fnUntraced(function*(handlers) {
    const toolbox = yield* Toolbox
    const ledger = yield* Ledger
    const plans = yield* Plans
    const specifications = toolbox.tools.map((tool) => tool.specification)
    const catalogues = yield* makeCatalogues(cachedCatalogueOf(toolbox))
    const prices = priceByName(specifications)

    /** Returns the account balance of the caller. Fails with `InvalidKey` if the account has no balance. */
    const balanceOf = Effect.fnUntraced(function*(account: number, month?: string) {
      const balance = yield* ledger.balance(account, month)
      return balance === null ? yield* new InvalidKey() : balance
    })

    const readUsageAdjustments = makeUsageAdjustmentReader(ledger)
    /** Returns the current month's credits of the caller's key, or null for a caller without credits of its own. */
    const keyCreditsOf = ({ actor }: Principal) =>
      actor._tag === "Key"
        ? Effect.map(ledger.keyCredits([actor.key]), ([credits]) => credits ?? null)
        : Effect.succeed(null)

    return handlers
      .handleRaw(
        "catalogue",
        makeOperation(Effect.fnUntraced(function*({ query: { area, view = "full" }, request }) {
          const { principal } = yield* Caller
          const cached = yield* Cache.get(catalogues, { scopes: [...principal.scopes].sort(), area, view })
          const headers = { "cache-control": "private, no-cache", vary: "authorization, cookie" }
          return respondFromCache(request, cached, "application/json", headers)
        }))
      )
      .handleRaw(
        "usage",
        makeOperation(Effect.fnUntraced(function*({ query }) {
          const { principal } = yield* Caller
          const plan = yield* plans.forAccount(principal)
          const balance = yield* balanceOf(principal.account, query.month)
          const answers = yield* ledger.answersToday(principal.account)
          return yield* respondUsage({
            plan: principal.plan,
            month: balance.month,
            credits: usageCredits(balance),
            adjustments: yield* readUsageAdjustments(principal.account, balance.month),
            renews_at: iso(balance.renewsAt),
            tools: byCredits(balance.tools),
            key: keyCreditsBody(yield* keyCreditsOf(principal)),
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
        makeOperation(Effect.fnUntraced(function*({ request }) {
          const { language } = yield* Caller
          const { body: { calls }, principal } = yield* readQuote(request)
          const issues = calls.flatMap(({ name }, i) =>
            prices.has(name) ? [] : [unknownToolIssue(prices, name, i, language)]
          )
          if (issues.length > 0) return yield* toInvalidArguments(issues, language)
          const lines = calls.map(({ count, name }) => {
            const credits = prices.get(name)!
            return { name, count, credits, total: credits * count }
          })
          const total = lines.reduce((sum, line) => sum + line.total, 0)
          const { left: leftOfAccount } = yield* balanceOf(principal.account)
          const left = Math.min(leftOfAccount, (yield* keyCreditsOf(principal))?.left ?? Infinity)
          return yield* respondQuote({ total, credits_left: left, affordable: total <= left, lines })
        }))
      )
  })
)
