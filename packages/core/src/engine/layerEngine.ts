import { Layer } from "effect"
import { Administration } from "./access/Administration.ts"
import { Authenticator } from "./access/Authenticator.ts"
import type { KeyStore } from "./access/KeyStore.ts"
import { defaultPlans, Plans, type PlanTable } from "./access/plan.ts"
import { layerPlansBesideWarning } from "./access/plansBeside.ts"
import { RequestCeiling } from "./access/RequestCeiling.ts"
import type { RequestWindowStore } from "./access/RequestWindowStore.ts"
import { ToolCaller } from "./call/ToolCaller.ts"
import { Ledger, type LedgerOptions, type SweeperOptions } from "./credits/Ledger.ts"
import type { LedgerStore } from "./credits/LedgerStore.ts"
import { layerPlanAllotments } from "./credits/planAllotments.ts"
import type { StoreUnavailable } from "./store/StoreUnavailable.ts"
import type { Toolbox } from "./tool/Toolbox.ts"

/** The services of an engine. */
export type EngineServices =
  | Administration
  | Authenticator
  | Ledger
  | Plans
  | RequestCeiling
  | ToolCaller
  | Toolbox

export interface EngineOptions<R> {
  /** `Toolbox.layer(tools)`, also with tools of the embedder. */
  readonly toolbox: Layer.Layer<Toolbox, never, R>
  /** `defaultPlans` if omitted. */
  readonly plans?: PlanTable
  readonly ledger?: LedgerOptions
  readonly sweeper?: SweeperOptions
}

/**
 * Builds a complete engine over the given stores and the ports of the tools. This is the only place that connects its
 * parts. At startup, the engine defines the plans' monthly credits in the store and logs accounts on unknown plans. It
 * also expires lapsed reservations; any number of engines may do so on the same stores. `CallSettings` and
 * `RequestWindow` set the time limits of calls and the length of rate-limit windows. Time is the fiber's clock, so a
 * test clock controls it.
 */
export const layerEngine = <R>(
  options: EngineOptions<R>
): Layer.Layer<EngineServices, StoreUnavailable, R | KeyStore | LedgerStore | RequestWindowStore> =>
  Layer.mergeAll(
    Administration.layer,
    RequestCeiling.layer,
    ToolCaller.layer,
    Ledger.layerSweeper(options.sweeper),
    layerPlanAllotments,
    layerPlansBesideWarning
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Authenticator.layer,
        options.toolbox,
        options.ledger === undefined ? Ledger.layer : Ledger.layerWith(options.ledger)
      )
    ),
    Layer.provideMerge(Plans.layer(options.plans ?? defaultPlans))
  )
