import { assert, layer } from "@effect/vitest"
import { type RateLimitDecision, RateLimitStore } from "@tapeline/core/engine"
import { Effect } from "effect"
import fc from "fast-check"
import { makeFreshPglite, withStores } from "./support/databases.ts"

/** Returns the decisions that the requests would get one after another within one window. */
const oneByOne = (takes: ReadonlyArray<{ readonly account: number; readonly limit: number }>) => {
  const takenByAccount = new Map<number, number>()
  return takes.map(({ account, limit }): Omit<RateLimitDecision, "resetMs"> => {
    const before = takenByAccount.get(account) ?? 0
    const isAllowed = before < limit
    const after = isAllowed ? before + 1 : before
    takenByAccount.set(account, after)
    return { isAllowed, remaining: Math.max(0, limit - after) }
  })
}

let accounts = 0

layer(withStores(makeFreshPglite()), { excludeTestServices: true, timeout: 60_000 })(
  "Rate-limit requests in one batch",
  (it) => {
    it.effect("get the decisions of separate requests in the same order, whatever their limits", () =>
      Effect.gen(function*() {
        const store = yield* RateLimitStore
        const take = fc.record({
          account: fc.integer({ min: 0, max: 3 }),
          limit: fc.integer({ min: 0, max: 5 }),
          // The first request of a window sets the length of the window. Requests with different lengths are in
          // separate statements.
          windowMs: fc.constantFrom(600_000, 700_000)
        })
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(fc.array(take, { minLength: 1, maxLength: 60 }), async (requests) => {
              accounts += 10
              const takes = requests.map((request) => ({ ...request, account: accounts + request.account }))
              const verdicts = await Effect.runPromise(Effect.forEach(takes, store.take, { concurrency: "unbounded" }))
              assert.deepStrictEqual(
                verdicts.map(({ isAllowed, remaining }) => ({ isAllowed, remaining })),
                oneByOne(takes)
              )
              assert.isTrue(verdicts.every(({ resetMs }) => resetMs > 500_000 && resetMs <= 700_000))
            }),
            { numRuns: 60 }
          )
        )
      }))
  }
)
