import {
  Administration,
  allScopes,
  Authenticator,
  defaultPlans,
  type KeyStore,
  layerPlanAllotments,
  Ledger,
  type LedgerStore,
  Plans,
  type PlanTable,
  type Principal,
  RequestCeiling,
  type RequestWindowStore,
  type Scope,
  type StoreUnavailable,
  type Toolbox,
  ToolCaller
} from "@tapeline/core"
import { Effect, Layer, Redacted } from "effect"
import { MemoryKeyStore } from "./memory/MemoryKeyStore.ts"
import { MemoryLedgerStore } from "./memory/MemoryLedgerStore.ts"
import { MemoryRequestWindowStore } from "./memory/MemoryRequestWindowStore.ts"
import { MemoryState } from "./memory/MemoryState.ts"

/** Every store in memory, over one state. */
export const MemoryStores: Layer.Layer<KeyStore | LedgerStore | RequestWindowStore | MemoryState> = Layer.mergeAll(
  MemoryKeyStore,
  MemoryLedgerStore,
  MemoryRequestWindowStore
).pipe(Layer.provideMerge(MemoryState.layer))

/** What an engine offers to a test. */
export type EngineServices =
  | Administration
  | Authenticator
  | Ledger
  | Plans
  | RequestCeiling
  | ToolCaller
  | Toolbox

/**
 * The engine over any stores, with these tools. Time is the fiber's clock: under a test clock, the test moves it.
 */
export const layerEngine = <R>(options: {
  /** `Toolbox.layer([...])` */
  readonly toolbox: Layer.Layer<Toolbox, never, R>
  /** The default plans when left out. */
  readonly plans?: PlanTable
}): Layer.Layer<EngineServices, StoreUnavailable, R | KeyStore | LedgerStore | RequestWindowStore> =>
  Layer.mergeAll(Administration.layer, RequestCeiling.layer, ToolCaller.layer, layerPlanAllotments).pipe(
    Layer.provideMerge(Layer.mergeAll(Authenticator.layer, options.toolbox, Ledger.layer)),
    Layer.provideMerge(Plans.layer(options.plans ?? defaultPlans))
  )

/** Makes an account with a key; gives the key's text and the principal that it stands for. */
export const enrol = Effect.fnUntraced(function*(options?: {
  readonly plan?: string
  readonly scopes?: ReadonlyArray<Scope>
}) {
  const administration = yield* Administration
  const plan = options?.plan ?? "pro"
  const scopes = options?.scopes ?? allScopes
  const account = yield* administration.createAccount({ name: "test", plan })
  const { key, record } = yield* administration.issueKey({ account: account.id, name: "test", scopes })
  const principal: Principal = { account: account.id, actor: { _tag: "Key", key: record.id }, plan, scopes }
  return { account, key: Redacted.value(key), record, principal }
})
