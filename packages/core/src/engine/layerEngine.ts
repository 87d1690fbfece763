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

/** What an engine offers. */
export type EngineServices =
  | Administration
  | Authenticator
  | Ledger
  | Plans
  | RequestCeiling
  | ToolCaller
  | Toolbox

export interface EngineOptions<R> {
  /** `Toolbox.layer(tools)`, or with tools of one's own beside. */
  readonly toolbox: Layer.Layer<Toolbox, never, R>
  /** `defaultPlans` when left out. */
  readonly plans?: PlanTable
  readonly ledger?: LedgerOptions
  readonly sweeper?: SweeperOptions
}

/**
 * A whole engine over the stores and the tools' ports that it is given, and the one place where its parts are put
 * together. It tells the store what the plans allot, names accounts on plans that it was not told of, and sweeps up
 * reservations that lapsed: any number of engines may do so on the same stores. How long calls and windows last is
 * `CallSettings` and `RequestWindow`. Time is the fiber's clock: under a test clock, the test moves it.
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
