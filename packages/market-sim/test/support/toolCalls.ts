import { layerCharts } from "@tapeline/charts"
import {
  allScopes,
  type ArgumentsOf,
  defaultPlans,
  DerivedStore,
  Ledger,
  type MarketPorts,
  type Payer,
  Plans,
  type Principal,
  Toolbox,
  ToolCaller,
  tools,
  type ToolSpecification
} from "@tapeline/core"
import { layerNewsSearch } from "@tapeline/core/analysis"
import { LocalEmbeddings } from "@tapeline/offline-analyst"
import { layerSandbox } from "@tapeline/sandbox"
import {
  MemoryArtifactStore,
  MemoryJournalStore,
  MemoryNotificationStore,
  MemoryState,
  MemoryTaskStore
} from "@tapeline/testing"
import { Effect, Layer } from "effect"

const dieOnReservation = () => Effect.die(new Error("a covered call reserves nothing"))

/** The engine's tool calls without its background work, because tests advance the clock by half a century. */
export const layerEngineOver = (market: Layer.Layer<MarketPorts>, charts: Layer.Layer<never> = layerCharts) =>
  ToolCaller.layer.pipe(
    Layer.provide(Toolbox.layer(tools)),
    Layer.provide(Layer.mergeAll(charts, MemoryArtifactStore)),
    Layer.provide(Layer.mergeAll(MemoryJournalStore, MemoryTaskStore, MemoryNotificationStore)),
    Layer.provide(MemoryState.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        DerivedStore.layer,
        layerSandbox({ sandboxes: 2 }),
        Layer.provide(layerNewsSearch, LocalEmbeddings)
      )
    ),
    Layer.provideMerge(market),
    Layer.provide(Layer.succeed(Ledger, {
      reserve: dieOnReservation,
      settle: dieOnReservation,
      release: dieOnReservation,
      renew: dieOnReservation,
      keepAlive: dieOnReservation,
      idempotencyState: dieOnReservation,
      balance: dieOnReservation,
      usage: dieOnReservation,
      answersToday: dieOnReservation,
      changePlan: dieOnReservation
    })),
    Layer.provide(Plans.layer(defaultPlans))
  )

/** An answer that pays for the calls, so that they make no reservations. */
export const payer: Payer = {
  reservation: {
    entry: 1,
    account: 1,
    month: "2026-11",
    tool: "agent.answer",
    credits: 40,
    origin: 1,
    reservedAt: 0,
    expiresAt: 1
  },
  call: "1"
}

export const principal: Principal = { account: 1, actor: { _tag: "Key", key: 1 }, plan: "pro", scopes: allScopes }

let callCount = 0
/** Gives each call its own name, so that it does not get the stored result of another call. */
const nextPayer = (): Payer => ({ ...payer, call: String(++callCount) })

/** Calls a tool by name, as a transport does. Returns the result, and the failure, if there is one. */
export const callByName = Effect.fnUntraced(function*(name: string, args: unknown) {
  const caller = yield* ToolCaller
  const { envelope, failure } = yield* caller.call({ principal, name, arguments: args, payer: nextPayer() })
  return { data: envelope.data, failure }
})

/** The result of a call that succeeds. */
export const callSuccessfully = <S extends ToolSpecification>(specification: S, args: ArgumentsOf<S>) =>
  Effect.flatMap(
    ToolCaller,
    (caller) =>
      Effect.map(
        caller.call(specification, { principal, arguments: args, payer: nextPayer() }),
        ({ data }) => data
      )
  )

export const callExpectingFailure = Effect.fnUntraced(function*({ name }: ToolSpecification, args: unknown) {
  const { failure } = yield* callByName(name, args)
  return failure ?? (yield* Effect.die(new Error(`${name} answered`)))
})
