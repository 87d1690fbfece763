import {
  DerivedDays,
  type DerivedDaysService,
  DerivedDaysUnavailable,
  DerivedMemory,
  DerivedStore
} from "@tapeline/core/analysis"
import type { CoinDerivatives, CoinPrices, SocialFeed } from "@tapeline/core/market"
import { Effect, Exit, Layer, Queue } from "effect"

type Ports = Layer.Layer<CoinPrices | CoinDerivatives | SocialFeed>
type Derived = DerivedStore["Service"]

/** Creates an engine for derived data. Engines that receive the same `store` share only this store. */
export const makeDerivedEngine = (
  market: Ports,
  { bytes, store }: { readonly store?: DerivedDaysService; readonly bytes?: number } = {}
) =>
  Effect.map(
    Layer.build(
      Layer.fresh(DerivedStore.layer).pipe(
        Layer.provide(market),
        Layer.provide(store === undefined ? Layer.empty : Layer.succeed(DerivedDays, store)),
        Layer.provide(bytes === undefined ? Layer.empty : Layer.succeed(DerivedMemory, { bytes }))
      )
    ),
    (context): Derived => DerivedStore.pipe(Effect.provideContext(context), Effect.runSync)
  )

/** The behaviour of a store of derived days. `well` is the correct behaviour, and every other value is a fault. */
export type StoreBehaviour = "well" | "fails" | "dies" | "silent" | "garbles" | "forgets"

/** A store of derived days whose behaviour a test controls, and whose writes a test can await. */
export interface FaultyDerivedDays {
  readonly store: DerivedDaysService
  readonly setBehaviour: (behaviour: StoreBehaviour) => void
  readonly writtenSeries: Queue.Queue<string>
  readonly countReads: () => number
}

export const makeFaultyDerivedDays = (innerStore: DerivedDaysService): Effect.Effect<FaultyDerivedDays> =>
  Effect.map(Queue.unbounded<string>(), (writtenSeries) => {
    let behaviour: StoreBehaviour = "well"
    let reads = 0
    const applyBehaviour = <A>(normalEffect: Effect.Effect<A, DerivedDaysUnavailable>) =>
      Effect.suspend(() => {
        if (behaviour === "fails") {
          return Effect.fail(new DerivedDaysUnavailable({ reason: "the test makes this read fail" }))
        }
        if (behaviour === "dies") return Effect.die(new Error("the test makes this read die"))
        return behaviour === "silent" ? Effect.never : normalEffect
      })
    return {
      setBehaviour: (next) => {
        behaviour = next
      },
      writtenSeries,
      countReads: () => reads,
      store: {
        get: (query) =>
          applyBehaviour(Effect.map(innerStore.get(query), (days) => {
            reads++
            if (behaviour === "forgets") return days.filter(({ day }) => (day / 86_400_000) % 3 !== 0)
            if (behaviour !== "garbles") return days
            return days.map((day) => ({
              ...day,
              bytes: day.bytes.map((byte, at) => at > 90 && at % 97 === 5 ? byte ^ 1 : byte)
            }))
          })),
        put: (query) =>
          Effect.onExit(
            applyBehaviour(innerStore.put(query)),
            (exit) => Exit.isSuccess(exit) ? Effect.asVoid(Queue.offer(writtenSeries, query.series)) : Effect.void
          )
      }
    }
  })

/** Queries of derived data, at least one of each kind. */
export const derivedQuestions: ReadonlyArray<(derived: Derived, coin: string) => Effect.Effect<unknown, unknown>> = [
  (derived, coin) => derived.score(coin),
  (derived) => derived.scores,
  (derived, coin) => derived.scoreHistory({ coin, hours: 53 }),
  (derived, coin) => derived.scoreHistory({ coin, hours: 5 }),
  (derived, coin) => derived.divergences(coin),
  (derived, coin) => derived.coil(coin),
  (derived) => derived.regime,
  (derived) => derived.fearGreed(4),
  (derived) => derived.signals({ hours: 71 }),
  (derived, coin) => derived.signals({ coin, hours: 30 })
]
